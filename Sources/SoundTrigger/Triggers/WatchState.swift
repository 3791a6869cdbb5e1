/// What a trigger knows of one of its values, and what it waits for there.
///
/// It may be at rest, amid a burst of changes, waiting for the end of a delay, or both of these.
struct WatchState: Sendable {
  /// Arrivals with less than `debounce` between them, which are judged as one change when they have ended.
  struct Burst: Sendable {
    var change: PendingChange
    /// Whether the first arrival was the value's first content.
    var isAppearance: Bool
    /// Whether the burst is a change even if it ends where it began.
    var isEvent: Bool
    /// When the value has been still for long enough.
    var deadline: Instant

    /// Whether it comes to rest where it began.
    var hasReturned: Bool { !isAppearance && !isEvent && change.old == change.new }
  }

  /// A play that is called off if the condition ends before.
  struct Delay: Sendable {
    var change: PendingChange
    var choice: SoundTable.Choice
    /// When it plays.
    var deadline: Instant
  }

  /// Whether every arrival of the value is a change, even an equal one.
  var isEvent: Bool
  var condition: TriggerCondition
  var burst: Burst?
  var delay: Delay?
  /// Whether the trigger sounds, among other values, for this one.
  var keepsLoop = false

  init(_ condition: TriggerCondition, isEvent: Bool) {
    self.condition = condition
    self.isEvent = isEvent
  }

  var isWaiting: Bool { burst != nil || delay != nil }

  /// When the next wait ends.
  var deadline: Instant? { Instant.earlier(burst?.deadline, delay?.deadline) }
}
