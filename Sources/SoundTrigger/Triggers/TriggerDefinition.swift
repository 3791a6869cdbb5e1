/// What somebody wants to hear, and when: one `[[trigger]]` of a configuration, checked and typed.
///
/// Equal definitions behave alike, so a reload keeps the state of a trigger whose definition stayed the same.
package struct TriggerDefinition: Hashable, Sendable {
  /// Unique among the triggers of one engine.
  package var name: String
  /// The watched values, at least one: a change of any of them is judged by itself.
  package var values: [ValueName]
  package var sound: SoundChoice
  package var when: Direction
  /// The old value is one of these; empty: any.
  package var from: [Value]
  /// The new value is one of these; empty: any.
  package var to: [Value]
  package var threshold: Threshold?
  /// The new value matches this.
  package var matches: Pattern?
  /// Whether the first content plays too, as a change from itself to itself; it can neither increase nor decrease, but
  /// it may begin beyond the threshold.
  ///
  /// With `debounce` it waits like a change, and a burst that it begins plays even if it ends where it began.
  package var initial: Initial
  /// Plays when the value has been still for this long; more than 0, at most `longestInterval`.
  ///
  /// The burst counts as one change from the value before it to the last one. If these are equal it is none, unless the
  /// value is an event.
  package var debounce: Duration?
  /// At most one play per this interval, the first; more than 0, at most `longestInterval`.
  ///
  /// Exactly an interval after the last play the next one may come. What came too soon is not played later.
  package var throttle: Duration?
  /// Plays this long after the change, unless its condition ends before; more than 0, at most `longestInterval`.
  package var delay: Duration?
  /// The value of which any change calls off what waits and ends what sounds; so does its first content if a client sets
  /// it, who means to do something, but not one that is found in a file.
  package var cancel: ValueName?
  package var overlap: Overlap
  /// Sounds for as long as the condition lasts; `nil`: once.
  package var loop: Loop?
  /// A change that could not sound within this time is dropped; 0 or more, at most `longestInterval`.
  package var fresh: Duration
  package var settings: PlaySettings

  package init(
    name: String, values: [ValueName], sound: SoundChoice, when: Direction = .change, from: [Value] = [],
    to: [Value] = [], threshold: Threshold? = nil, matches: Pattern? = nil, initial: Initial = .no,
    debounce: Duration? = nil, throttle: Duration? = nil, delay: Duration? = nil, cancel: ValueName? = nil,
    overlap: Overlap = .mix, loop: Loop? = nil, fresh: Duration = Self.usualFreshness,
    settings: PlaySettings = PlaySettings()
  ) {
    self.name = name
    self.values = values
    self.sound = sound
    self.when = when
    self.from = from
    self.to = to
    self.threshold = threshold
    self.matches = matches
    self.initial = initial
    self.debounce = debounce
    self.throttle = throttle
    self.delay = delay
    self.cancel = cancel
    self.overlap = overlap
    self.loop = loop
    self.fresh = fresh
    self.settings = settings
  }

  /// Every value that the trigger has to do with: those it watches and the one that cancels it.
  package var concerns: [ValueName] { values + (cancel.map { [$0] } ?? []) }

  /// `fresh` of who says nothing about it.
  package static let usualFreshness = Duration.milliseconds(500)

  /// What must happen to a value.
  ///
  /// The raw value is the configuration's word for it.
  package enum Direction: String, CaseIterable, Sendable {
    case change, increase, decrease
    /// Nothing, for longer than the value's `expect_every`.
    case stale
  }

  /// Whether the first content plays.
  package enum Initial: Hashable, Sendable {
    case no
    case yes
    /// If it differs from the one known when soundd last stopped.
    case ifChanged
  }

  /// What is to be done if a sound of the trigger still runs.
  ///
  /// The raw value is the configuration's word for it.
  package enum Overlap: String, CaseIterable, Sendable {
    /// Both are heard.
    case mix
    /// The old one ends.
    case restart
    /// The new one is left out.
    case ignore
    /// The new one waits for its turn; at most `longestQueue` do.
    case queue
  }

  /// The most plays that wait with `Overlap.queue`.
  package static let longestQueue = 16

  /// How a trigger sounds while its condition lasts.
  package struct Loop: Hashable, Sendable {
    /// From one beginning of the sound to the next; `nil`: one without a gap after the other. `shortestRepetition` to
    /// `longestInterval`.
    package var every: Duration?
    /// When it gives up; more than 0, at most `longestInterval`.
    package var limit: Duration?

    package init(every: Duration? = nil, limit: Duration? = nil) {
      self.every = every
      self.limit = limit
    }
  }
}

/// Which sound a change plays.
package enum SoundChoice: Hashable, Sendable {
  /// Always this one.
  case sound(String)
  /// One of these, of which there is at least one.
  case list([String], Pick)
  /// The one beside the new value, else `otherwise`, else none.
  case table([Value: String], otherwise: String?)

  /// How one of a list is found.
  ///
  /// The raw value is the configuration's word for it.
  package enum Pick: String, CaseIterable, Sendable {
    case random
    /// One after the other, and the first again after the last.
    case cycle
  }
}

/// A line that a number crosses, or with `above` and `below` both set two lines with a corridor between them, which it
/// must not leave.
///
/// The first number is not a crossing. A crossing counts even if another condition or the throttle refuses the play. Of
/// two lines each is armed by itself, so a jump from beyond one to beyond the other crosses the other.
package struct Threshold: Hashable, Sendable {
  /// Fires when the number comes to lie above this.
  package var above: Double?
  /// Fires when the number comes to lie below this; less than `above` if both are set.
  package var below: Double?
  /// How far the number must go back past a line before it can cross that line again; 0 or more.
  package var hysteresis: Double

  package init(above: Double? = nil, below: Double? = nil, hysteresis: Double = 0) {
    self.above = above
    self.below = below
    self.hysteresis = hysteresis
  }
}
