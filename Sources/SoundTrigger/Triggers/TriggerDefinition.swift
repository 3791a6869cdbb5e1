/// What somebody wants to hear, and when: one `[[trigger]]` of a configuration, checked and typed.
///
/// Equal definitions behave alike, so a reload keeps the state of a trigger whose definition stayed the same.
package struct TriggerDefinition: Hashable, Sendable {
  /// Unique among the triggers of one engine.
  package var name: String
  /// The watched value.
  package var value: ValueName
  package var sound: SoundChoice
  package var when: Direction
  /// The old value is one of these; empty: any.
  package var from: [Value]
  /// The new value is one of these; empty: any.
  package var to: [Value]
  package var threshold: Threshold?
  /// Whether the first content plays too, as a change from itself to itself; it can neither increase nor decrease, but
  /// it may begin beyond the threshold.
  ///
  /// With `debounce` it waits like a change, and a burst that it begins plays even if it ends where it began.
  package var initial: Bool
  /// Plays when the value has been still for this long; more than 0, at most `longestInterval`.
  ///
  /// The burst counts as one change from the value before it to the last one. If these are equal it is none, unless the
  /// value is an event.
  package var debounce: Duration?
  /// At most one play per this interval, the first; more than 0, at most `longestInterval`.
  ///
  /// Exactly an interval after the last play the next one may come. What came too soon is not played later.
  package var throttle: Duration?
  package var settings: PlaySettings

  package init(
    name: String, value: ValueName, sound: SoundChoice, when: Direction = .change, from: [Value] = [],
    to: [Value] = [], threshold: Threshold? = nil, initial: Bool = false, debounce: Duration? = nil,
    throttle: Duration? = nil, settings: PlaySettings = PlaySettings()
  ) {
    self.name = name
    self.value = value
    self.sound = sound
    self.when = when
    self.from = from
    self.to = to
    self.threshold = threshold
    self.initial = initial
    self.debounce = debounce
    self.throttle = throttle
    self.settings = settings
  }

  /// Which way a value must go.
  ///
  /// The raw value is the configuration's word for it.
  package enum Direction: String, CaseIterable, Sendable { case change, increase, decrease }
}

/// Which sound a change plays.
package enum SoundChoice: Hashable, Sendable {
  /// Always this one.
  case sound(String)
  /// The one beside the new value, else `otherwise`, else none.
  case table([Value: String], otherwise: String?)
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
