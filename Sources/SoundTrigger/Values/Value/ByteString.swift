import Glibc

/// Bytes that are kept.
///
/// Up to 15 bytes are inline. Most contents are that short, so most need no memory of their own and no reference counting,
/// which would cost more than the decision about a change.
package struct ByteString: Sendable {
  private enum Storage: Sendable {
    case short(Short)
    /// More than `inlineLength` bytes.
    case long([UInt8])
  }

  private var storage: Storage

  /// The maximum number of bytes that are inline.
  package static let inlineLength = 15

  package init() { storage = .short(Short()) }

  package init(_ bytes: Span<UInt8>) {
    storage = bytes.count <= Self.inlineLength ? .short(Short(bytes)) : .long([UInt8](bytes))
  }

  package init(_ bytes: [UInt8]) {
    storage = bytes.count <= Self.inlineLength ? .short(Short(bytes.span)) : .long(bytes)
  }

  package var count: Int {
    switch storage {
    case .short(let short): short.count
    case .long(let bytes): bytes.count
    }
  }

  /// The number of bytes that take memory of their own.
  var ownBytes: Int {
    switch storage {
    case .short: 0
    case .long(let bytes): bytes.count
    }
  }

  /// Calls `body` with the bytes.
  @inline(__always)
  package func withSpan<Result, Thrown: Error>(
    _ body: (Span<UInt8>) throws(Thrown) -> Result
  ) throws(Thrown) -> Result {
    switch storage {
    case .short(let short):
      let words: InlineArray<2, UInt64> = [short.low.littleEndian, short.high.littleEndian]
      return try body(Span(_bytes: words.span.bytes.extracting(first: short.count)))
    case .long(let bytes): return try body(bytes.span)
    }
  }

  package var array: [UInt8] {
    switch storage {
    case .short: withSpan { [UInt8]($0) }
    case .long(let bytes): bytes
    }
  }

  func holdsSameBytes(as other: Span<UInt8>) -> Bool { withSpan { $0.holdsSameBytes(as: other) } }

  /// Replaces the bytes, in the same memory if that is large enough.
  mutating func set(to bytes: Span<UInt8>) {
    guard bytes.count > Self.inlineLength, case .long(var array) = storage,
      // Memory that is mostly unused is given back.
      array.capacity <= 1024 || bytes.count > array.capacity / 4
    else {
      self = ByteString(bytes)
      return
    }
    // Without this second reference the next line copies nothing.
    self = ByteString()
    array.set(to: bytes)
    storage = .long(array)
  }
}

extension ByteString: Hashable {
  package static func == (left: ByteString, right: ByteString) -> Bool {
    switch (left.storage, right.storage) {
    case (.short(let left), .short(let right)): left.low == right.low && left.high == right.high
    // memcmp, because `==` of arrays compares byte by byte.
    case (.long(let left), .long(let right)): left.span.holdsSameBytes(as: right.span)
    case (.short, .long), (.long, .short): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch storage {
    case .short(let short):
      hasher.combine(short.low)
      hasher.combine(short.high)
    case .long(let bytes): hasher.combine(bytes)
    }
  }
}

/// At most 15 bytes and their count.
///
/// The parts leave unused bit patterns in the last byte. The compiler stores there which case an enum is, so that a `Value`
/// takes 16 bytes instead of 24.
private struct Short: Sendable, BitwiseCopyable {
  /// The first eight bytes, little-endian, zeros behind the last.
  let low: UInt64
  private let eighth: UInt32
  private let twelfth: UInt16
  private let fourteenth: UInt8
  private let length: Length

  private enum Length: UInt8 { case n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15 }

  init() { self.init(low: 0, high: 0, count: 0) }

  /// - Precondition: `bytes` has at most 15 bytes.
  init(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= ByteString.inlineLength)
    var words: (low: UInt64, high: UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { words in
      bytes.withUnsafeBytes { bytes in
        guard let target = words.baseAddress, let source = bytes.baseAddress else { return }
        // At most 15 bytes, checked above, and there are 16.
        memcpy(target, source, bytes.count)
      }
    }
    self.init(low: UInt64(littleEndian: words.low), high: UInt64(littleEndian: words.high), count: bytes.count)
  }

  private init(low: UInt64, high: UInt64, count: Int) {
    self.low = low
    eighth = UInt32(truncatingIfNeeded: high)
    twelfth = UInt16(truncatingIfNeeded: high >> 32)
    fourteenth = UInt8(truncatingIfNeeded: high >> 48)
    // Every number up to 15 has a case.
    length = Length(rawValue: UInt8(truncatingIfNeeded: count)) ?? .n0
  }

  /// The bytes from the ninth on, little-endian, and the count on top.
  var high: UInt64 {
    UInt64(eighth) | UInt64(twelfth) << 32 | UInt64(fourteenth) << 48 | UInt64(length.rawValue) << 56
  }

  var count: Int { Int(length.rawValue) }
}

extension Span<UInt8> {
  /// Whether both hold the same bytes.
  func holdsSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        // Both have `count` bytes, checked above.
        return left == right || memcmp(left, right, count) == 0
      }
    }
  }
}

extension [UInt8] {
  func holdsSameBytes(as other: Span<UInt8>) -> Bool { span.holdsSameBytes(as: other) }

  init(_ bytes: Span<UInt8>) { self = bytes.withUnsafeBufferPointer { Array($0) } }

  /// Replaces the bytes in the same memory; if the count stays the same, this is a copy alone.
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
