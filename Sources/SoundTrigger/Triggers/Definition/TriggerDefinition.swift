/// One `[[trigger]]` of a configuration, checked and typed: which sound to play, and when.
///
/// Equal definitions behave alike, so a reload keeps the state of a trigger whose definition stayed the same.
package struct TriggerDefinition: Hashable, Sendable {
  /// Unique among the triggers of one engine.
  package var name: String
  /// The watched values; at least one, unless there are `patterns`. The trigger judges a change of each by itself.
  package var values: [ValueName]
  /// Makes the trigger a rule for all values that one of these or `values` names: each has a trigger of its own, a member.
  package var patterns: [ValuePattern] = []
  package var sound: SoundChoice
  package var when: Direction
  /// The old value is one of these; empty: any.
  package var from: [Value]
  /// The new value is one of these; empty: any.
  package var to: [Value]
  package var threshold: Threshold?
  /// The new value matches this.
  package var matches: Pattern?
  /// Whether the first content plays too, as a change from itself to itself. It neither increases nor decreases, but it
  /// crosses a threshold if it is beyond it.
  ///
  /// With `debounce` it waits like a change. A burst that it begins plays even if the burst ends where it began.
  /// The alarm of an event begins only with an arrival.
  package var initial: Initial
  package var timing: Timing
  /// A change of this value calls off waiting plays and stops running sounds.
  package var cancel: ValueName?
  /// While one of these values is true, the trigger decides but makes no sound.
  package var unless: [ValueName]
  /// Which plays it shares a window with; `nil`: none. Critical plays and alarms are never held back.
  package var group: Group? { didSet { traits.isGrouped = group != nil } }
  /// Makes the trigger an alarm: it sounds for as long as the condition lasts; `nil`: it plays once.
  package var loop: Loop? { didSet { traits.isAlarm = loop != nil } }
  private var traits = Traits()
  package var settings: PlaySettings
  /// What the number that is watched does to the sound, for each property once at most.
  package var mappings: [Mapping] = [] { didSet { traits.isMapped = !mappings.isEmpty } }

  package init(
    name: String, values: [ValueName], sound: SoundChoice, when: Direction = .change, from: [Value] = [],
    to: [Value] = [], threshold: Threshold? = nil, matches: Pattern? = nil, initial: Initial = .no,
    debounce: Duration? = nil, throttle: Duration? = nil, delay: Duration? = nil, cancel: ValueName? = nil,
    unless: [ValueName] = [], group: Group? = nil, overlap: Overlap = .mix, loop: Loop? = nil,
    fresh: Duration = Self.usualFreshness,
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
    timing = Timing(debounce: debounce, throttle: throttle, delay: delay, fresh: fresh, overlap: overlap)
    self.cancel = cancel
    self.unless = unless
    self.group = group
    self.loop = loop
    (traits.isAlarm, traits.isGrouped) = (loop != nil, group != nil)
    self.settings = settings
  }

  /// Whether there is a `loop`, a `group`, a `map`. Each change of a value asks, and a look at these would copy their arrays and texts.
  private struct Traits: Hashable {
    var isAlarm = false, isGrouped = false, isMapped = false
  }

  package var isAlarm: Bool { traits.isAlarm }
  package var isGrouped: Bool { traits.isGrouped }
  package var isMapped: Bool { traits.isMapped }

  package var isRule: Bool { !patterns.isEmpty }

  /// What a wish for `initial` means for this trigger. An alarm follows the state that it finds, unless it asks for a change or the
  /// user declines.
  package func initial(wish: Initial?) -> Initial {
    guard isAlarm, when != .stale, wish != .no else { return wish ?? .no }
    return from.isEmpty && when == .change ? .yes : .ifChanged
  }

  /// The values that the trigger watches, the one that cancels it, and those that silence it.
  package var concerns: [ValueName] { values + (cancel.map { [$0] } ?? []) + unless }

  /// Whether both may play for one change of a value, as far as their conditions can be compared.
  package func mayPlay(with other: TriggerDefinition) -> Bool {
    func contents(_ trigger: TriggerDefinition) -> Set<Value>? {
      if !trigger.to.isEmpty { return Set(trigger.to) }
      if case .table(let table, nil) = trigger.sound { return Set(table.keys) }
      return nil
    }
    guard (when, from, threshold, matches) == (other.when, other.from, other.threshold, other.matches) else {
      return false
    }
    guard let own = contents(self), let others = contents(other) else { return true }
    return !own.isDisjoint(with: others)
  }

  /// Every sound that the trigger may play, always in the same order.
  package var sounds: [String] {
    sound.names + (loop?.escalation.compactMap(\.sound) ?? []) + (group?.sound.map { [$0] } ?? [])
  }

  /// Whether its sounds may play at another pitch than their own.
  package var changesPitch: Bool { settings.spread || mappings.contains { $0.target == .pitch } }

  /// The default of `fresh`.
  package static let usualFreshness = Duration.milliseconds(500)

  /// When a trigger plays after a change that its conditions admit.
  package struct Timing: Hashable, Sendable {
    /// Plays when the value has been still for this long; more than 0, at most `longestInterval`.
    ///
    /// The burst counts as one change, from the content before it to the last one. If these are equal, nothing has changed,
    /// unless the value is an event.
    package var debounce: Duration?
    /// At most one play per this interval, the first; more than 0, at most `longestInterval`.
    ///
    /// The next play may come exactly an interval after the last one. A change that comes too soon is not played later,
    /// unless it begins a loop whose condition still holds then.
    package var throttle: Duration?
    /// Plays this long after the change, with the sound of the content then, unless the condition ends before; more than 0,
    /// at most `longestInterval`.
    package var delay: Duration?
    /// The trigger drops a change that cannot sound within this time; 0 or more, at most `longestInterval`. A loop is exempt.
    package var fresh: Duration
    package var overlap = Overlap.mix
  }

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

  /// What to do if a sound of the trigger still runs.
  ///
  /// The raw value is the configuration's word for it.
  package enum Overlap: String, CaseIterable, Sendable {
    /// Plays both.
    case mix
    /// Stops the old one.
    case restart
    /// Leaves out the new one.
    case ignore
    /// Plays the new one when the old one has ended; at most `longestQueue` wait.
    case queue
  }

  /// The most plays that wait with `Overlap.queue`.
  package static let longestQueue = 16

  /// Triggers whose plays are heard once if many come at once.
  package struct Group: Hashable, Sendable {
    package var name: String
    /// How long the first window is; more than 0, at most `PlayGroup.longestWindow`.
    package var within: Duration
    /// What stands for the plays that were held back; `nil`: the sound of the most important one.
    package var sound: String?

    package init(name: String, within: Duration = Self.usualWindow, sound: String? = nil) {
      self.name = name
      self.within = within
      self.sound = sound
    }

    package static let usualWindow = Duration.seconds(10)
    package static let windows = Duration.milliseconds(1)...PlayGroup.longestWindow
  }

  /// How an alarm sounds while its condition lasts, and how it ends.
  package struct Loop: Hashable, Sendable {
    /// From one beginning of the sound to the next, each `shortestRepetition` to `longestInterval`; the last one stays. Empty: it
    /// repeats without a gap.
    package var every: [Duration]
    /// After so long it counts as acknowledged; more than 0, at most `longestInterval`.
    package var limit: Duration?
    /// Whether it sounds until somebody acknowledges it, also if the condition ends before.
    package var latch: Bool
    /// The condition has ended only when it has not held for so long; more than 0, at most `longestInterval`.
    package var offDelay: Duration?
    /// It is active again so long after it was acknowledged; more than 0, at most `longestInterval`.
    package var realarm: Duration?
    /// In the order of their times.
    package var escalation: [Escalation]

    package init(
      every: [Duration] = [], limit: Duration? = nil, latch: Bool = false, offDelay: Duration? = nil,
      realarm: Duration? = nil, escalation: [Escalation] = []
    ) {
      self.every = every
      self.limit = limit
      self.latch = latch
      self.offDelay = offDelay
      self.realarm = realarm
      self.escalation = escalation
    }
  }

  /// What changes if nobody has acknowledged an alarm; `nil`: it stays as it was.
  package struct Escalation: Hashable, Sendable {
    /// From when the alarm became active; more than 0, at most `longestInterval`.
    package var after: Duration
    /// A factor, 0 to 1.
    package var volume: Double?
    package var sound: String?
    package var importance: PlaySettings.Importance?

    package init(
      after: Duration, volume: Double? = nil, sound: String? = nil, importance: PlaySettings.Importance? = nil
    ) {
      self.after = after
      self.volume = volume
      self.sound = sound
      self.importance = importance
    }
  }
}

/// Which sound a change plays.
package enum SoundChoice: Hashable, Sendable {
  /// Always this one.
  case sound(String)
  /// One of these; at least one.
  case list([String], Pick)
  /// The one beside the new value, else `otherwise`, else none.
  case table([Value: String], otherwise: String?)

  /// How the trigger picks one of a list.
  ///
  /// The raw value is the configuration's word for it.
  package enum Pick: String, CaseIterable, Sendable {
    case random
    /// One after the other, and the first again after the last.
    case cycle
  }

  /// The choice of one value.
  enum Selection: Hashable, Sendable {
    case sound(String)
    /// The one after the last played one.
    case next([String])
    /// Any of these.
    case any([String])

    /// The sound of this play. `position` is the place of the last one in the list, counted from 1; 0: none has played.
    @inline(__always)
    func sound(position: inout Int, _ random: inout SplitMix64) -> String {
      switch self {
      case .sound(let name):
        position += 1
        return name
      case .next(let names):
        position += 1
        return names[(position - 1) % names.count]
      case .any(let names):
        // Never the same sound twice in a row, if there is another one.
        let last = position == 0 ? nil : names[(position - 1) % names.count]
        let index = random.index(of: names) { $0 == last }
        position = index + 1
        return names[index]
      }
    }
  }

  /// The choice for a new value; `nil` if it has no sound. `value` is `nil` if there is no content.
  @inline(__always)
  subscript(value: Value?) -> Selection? {
    switch self {
    case .sound(let name): .sound(name)
    case .list(let names, .cycle): .next(names)
    case .list(let names, .random): .any(names)
    case .table(let sounds, let otherwise): (value.flatMap { sounds[$0] } ?? otherwise).map { .sound($0) }
    }
  }

  /// Whether the sound depends on the value.
  var isTable: Bool { if case .table = self { true } else { false } }

  /// The names of all sounds of the choice, always in the same order.
  package var names: [String] {
    switch self {
    case .sound(let name): [name]
    case .list(let names, _): names
    case .table(let sounds, let otherwise): Set(sounds.values).sorted() + (otherwise.map { [$0] } ?? [])
    }
  }
}

/// A line that a number crosses. With both `above` and `below` there are two lines, and the number leaves the corridor
/// between them.
///
/// An appearance crosses nothing. A crossing counts even if another condition or the throttle refuses the play. Each of
/// two lines is armed by itself, so a jump from beyond one to beyond the other crosses the other.
package struct Threshold: Hashable, Sendable {
  /// Fires when the number rises above this.
  package var above: Double?
  /// Fires when the number falls below this; less than `above` if both are set.
  package var below: Double?
  /// How far the number must go back past a line before it can cross that line again; 0 or more.
  package var hysteresis: Double

  package init(above: Double? = nil, below: Double? = nil, hysteresis: Double = 0) {
    self.above = above
    self.below = below
    self.hysteresis = hysteresis
  }
}
