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
  package var updates: Int
  package var refusals: Int
  package var lastRefusal: ValueRefusal?
  /// The last appearance or change.
  package var changedAt: Instant?
  /// The last accepted update, whether or not it changed anything.
  package var updatedAt: Instant?

  package init(
    name: ValueName, kind: ValueKind, source: ValueSource, isDeclared: Bool, text: String? = nil, updates: Int = 0,
    refusals: Int = 0, lastRefusal: ValueRefusal? = nil, changedAt: Instant? = nil, updatedAt: Instant? = nil
  ) {
    self.name = name
    self.kind = kind
    self.source = source
    self.isDeclared = isDeclared
    self.text = text
    self.updates = updates
    self.refusals = refusals
    self.lastRefusal = lastRefusal
    self.changedAt = changedAt
    self.updatedAt = updatedAt
  }
}
