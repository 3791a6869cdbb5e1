/// Identifies a value in its store. After the value is forgotten, another one may get its index.
package struct ValueID: Hashable, Sendable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// A new content as the triggers see it: a change, or the appearance of a value's first content.
package struct Change: Equatable, Sendable {
  package var value: ValueID
  /// The content before; `nil` if the value began at nothing, and this is its first content.
  ///
  /// An appearance has the new content here, as `initial` promises: old equals new.
  package var old: Value?
  package var new: Value
  /// Whether the value begins here. An appearance is not a change.
  package var isAppearance: Bool
  /// Whether this appearance counts as another content than at the end of the last run. If that content is unknown, it does for a
  /// value that a pattern names.
  package var differsFromLastRun: Bool

  package init(
    value: ValueID, old: Value?, new: Value, isAppearance: Bool = false, differsFromLastRun: Bool = false
  ) {
    self.value = value
    self.old = old
    self.new = new
    self.isAppearance = isAppearance
    self.differsFromLastRun = differsFromLastRun
  }

  /// Whether the value had no content before.
  package var isFirst: Bool { isAppearance || old == nil }
}
/// The result of an update.
package enum UpdateOutcome: Equatable, Sendable {
  /// The content equals the one before.
  case unchanged
  /// The value has a new content.
  case changed
  /// The value begins with this content.
  case appeared
  /// `match` found nothing in the content, so it does not count as an update.
  case ignored
  /// The value refuses the content and keeps the one before.
  case refused(ValueRefusal)

  // The synthesized comparison takes many times the instructions, because it can compare refusals.
  package var isAppearance: Bool { if case .appeared = self { true } else { false } }
}
