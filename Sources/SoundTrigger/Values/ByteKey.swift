import Glibc

/// Sixteen bytes that stand for a run of bytes when it is looked up or compared.
///
/// Up to 15 bytes the key holds the run itself, so equal keys mean equal runs. A longer run is represented by its
/// length and a seeded 64-bit hash: unequal keys mean unequal runs, equal ones have to be compared byte by byte.
struct ByteKey: Equatable, Sendable, BitwiseCopyable {
  /// The first eight bytes, little-endian; of a long run its hash.
  private(set) var low: UInt64
  /// The bytes after them and, on top, the length; of a long run its length below `longTag`.
  private(set) var high: UInt64

  /// The longest run that a key holds whole.
  static let inlineLength = 15

  /// A key that no run has.
  static let none = ByteKey(low: 0, high: 0xfe << 56)

  /// The key of the empty run.
  static let empty = ByteKey(low: 0, high: 0)

  private static let longTag: UInt64 = 0xff << 56

  /// What makes the hashes of one store unforeseeable, so that nobody can choose names that collide.
  struct Seed: Sendable {
    fileprivate var first: UInt64
    fileprivate var second: UInt64

    /// A seed from the system's random numbers.
    init() {
      var generator = SystemRandomNumberGenerator()
      first = generator.next()
      second = generator.next()
    }
  }

  /// Whether equal keys prove equal runs.
  var isExact: Bool { high < Self.longTag }

  /// Well spread bits for a hash table.
  ///
  /// Two rounds: after one, short names that differ in a few bits may share low bits under an unlucky seed.
  func hash(_ seed: Seed) -> UInt64 {
    // Odd, with about as many ones as zeros.
    Self.mix(Self.mix(low ^ seed.first, high ^ seed.second) ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)
  }

  private init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  // Proof that every load below lies inside the run of `count` bytes: a load of `width` bytes at `offset` is made only
  // where `0 <= offset` and `offset + width <= count`; each branch states the least `count` it knows. An integer may
  // have any bit pattern, so the loads are safe in type as well. Overlapping loads put a byte twice at its own place.

  /// The key of a run of less than 2^56 bytes.
  @inline(__always)
  init(_ bytes: Span<UInt8>, seed: Seed) {
    if bytes.count <= Self.inlineLength {
      self.init(short: bytes)
    } else {
      self.init(low: Self.hashLong(bytes.bytes, seed: seed), high: Self.longTag | UInt64(bytes.count))
    }
  }

  /// The key of a run of at most `inlineLength` bytes: the run itself.
  @inline(__always)
  init(short bytes: Span<UInt8>) {
    let run = bytes.bytes
    let count = bytes.count
    switch count {
    case 0: self = .empty
    case 1...3:
      let middle = count >> 1
      let last = count - 1
      let packed =
        UInt64(Self.load(run, 0, UInt8.self)) | UInt64(Self.load(run, middle, UInt8.self)) << (8 * middle)
        | UInt64(Self.load(run, last, UInt8.self)) << (8 * last)
      self.init(low: packed, high: UInt64(count) << 56)
    case 4...7:
      let tail = count - 4
      let packed =
        UInt64(Self.load(run, 0, UInt32.self)) | UInt64(Self.load(run, tail, UInt32.self)) << (8 * tail)
      self.init(low: packed, high: UInt64(count) << 56)
    default:
      assert((8...Self.inlineLength).contains(count))
      let tail = Self.load(run, count - 8, UInt64.self)
      self.init(
        low: Self.load(run, 0, UInt64.self),
        high: tail >> UInt64(8 * (16 - count)) | UInt64(count) << 56)
    }
  }

  /// The hash of a run of 16 bytes or more, 16 bytes a step, in the manner of wyhash.
  private static func hashLong(_ run: RawSpan, seed: Seed) -> UInt64 {
    let end = run.byteCount - 16
    var hash = seed.second ^ UInt64(run.byteCount)
    var offset = 0
    while offset < end {
      hash = mix(load(run, offset, UInt64.self) ^ seed.first, load(run, offset + 8, UInt64.self) ^ hash)
      offset += 16
    }
    hash = mix(load(run, end, UInt64.self) ^ seed.first, load(run, end + 8, UInt64.self) ^ hash)
    return mix(hash ^ seed.first, seed.second)
  }

  @inline(__always)
  private static func load<T: FixedWidthInteger & BitwiseCopyable>(_ run: RawSpan, _ offset: Int, _: T.Type) -> T {
    T(littleEndian: run.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }

  /// Both halves of the product, folded.
  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}

extension Span<UInt8> {
  /// Whether both runs hold the same bytes.
  func holdsSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        // Both have `count` bytes, checked above.
        return memcmp(left, right, count) == 0
      }
    }
  }
}

extension [UInt8] {
  func holdsSameBytes(as other: Span<UInt8>) -> Bool { span.holdsSameBytes(as: other) }

  init(_ bytes: Span<UInt8>) { self = bytes.withUnsafeBufferPointer { Array($0) } }

  /// Holds these bytes instead, in the same memory; contents of one length, as most of one value are, cost a copy alone.
  mutating func set(to bytes: Span<UInt8>) {
    if count != bytes.count {
      removeAll(keepingCapacity: true)
      return append(bytes)
    }
    withUnsafeMutableBufferPointer { own in
      bytes.withUnsafeBufferPointer { other in
        guard let start = own.baseAddress, let other = other.baseAddress else { return }
        // Both have that many bytes, checked above.
        memcpy(start, other, own.count)
      }
    }
  }

  mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { self.append(contentsOf: $0) }
  }
}
