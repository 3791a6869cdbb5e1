/// What outlives soundd of a content: enough to compare another one with it, and the number if it was one.
package struct SavedContent: Hashable, Sendable {
  /// The digest of the content and of the kind of its value.
  package var digest: SIMD8<UInt32>
  /// The content of a number; `nil` for any other, and if an earlier version has saved it.
  package var number: Double?

  package init(digest: SIMD8<UInt32>, number: Double? = nil) { (self.digest, self.number) = (digest, number) }

  package init(_ value: Value, as kind: ValueKind) {
    digest = value.digest(as: kind)
    if case .number(let number) = value { self.number = number }
  }

  /// Whether the content of a value of this kind is the same.
  package func equals(_ value: Value, as kind: ValueKind) -> Bool { value.digest(as: kind) == digest }
}

extension Value {
  /// The kind of a value with this content. `isEvent`: whether every arrival of the value is a change.
  package func kind(isEvent: Bool) -> ValueKind {
    switch self {
    case .text, .fingerprint: isEvent ? .event : .text
    case .number: .number
    case .bool: .bool
    case .json: .json
    }
  }
}
