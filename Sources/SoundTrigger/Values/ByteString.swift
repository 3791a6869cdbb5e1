/// A run of bytes that is kept.
///
/// Up to 15 bytes lie in the value itself: such contents, which most are, cost neither memory nor the counting of
/// references, which costs more than to judge a change.
package struct ByteString: Sendable {
  private enum Storage: Sendable {
    case short(Short)
    /// More than `inlineLength`.
    case long([UInt8])
  }

  private var storage: Storage

  /// How many bytes need no memory of their own.
  package static var inlineLength: Int { ByteKey.inlineLength }

  package init() { storage = .short(Short(ByteKey.empty)) }

  package init(_ bytes: Span<UInt8>) {
    storage = bytes.count <= Self.inlineLength ? .short(Short(ByteKey(short: bytes))) : .long([UInt8](bytes))
  }

  package init(_ bytes: [UInt8]) {
    storage = bytes.count <= Self.inlineLength ? .short(Short(ByteKey(short: bytes.span))) : .long(bytes)
  }

  package var count: Int {
    switch storage {
    case .short(let short): short.count
    case .long(let bytes): bytes.count
    }
  }

  /// The bytes, to be looked at for as long as the call lasts.
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

  /// Holds these bytes instead, as far as possible in the same memory.
  mutating func set(to bytes: Span<UInt8>) {
    guard bytes.count > Self.inlineLength, case .long(var array) = storage else {
      self = ByteString(bytes)
      return
    }
    // Let go of first, or the bytes would be copied once more.
    self = ByteString()
    array.set(to: bytes)
    storage = .long(array)
  }
}

extension ByteString: Hashable {
  package static func == (left: ByteString, right: ByteString) -> Bool {
    switch (left.storage, right.storage) {
    case (.short(let left), .short(let right)): left.low == right.low && left.high == right.high
    case (.long(let left), .long(let right)): left == right
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

/// A `ByteKey` that is exact, in parts: so the compiler finds room in its last byte to tell a short run from a long one, and
/// one kind of value from another. A value with them is 16 bytes then, and 24 otherwise.
private struct Short: Sendable, BitwiseCopyable {
  let low: UInt64
  private let eighth: UInt32
  private let twelfth: UInt16
  private let fourteenth: UInt8
  private let length: Length

  private enum Length: UInt8 { case n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15 }

  init(_ key: ByteKey) {
    low = key.low
    eighth = UInt32(truncatingIfNeeded: key.high)
    twelfth = UInt16(truncatingIfNeeded: key.high >> 32)
    fourteenth = UInt8(truncatingIfNeeded: key.high >> 48)
    // There is one for each of these numbers.
    length = Length(rawValue: UInt8(truncatingIfNeeded: key.high >> 56) & 15) ?? .n0
  }

  var high: UInt64 {
    UInt64(eighth) | UInt64(twelfth) << 32 | UInt64(fourteenth) << 48 | UInt64(length.rawValue) << 56
  }

  var count: Int { Int(length.rawValue) }
}
