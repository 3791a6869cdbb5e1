/// What became of an update.
package enum UpdateOutcome: Equatable, Sendable {
  /// The content equals the one before.
  case unchanged
  /// The content is new: a change, or the value's appearance.
  case changed(Change)
  /// The value's `match` found nothing in the content, which is therefore no update.
  case ignored
  /// The content does not parse as the value's kind; the value keeps what it had.
  case refused(ValueRefusal)
}
