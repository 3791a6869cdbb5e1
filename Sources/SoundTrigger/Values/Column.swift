import Glibc

/// A growing row of plain data with one owner: an Array without reference counts and without checks for other owners,
/// which cost more than the rest of an update together.
///
/// Memory safety: `base` comes from `allocate(capacity:)`, has `count` initialised elements, and is given back in
/// `deinit` alone; the type is not copyable, so there is one `deinit`. Every access checks its index against `count`.
/// Elements are plain bits, so moving them is copying them and freeing them needs no deinitialisation.
struct Column<Element: BitwiseCopyable>: ~Copyable {
  fileprivate var base: UnsafeMutablePointer<Element>
  private(set) var count: Int
  private var capacity: Int

  init() {
    capacity = 16
    count = 0
    base = .allocate(capacity: capacity)
  }

  /// A row of `count` equal elements.
  init(repeating element: Element, count: Int) {
    precondition(count >= 0, "a Column of \(count) elements")
    capacity = max(count, 16)
    self.count = count
    base = .allocate(capacity: capacity)
    base.initialize(repeating: element, count: count)
  }

  deinit { base.deallocate() }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index beyond the end of a Column")
      return base[index]
    }
    @inline(__always) set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index beyond the end of a Column")
      base[index] = newValue
    }
  }

  mutating func append(_ element: Element) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: base, count: count)
      base.deallocate()
      base = larger
      capacity *= 2
    }
    (base + count).initialize(to: element)
    count += 1
  }
}

extension Column<UInt8> {
  /// Whether the elements in the range are these bytes.
  func holds(_ bytes: Span<UInt8>, at range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range beyond the end of a Column")
    guard range.count == bytes.count else { return false }
    return bytes.withUnsafeBufferPointer { other in
      guard let start = other.baseAddress else { return true }
      // Both have that many bytes, checked above.
      return memcmp(base + range.lowerBound, start, range.count) == 0
    }
  }
}
