/// A condition on a value. A derived value has its result as content: true or false.
package enum Comparison: Hashable, Sendable {
  case equals(Value)
  /// A number is above the one and below the other; at least one of them is given.
  case lies(above: Double?, below: Double?)

  /// Whether the condition holds for a content.
  ///
  /// A content that is too long to keep equals no content that is kept.
  func holds(for value: Value) throws(ValueRefusal) -> Bool {
    switch self {
    case .equals(let other): return value == other
    case .lies(let above, let below):
      guard case .number(let number) = value else { throw .notANumber(value.excerpt) }
      return number > above ?? -.infinity && number < below ?? .infinity
    }
  }

  /// Whether the condition holds for a text that was extracted from a content.
  func holds(forText text: Span<UInt8>) throws(ValueRefusal) -> Bool {
    switch self {
    case .equals(.text(let other)): other.holdsSameBytes(as: text)
    // A text equals nothing of another type.
    case .equals: false
    case .lies: try holds(for: .number(try DecimalNumber.parse(text)))
    }
  }
}
