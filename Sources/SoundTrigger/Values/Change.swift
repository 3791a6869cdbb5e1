/// The place of a value in its store: small, dense, never reused while the store lives.
package struct ValueID: Hashable, Sendable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// An accepted update as the triggers see it.
package struct Change: Equatable, Sendable {
  package var value: ValueID
  /// The content before.
  ///
  /// Of the first content it equals `new`.
  package var old: Value
  package var new: Value
  /// Whether this is the value's first content: an appearance is not a change.
  package var isAppearance: Bool
  /// Whether nothing was there before, as in an appearance; but a client's first event is a change.
  package var isFirst: Bool
  /// Of an appearance, whether it differs from the content that was known when soundd last stopped; false if none was.
  package var differsFromLastRun: Bool

  package init(
    value: ValueID, old: Value, new: Value, isAppearance: Bool = false, differsFromLastRun: Bool = false,
    isFirst: Bool? = nil
  ) {
    self.value = value
    self.old = old
    self.new = new
    self.isAppearance = isAppearance
    self.differsFromLastRun = differsFromLastRun
    self.isFirst = isFirst ?? isAppearance
  }
}
