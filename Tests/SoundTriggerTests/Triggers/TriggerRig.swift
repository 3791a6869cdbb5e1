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

  /// What an engine asked to end.
  struct Stop: Equatable {
    var trigger: String
    var at: Int64
  }

  var engine: TriggerEngine
  /// What becomes of each play.
  var answer = Verdict.played
  private(set) var plays: [Play] = []
  private(set) var stops: [Stop] = []
  /// Of each play whether it was to sound without a gap.
  private(set) var gapless: [Bool] = []
  /// Of each trigger how many sounds run that were not told to end.
  private(set) var sounding: [String: Int] = [:]
  private var contents: [ValueID: Value] = [:]

  init(_ definitions: TriggerDefinition...) { self.init(definitions) }

  init(_ definitions: [TriggerDefinition], seed: UInt64 = 0) {
    engine = TriggerEngine(definitions: definitions, resolve: Self.id, isEvent: Self.isEvent, seed: seed)
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
    decide { $0.process(change, at: Instant(milliseconds), $1) }
  }

  /// Has a value appear anew.
  mutating func appear(_ value: Value, at milliseconds: Int64, name: ValueName = .v0, differsFromLastRun: Bool = false)
  {
    let id = Self.id(name)
    contents[id] = value
    let change = Change(
      value: id, old: value, new: value, isAppearance: true, differsFromLastRun: differsFromLastRun)
    process(change, at: milliseconds)
  }

  mutating func advance(to milliseconds: Int64) { decide { $0.advance(to: Instant(milliseconds), $1) } }

  mutating func becomeStale(at milliseconds: Int64, name: ValueName = .v0) {
    let id = Self.id(name)
    let last = contents[id]
    decide { $0.becameStale(id, last: last, at: Instant(milliseconds), $1) }
  }

  mutating func report(at milliseconds: Int64, name: ValueName = .v0) {
    decide { $0.reported(Self.id(name), at: Instant(milliseconds), $1) }
  }

  mutating func endSound(at milliseconds: Int64, _ index: Int = 0) {
    decide { $0.soundEnded(TriggerID(index: index), at: Instant(milliseconds), $1) }
  }

  mutating func callOff(at milliseconds: Int64, _ index: Int = 0) {
    decide { $0.callOff(TriggerID(index: index), at: Instant(milliseconds), $1) }
  }

  mutating func setProfile(_ profile: Profile, at milliseconds: Int64) {
    decide { $0.setProfile(profile, at: Instant(milliseconds), $1) }
  }

  mutating func retryLoops(at milliseconds: Int64) { decide { $0.retryLoops(at: Instant(milliseconds), $1) } }

  mutating func reload(_ definitions: [TriggerDefinition], at milliseconds: Int64 = 0) {
    decide {
      $0.replace(
        definitions: definitions, resolve: Self.id, isEvent: Self.isEvent, at: Instant(milliseconds), $1)
    }
  }

  /// The names of the sounds that were played.
  var sounds: [String] { plays.map(\.sound) }

  /// When something was played.
  var times: [Int64] { plays.map(\.at) }

  func counters(_ index: Int = 0) -> TriggerCounters { engine.counters(of: TriggerID(index: index)) }

  var verdict: Verdict? { counters().lastVerdict }

  /// What became of the last changes, the oldest first.
  func verdicts(_ index: Int = 0) -> [Verdict] {
    engine.judgedChanges(of: TriggerID(index: index)).map(\.verdict)
  }

  func activity(_ index: Int = 0) -> TriggerActivity { engine.activity(of: TriggerID(index: index)) }

  private mutating func decide(_ body: (inout TriggerEngine, (TriggerAction) -> Verdict) -> Void) {
    let (definitions, sounds, answer) = (engine.definitions, engine.sounds, answer)
    // The actions of a reload use the names from before it.
    var actions: [TriggerAction] = []
    body(&engine) {
      actions.append($0)
      return answer
    }
    for action in actions { record(action, definitions, sounds) }
  }

  private mutating func record(_ action: TriggerAction, _ definitions: [TriggerDefinition], _ sounds: [String]) {
    switch action {
    case .stop(let trigger, let at):
      let name = definitions[trigger.index].name
      stops.append(Stop(trigger: name, at: at.nanoseconds / 1_000_000))
      sounding[name] = 0
    case .play(let trigger, let sound, _, let loops, let at):
      let name = definitions[trigger.index].name
      plays.append(Play(trigger: name, sound: sounds[sound.index], at: at.nanoseconds / 1_000_000))
      gapless.append(loops)
      sounding[name, default: 0] += 1
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
  /// A trigger on `v0` that plays `ding`, unless told otherwise, and that is never too late.
  static func test(
    name: String = "t", value: ValueName = .v0, sound: SoundChoice = .sound("ding"), when: Direction = .change,
    from: [Value] = [], to: [Value] = [], above: Double? = nil, below: Double? = nil, hysteresis: Double = 0,
    initial: Bool = false, debounce: Duration? = nil, throttle: Duration? = nil, delay: Duration? = nil,
    cancel: ValueName? = nil, overlap: Overlap = .mix, loop: Loop? = nil, fresh: Duration = longestInterval,
    importance: PlaySettings.Importance = .normal
  ) -> TriggerDefinition {
    let needsThreshold = above != nil || below != nil || hysteresis != 0
    let threshold = needsThreshold ? Threshold(above: above, below: below, hysteresis: hysteresis) : nil
    return TriggerDefinition(
      name: name, values: [value], sound: sound, when: when, from: from, to: to, threshold: threshold,
      initial: initial ? .yes : .no, debounce: debounce, throttle: throttle, delay: delay, cancel: cancel,
      overlap: overlap, loop: loop, fresh: fresh, settings: PlaySettings(importance: importance))
  }
}
