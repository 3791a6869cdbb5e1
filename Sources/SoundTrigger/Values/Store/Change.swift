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
  private let beginning: Beginning

  /// One pointer at most, because changes are handed on often.
  private enum Beginning: Equatable, Sendable {
    /// The value had a content, or began at nothing.
    case none
    case appearance
    /// The appearance of a value that a pattern names, and of which no earlier content is known.
    case newcomer
    /// The first content of a run, and the other one that was saved of the last run.
    indirect case other(SavedContent, isAppearance: Bool)
  }

  /// `differsFromLastRun` without `saved`: the last content is unknown, and the value is news.
  package init(
    value: ValueID, old: Value?, new: Value, isAppearance: Bool = false, differsFromLastRun: Bool = false,
    saved: SavedContent? = nil
  ) {
    self.value = value
    self.old = old
    self.new = new
    beginning =
      saved.map { .other($0, isAppearance: isAppearance) }
      ?? (!isAppearance ? .none : differsFromLastRun ? .newcomer : .appearance)
  }

  /// Whether the value begins here. An appearance is not a change.
  package var isAppearance: Bool {
    switch beginning {
    case .none: false
    case .appearance, .newcomer: true
    case .other(_, let isAppearance): isAppearance
    }
  }

  /// Whether this appearance counts as another content than at the end of the last run. If that content is unknown, it does for a
  /// value that a pattern names.
  package var differsFromLastRun: Bool { isAppearance && beginning != .appearance }

  /// What was saved of the content at the end of the last run. Only of the first content of a run, and only if that is another one.
  package var saved: SavedContent? { if case .other(let saved, _) = beginning { saved } else { nil } }

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
