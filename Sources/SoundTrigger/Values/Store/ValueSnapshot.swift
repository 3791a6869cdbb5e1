/// A value with its counters at one moment, for people and programs to read.
package struct ValueSnapshot: Equatable, Sendable {
  package var name: ValueName
  package var kind: ValueKind
  package var source: ValueSource
  /// Whether the configuration declares it.
  package var isDeclared: Bool
  /// The last accepted content as it was written, or trimmed. If it is extracted or derived: the value as text. `nil` before
  /// the first content.
  ///
  /// Bytes that are not UTF-8 are replaced. Long content is described by its length and digest.
  package var text: String?
  /// Accepted updates, those that changed nothing included.
  package var updates = 0
  package var refusals = 0
  package var lastRefusal: ValueRefusal?
  /// The last appearance or change.
  package var changedAt: Instant?
  /// The last accepted update, whether or not it changed anything.
  package var updatedAt: Instant?
}
