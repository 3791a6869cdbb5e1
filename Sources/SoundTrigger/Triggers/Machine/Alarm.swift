/// The life of an alarm, which is a trigger with `loop`. The words are those of ISA-18.2.
///
/// The raw value is the word for people and programs.
package enum AlarmLife: String, CaseIterable, Sendable {
  /// Its condition does not hold.
  case normal
  /// The condition holds, and `debounce`, `delay` or `throttle` has not ended.
  case pending
  /// The condition holds, and nobody has acknowledged it. It sounds, unless something silences it.
  case active
  /// The condition ended before somebody acknowledged it (`latch`). It sounds like an active one.
  case latched
  /// The condition holds, and somebody has acknowledged it. It does not sound.
  case acknowledged

  /// Whether the alarm sounds if nothing silences it.
  package var sounds: Bool { self == .active || self == .latched }
}

/// The life of an alarm or, if something silences it, what does.
package enum AlarmState: String, Sendable {
  case normal, pending, active, latched, acknowledged
  /// A person wants it silent for a time.
  case snoozed
  /// A gate, the profile, a mute or a volume of 0 silences it.
  case suppressed

  package init(_ life: AlarmLife) {
    self =
      switch life {
      case .normal: .normal
      case .pending: .pending
      case .active: .active
      case .latched: .latched
      case .acknowledged: .acknowledged
      }
  }
}

/// What an alarm is, and what its sound does.
struct Alarm: Sendable {
  /// What the sound of an active or latched alarm does.
  enum Sound: Equatable, Sendable {
    /// It runs, or waits for a device.
    case sounding(PlayID)
    /// Between two repetitions (`loop_every`).
    case pausing
    /// A snooze, a gate or the profile silences it.
    case silenced
    /// It lost its voice, or no voice was free. It starts again when one is, not before `resume`.
    case crowded
    /// No device took it. It starts again when a device is there, or at `resume`.
    case unheard
    /// It is not loaded.
    case broken
  }

  /// Never `pending` because of a debounce or a delay: `WatchState` has these.
  var life = AlarmLife.normal
  /// The present occurrence; `nil` while it is normal with its waits, and within the decision that begins an occurrence.
  var id: AlarmID?
  /// When it became active. A latched alarm that becomes active again keeps the time.
  var since: Instant?
  var acknowledgedAt: Instant?
  /// Until when a person wants it silent.
  var snoozedUntil: Instant?
  /// When the condition has not held for `off_delay`; `nil` while it holds.
  var offEnd: Instant?
  var choice: SoundChoice.Selection?
  /// The change that began it, or that chose its present sound.
  var cause: PendingChange?
  /// Whether the verdict on `cause` is known: the sound was heard.
  var isHeard = false
  /// Whether people may have heard it since it became active: once its sound was not muted.
  var wasAudible = false
  var sound = Sound.pausing
  /// The last sound that a device accepted.
  var heardSound: String?
  /// What it plays instead of its sound; `nil` if it plays its own.
  var substitute: AlarmSubstitute?
  /// When it is repeated next; `nil`: it sounds without a gap.
  var repetition: Instant?
  /// Whether its last repetition, or its sound at the end of a silence, was heard: the present pause counts from it.
  var isRepetitionHeard = false
  /// How often it was repeated since it became active.
  var repetitions = 0
  /// How many steps of `escalate` it has reached.
  var steps = 0
  /// When a throttled alarm becomes active, or a crowded one may try again.
  var resume: Instant?
  /// When it last started again after it had lost its voice.
  var lastRestart: Instant?
  /// What followers know of it.
  var noted = AlarmNote()
}

/// Why an alarm that would sound is silent.
package enum AlarmSilence: Equatable, Sendable {
  case snoozed(until: Instant)
  /// A value in `unless` is true.
  case gate(ValueName)
  case profile(Profile)
  /// No voice is free, or none but those of alarms that are as important.
  case crowded
  /// Its sound is not loaded.
  case broken

  /// Whether a person or a gate wants it silent.
  package var isWanted: Bool {
    switch self {
    case .snoozed, .gate, .profile: true
    case .crowded, .broken: false
    }
  }
}

/// An alarm as people see it.
package struct AlarmReport: Equatable, Sendable {
  package var name: String
  /// The present occurrence, or `nil` if the alarm is normal.
  package var id: AlarmID?
  package var life: AlarmLife
  /// When it became active or, if it is pending, when its condition began to hold.
  package var since: Instant?
  package var acknowledgedAt: Instant?
  package var snoozedUntil: Instant?
  /// Why it is silent, if its life is not normal and something silences it.
  package var silence: AlarmSilence?
  /// The value that began it.
  package var value: ValueName?
  package var importance: PlaySettings.Importance
  /// Its own volume, with its escalation; a factor.
  package var volume: Double
  /// Whether a device has accepted its sound since it became active.
  package var isHeard: Bool
  /// What it plays because its own sound cannot be played.
  package var substitute: AlarmSubstitute?

  /// The life; `snoozed` or `suppressed` if something silences an alarm that is not normal.
  package var state: AlarmState {
    if life == .normal { return .normal }
    return switch silence {
    case .snoozed: .snoozed
    case .gate, .profile: .suppressed
    case .crowded, .broken, nil: AlarmState(life)
    }
  }
}

/// What outlives soundd of an alarm. The times may lie before the start of this run.
package struct AlarmRecord: Equatable, Sendable {
  /// A value that begins to meet the condition, and waits for the end of `delay` or `debounce`.
  package struct Wait: Equatable, Sendable {
    package var value: ValueName
    package var end: Instant
    /// Its last content, if it is a number, a bool or a short text.
    package var content: Value?

    package init(value: ValueName, end: Instant, content: Value?) {
      (self.value, self.end, self.content) = (value, end, content)
    }
  }

  package var life = AlarmLife.normal
  /// The present occurrence, or `nil` if the alarm is normal or an earlier version has saved it.
  package var id: AlarmID?
  package var since: Instant?
  package var acknowledgedAt: Instant?
  package var snoozedUntil: Instant?
  /// Until when `throttle` holds it back.
  package var pendingUntil: Instant?
  /// Until when `off_delay` keeps it, although no value meets its condition.
  package var offUntil: Instant?
  /// The values that meet its condition; during `off_delay` the one that began it.
  package var values: [ValueName] = []
  /// The values that will meet it, each after a wait of its own.
  package var waits: [Wait] = []
  /// The content that began it, if it is a number, a bool or a short text.
  package var content: Value?
  /// Which sound of a table it has.
  package var sound: String?
  package var isHeard = false
  package var repetitions = 0

  package init() {}

  /// Whether there is anything to keep.
  package var isNormal: Bool { life == .normal && snoozedUntil == nil }
}
