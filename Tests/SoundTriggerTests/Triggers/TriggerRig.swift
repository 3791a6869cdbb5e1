import SoundTrigger
import Testing

/// An engine with a small store in front: the first content of a value is its appearance, an equal one is no change.
struct TriggerRig {
  /// What an engine asked for, with names in place of numbers.
  ///
  /// Times are milliseconds.
  struct Play: Equatable, CustomStringConvertible {
    var trigger: String
    var sound: String
    var at: Int64
    var description: String { "\(at) ms: \(trigger) plays \(sound)" }
  }

  var engine: TriggerEngine
  private(set) var plays: [Play] = []
  private var contents: [ValueID: Value] = [:]

  init(_ definitions: TriggerDefinition...) { self.init(definitions) }

  init(_ definitions: [TriggerDefinition]) {
    engine = TriggerEngine(definitions: definitions, resolve: Self.id, isEvent: Self.isEvent)
  }

  /// The place of a value; those of the kind `event` are called `e0`, `e1` and so on, all others `v0`, `v1`.
  static func id(_ name: ValueName) -> ValueID {
    let number = Int(name.description.dropFirst()) ?? 0
    return ValueID(index: 2 * number + (name.description.hasPrefix("e") ? 1 : 0))
  }

  static func isEvent(_ value: ValueID) -> Bool { !value.index.isMultiple(of: 2) }

  /// Sets a value.
  mutating func set(_ value: Value, at milliseconds: Int64, name: ValueName = .v0) {
    let id = Self.id(name)
    let old = contents.updateValue(value, forKey: id)
    if old == value, !Self.isEvent(id) { return }
    process(Change(value: id, old: old ?? value, new: value, isAppearance: old == nil), at: milliseconds)
  }

  /// Sets one number after the other, a millisecond apart.
  mutating func set(_ numbers: [Double], from start: Int64 = 0) {
    for (offset, number) in numbers.enumerated() { set(.number(number), at: start + Int64(offset)) }
  }

  mutating func process(_ change: Change, at milliseconds: Int64) {
    var actions: [TriggerAction] = []
    engine.process(change, at: Instant(milliseconds)) {
      actions.append($0)
      return .played
    }
    record(actions)
  }

  mutating func advance(to milliseconds: Int64) {
    var actions: [TriggerAction] = []
    engine.advance(to: Instant(milliseconds)) {
      actions.append($0)
      return .played
    }
    record(actions)
  }

  mutating func reload(_ definitions: [TriggerDefinition]) {
    engine.replace(definitions: definitions, resolve: Self.id, isEvent: Self.isEvent)
  }

  /// The names of the sounds that were played.
  var sounds: [String] { plays.map(\.sound) }

  /// When something was played.
  var times: [Int64] { plays.map(\.at) }

  func counters(_ index: Int = 0) -> TriggerCounters { engine.counters(of: TriggerID(index: index)) }

  var verdict: Verdict? { counters().lastVerdict }

  private mutating func record(_ actions: [TriggerAction]) {
    for action in actions {
      switch action {
      case .play(let trigger, let sound, _, let at):
        let name = engine.definitions[trigger.index].name
        plays.append(Play(trigger: name, sound: engine.sounds[sound.index], at: at.nanoseconds / 1_000_000))
      }
    }
  }
}

extension Instant {
  init(_ milliseconds: Int64) { self.init(nanoseconds: milliseconds * 1_000_000) }
}

extension ValueName {
  static let v0 = name("v0")
  static let e0 = name("e0")

  static func name(_ text: String) -> ValueName {
    guard let name = ValueName(text) else { preconditionFailure("\(text) is no name") }
    return name
  }
}

extension Value {
  static func utf8(_ string: String) -> Value { .text(Array(string.utf8)) }
}

extension TriggerDefinition {
  /// A trigger on `v0` that plays `ding`, unless told otherwise.
  static func test(
    name: String = "t", value: ValueName = .v0, sound: SoundChoice = .sound("ding"), when: Direction = .change,
    from: [Value] = [], to: [Value] = [], above: Double? = nil, below: Double? = nil, hysteresis: Double = 0,
    initial: Bool = false, debounce: Duration? = nil, throttle: Duration? = nil
  ) -> TriggerDefinition {
    let needsThreshold = above != nil || below != nil || hysteresis != 0
    let threshold = needsThreshold ? Threshold(above: above, below: below, hysteresis: hysteresis) : nil
    return TriggerDefinition(
      name: name, value: value, sound: sound, when: when, from: from, to: to, threshold: threshold, initial: initial,
      debounce: debounce, throttle: throttle)
  }
}
