/// A change whose verdict is still open.
struct PendingChange: Sendable {
  /// See `JudgedChange.id`.
  var id: Int
  /// When it came; of a burst, its latest arrival.
  var at: Instant
  /// Which of the trigger's values changed, as its index in `TriggerDefinition.values`.
  var watch: Int
  /// The value before; of a burst, before its first arrival. `nil` if it had no content.
  var old: Value?
  /// `nil` if the value never had any content, and became stale.
  var new: Value?
  /// Its record in the `ChangeLog`, or `nil` if it has none yet.
  var record: Int? {
    get { recordNumber < 0 ? nil : recordNumber }
    set { recordNumber = newValue ?? -1 }
  }
  /// -1 for none: an optional costs 46 instructions more where a wait moves.
  var recordNumber = -1

  /// The contents as `explain` and `events` show them, if `isLong`.
  var excerpts: (old: Value?, new: Value?) { (old?.truncated(beside: new), new?.truncated(beside: old)) }

  /// Whether `explain` and `events` show only a part of a content.
  @inline(__always)
  var isLong: Bool { (old?.isLong ?? false) || (new?.isLong ?? false) }
}

/// The state of a trigger with regard to one of its values.
///
/// A burst, a delay and an alarm are independent, because each of them may begin and end while the others last.
struct WatchState: Sendable {
  /// Arrivals with less than `debounce` between them. They are judged as one change when the burst has ended.
  struct Burst: Sendable {
    var change: PendingChange
    /// The content of the last run, if the first arrival was judged against it.
    var saved: SavedContent?
    /// Whether the first arrival was the value's appearance.
    var isAppearance: Bool
    /// Whether the burst is a change even if it ends where it began.
    var isEvent: Bool
    /// When the value has been still for long enough.
    var deadline: Instant
    /// Whether its last content meets the conditions, of an alarm alone.
    var meetsCondition = false

    /// Whether the value is again what it was before the burst.
    var hasReturned: Bool {
      if isAppearance || isEvent { return false }
      guard let saved, let new = change.new else { return change.old == change.new }
      return saved.equals(new, as: new.kind(isEvent: false))
    }
  }

  /// A play that waits, and is called off if the condition ends before.
  struct Delay: Sendable {
    var change: PendingChange
    /// The content now: it chooses the sound.
    var latest: Value?
    /// When it plays.
    var deadline: Instant
  }

  /// A crossing that a gate silenced.
  struct Held: Sendable {
    /// The latest change beyond the threshold.
    var change: PendingChange
    /// Its sound.
    var choice: SoundChoice.Selection
  }

  struct Latest: Sendable {
    var old: Value?
    var new: Value
  }

  /// Whether every arrival of the value is a change, even an equal one.
  var isEvent: Bool
  var condition: TriggerCondition
  /// `nil` unless `debounce` waits for the value to be still.
  @Rare var burst: Burst?
  /// `nil` unless a play waits for the end of `delay`.
  @Rare var delay: Delay?
  /// `nil` unless a crossing waits for the end of a gate.
  @Rare var held: Held?
  /// The last change, with a `map` if an alarm repeats or a play is delayed: it sounds as the present content demands.
  @Rare var latest: Latest?
  /// Whether the value met the conditions of an alarm, and has not ceased to.
  var meetsCondition = false
  /// Whether `meetsCondition` is what an earlier run of soundd left: the first content decides.
  var isRestored = false

  init(_ condition: TriggerCondition, isEvent: Bool) {
    self.condition = condition
    self.isEvent = isEvent
  }

  /// The latest change of the burst, or `nil` without a burst.
  @inline(__always)
  var burstChange: PendingChange? { _burst.part { $0.change } }

  /// Adds an arrival to the burst. In place, because a copy of the burst takes 300 instructions.
  @inline(__always)
  mutating func continueBurst(with change: PendingChange, isEvent: Bool, until deadline: Instant) {
    _burst.modify { burst in
      burst.change = change
      burst.isEvent = burst.isEvent || isEvent
      burst.deadline = deadline
    }
  }

  @inline(__always)
  var holdsCrossing: Bool { !_held.isEmpty }

  @inline(__always)
  var isWaiting: Bool { !_burst.isEmpty || !_delay.isEmpty }

  /// Whether an alarm waits although the value meets its conditions.
  var isPending: Bool { !_delay.isEmpty || _burst.part { $0.meetsCondition } ?? false }

  /// When the next wait ends.
  @inline(__always)
  var deadline: Instant? { Instant.earlier(_burst.part { $0.deadline }, _delay.part { $0.deadline }) }
}
