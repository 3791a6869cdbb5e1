import SoundTrigger
import Testing

/// An engine with a small store in front and a player behind: the first content of a value is its appearance, an equal
/// one is no change, and each play is answered at once.
///
/// Times are milliseconds.
struct TriggerRig {
  /// A play that the engine decided on.
  struct Play: Equatable, CustomStringConvertible {
    var trigger: String
    var sound: String
    var at: Int64
    var description: String { "\(at) ms: \(trigger) plays \(sound)" }
  }

  /// The stop of one play.
  struct Stop: Equatable {
    var trigger: String
    var at: Int64
  }

  /// What becomes of a play.
  enum Answer {
    case heard, muted
    case refused(PlayEvent.Refusal)
    /// Nothing yet.
    case later
  }

  var engine: TriggerEngine
  var answer = Answer.heard
  private(set) var plays: [Play] = []
  private(set) var stops: [Stop] = []
  private(set) var causesOfStops: [StopCause] = []
  /// The changes that the plays answer to.
  private(set) var causes: [Cause?] = []
  /// Of each play whether it was to sound without a gap.
  private(set) var gapless: [Bool] = []
  /// Of each play whether it was to spare equally important sounds.
  private(set) var sparing: [Bool] = []
  private(set) var settings: [PlaySettings] = []
  private(set) var adjusted: [PlaySettings] = []
  private(set) var finished: [String] = []
  /// The plays that have not ended, with those that fade, in the order in which they began.
  private(set) var running: [(play: SoundTrigger.Play, isStopping: Bool)] = []
  private var contents: [ValueID: Value] = [:]
  private let profileGates: [ValueName: Profile]

  init(_ definitions: TriggerDefinition...) { self.init(definitions) }

  init(_ definitions: [TriggerDefinition], profileGates: [ValueName: Profile] = [:], seed: UInt64 = 0) {
    self.profileGates = profileGates
    engine = TriggerEngine(
      definitions: definitions, resolve: Self.id, isEvent: Self.isEvent, profileGates: profileGates, seed: seed)
  }

  /// The place of a value. Those of the kind `event` are called `e0`, `e1` and so on, all others `v0`, `v1`.
  static func id(_ name: ValueName) -> ValueID {
    let number = Int(name.description.dropFirst()) ?? 0
    return ValueID(index: 2 * number + (name.description.hasPrefix("e") ? 1 : 0))
  }

  static func isEvent(_ value: ValueID) -> Bool { !value.index.isMultiple(of: 2) }

  // MARK: What happens

  /// Sets a value.
  mutating func set(_ value: Value, at milliseconds: Int64, name: ValueName = .v0) {
    set([(name, value)], at: milliseconds)
  }

  /// Sets one number after the other, a millisecond apart.
  mutating func set(_ numbers: [Double], from start: Int64 = 0) {
    for (offset, number) in numbers.enumerated() { set(.number(number), at: start + Int64(offset)) }
  }

  /// Sets values in one transaction.
  mutating func set(_ members: [(ValueName, Value)], at milliseconds: Int64) {
    var changes: [Change] = []
    for (name, value) in members {
      let id = Self.id(name)
      let old = contents.updateValue(value, forKey: id)
      if old == value, !Self.isEvent(id) { continue }
      changes.append(Change(value: id, old: old ?? value, new: value, isAppearance: old == nil))
    }
    process(changes, at: milliseconds)
  }

  mutating func process(_ changes: Change..., at milliseconds: Int64) { process(changes, at: milliseconds) }

  mutating func process(_ changes: [Change], at milliseconds: Int64) {
    engine.receive(changes, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  /// Lets a value begin at nothing, and takes its first content.
  mutating func setFirst(_ value: Value, at milliseconds: Int64, name: ValueName = .v0) {
    let id = Self.id(name)
    contents[id] = value
    process(Change(value: id, old: nil, new: value), at: milliseconds)
  }

  /// Lets a value appear anew.
  mutating func appear(_ value: Value, at milliseconds: Int64, name: ValueName = .v0, differsFromLastRun: Bool = false)
  {
    let id = Self.id(name)
    contents[id] = value
    process(
      Change(value: id, old: value, new: value, isAppearance: true, differsFromLastRun: differsFromLastRun),
      at: milliseconds)
  }

  mutating func advance(to milliseconds: Int64) {
    engine.advance(to: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func becomeStale(at milliseconds: Int64, name: ValueName = .v0) {
    let id = Self.id(name)
    engine.becameStale(id, last: contents[id], at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func report(at milliseconds: Int64, name: ValueName = .v0) {
    engine.reported(Self.id(name), at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func callOff(at milliseconds: Int64, _ index: Int = 0) {
    engine.callOff(TriggerID(index: index), at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func stopSounds(at milliseconds: Int64) {
    engine.stopSounds(by: .hand, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func finishAlarms(at milliseconds: Int64) {
    engine.finishAlarms(at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func becomeAudible(_ index: Int, at milliseconds: Int64) {
    engine.becameAudible(TriggerID(index: index), at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func setProfile(_ profile: Profile, at milliseconds: Int64) {
    engine.setProfile(profile, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func setBroken(_ sounds: Set<String>, at milliseconds: Int64) {
    setMissing(MissingSounds(broken: sounds), at: milliseconds)
  }

  mutating func setMissing(_ sounds: MissingSounds, at milliseconds: Int64) {
    engine.setMissingSounds(sounds, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  // MARK: Alarms

  @discardableResult
  mutating func acknowledge(at milliseconds: Int64, _ index: Int = 0) -> Bool {
    let didAcknowledge = engine.acknowledge(TriggerID(index: index), at: Instant(milliseconds))
    perform(at: milliseconds)
    return didAcknowledge
  }

  /// Snoozes an alarm; `nil` ends its snooze.
  mutating func snooze(until end: Int64?, at milliseconds: Int64, _ index: Int = 0) {
    engine.snooze(TriggerID(index: index), until: end.map { Instant($0) }, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  /// A value loses its content.
  mutating func unset(at milliseconds: Int64, name: ValueName = .v0) {
    contents[Self.id(name)] = nil
    engine.forget(Self.id(name), at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  /// A value is read in another way, and has no content yet.
  mutating func readAnew(at milliseconds: Int64, name: ValueName = .v0) {
    contents[Self.id(name)] = nil
    engine.readAnew(Self.id(name), at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  mutating func returnDevice(at milliseconds: Int64) {
    engine.deviceReturned(at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  /// Ends this run and begins another one, which knows no content yet. `definitions`: those of the next run, if they are others.
  mutating func restart(_ definitions: [TriggerDefinition]? = nil, at milliseconds: Int64) {
    let records = engine.definitions.indices.map { index in
      (engine.definitions[index].name, engine.alarmRecord(of: TriggerID(index: index)))
    }
    engine = TriggerEngine(
      definitions: definitions ?? engine.definitions, resolve: Self.id, isEvent: Self.isEvent,
      profileGates: profileGates)
    (contents, running) = ([:], [])
    engine.advance(to: Instant(milliseconds))
    for (name, record) in records {
      if let record { engine.restore(record, of: name, at: Instant(milliseconds)) }
    }
    engine.resumeAlarms(at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  func alarm(_ index: Int = 0) -> AlarmReport? { engine.alarm(TriggerID(index: index)) }

  @discardableResult
  mutating func reload(_ definitions: [TriggerDefinition], at milliseconds: Int64 = 0) -> [String] {
    let contents = contents
    let lost = engine.replace(
      definitions: definitions, resolve: Self.id, isEvent: Self.isEvent, profileGates: profileGates,
      contents: { contents[$0] }, at: Instant(milliseconds))
    perform(at: milliseconds)
    return lost
  }

  // MARK: What becomes of plays

  /// Ends the oldest play of a trigger that was not told to stop, or else the oldest that fades.
  mutating func endSound(at milliseconds: Int64, _ index: Int = 0, _ ending: PlayEvent.Ending = .finished) {
    let name = engine.definitions[index].name
    let own = running.indices.filter { running[$0].play.trigger == name }
    guard let place = own.first(where: { !running[$0].isStopping }) ?? own.first else { return }
    end(running[place].play, ending, at: milliseconds)
  }

  /// Ends the oldest play of a trigger that fades.
  mutating func endFade(at milliseconds: Int64, _ index: Int = 0) {
    let name = engine.definitions[index].name
    guard let fading = running.first(where: { $0.play.trigger == name && $0.isStopping }) else { return }
    end(fading.play, .stopped(by: .hand), at: milliseconds)
  }

  private mutating func end(_ play: SoundTrigger.Play, _ ending: PlayEvent.Ending, at milliseconds: Int64) {
    running.removeAll { $0.play.id == play.id }
    tell(.ended(play, ending), at: milliseconds)
  }

  /// Answers the oldest play that waits for its answer (`Answer.later`).
  mutating func answer(_ answer: Answer, to play: SoundTrigger.Play, at milliseconds: Int64) {
    respond(answer, to: play, at: milliseconds)
    perform(at: milliseconds)
  }

  /// Reports an event as it is.
  mutating func tell(_ event: PlayEvent, at milliseconds: Int64) {
    engine.receive(event, at: Instant(milliseconds))
    perform(at: milliseconds)
  }

  /// Performs all decisions and answers the plays, until nothing is left.
  private mutating func perform(at milliseconds: Int64) {
    while !engine.decisions.isEmpty {
      let decisions = engine.decisions
      engine.removeDecisions()
      for decision in decisions {
        switch decision {
        case .play(let play):
          plays.append(
            Play(trigger: play.trigger ?? "", sound: play.sound, at: play.at.nanoseconds / 1_000_000))
          causes.append(play.cause)
          gapless.append(play.loops)
          sparing.append(play.spareEquals)
          settings.append(play.settings)
          running.append((play, false))
          respond(answer, to: play, at: milliseconds)
        case .stop(let id, let cause, let at):
          guard let place = running.firstIndex(where: { $0.play.id == id }) else { continue }
          running[place].isStopping = true
          stops.append(Stop(trigger: running[place].play.trigger ?? "", at: at.nanoseconds / 1_000_000))
          causesOfStops.append(cause)
        case .finish(let id):
          if let play = running.first(where: { $0.play.id == id })?.play { finished.append(play.trigger ?? "") }
        case .adjust(_, let settings): adjusted.append(settings)
        }
      }
    }
  }

  private mutating func respond(_ answer: Answer, to play: SoundTrigger.Play, at milliseconds: Int64) {
    switch answer {
    case .heard: engine.receive(.heard(play, isMuted: false), at: Instant(milliseconds))
    case .muted: engine.receive(.heard(play, isMuted: true), at: Instant(milliseconds))
    case .refused(let refusal):
      running.removeAll { $0.play.id == play.id }
      engine.receive(.refused(play, refusal), at: Instant(milliseconds))
    case .later: break
    }
  }

  // MARK: What is known

  /// Of each trigger how many plays run that were not told to stop.
  var sounding: [String: Int] {
    var counts: [String: Int] = [:]
    for (play, isStopping) in running where !isStopping { counts[play.trigger ?? "", default: 0] += 1 }
    return counts
  }

  /// The names of the sounds that were played.
  var sounds: [String] { plays.map(\.sound) }

  /// When something was played.
  var times: [Int64] { plays.map(\.at) }

  func counters(_ index: Int = 0) -> TriggerCounters { engine.counters(of: TriggerID(index: index)) }

  var verdict: Verdict? { counters().lastVerdict }

  /// The verdicts on the last changes, the oldest first.
  func verdicts(_ index: Int = 0) -> [Verdict] {
    engine.judgedChanges(of: TriggerID(index: index)).map(\.verdict)
  }

  func activity(_ index: Int = 0) -> TriggerActivity { engine.activity(of: TriggerID(index: index)) }
}

extension Instant {
  init(_ milliseconds: Int64) { self.init(nanoseconds: milliseconds * 1_000_000) }
}

extension ValueName {
  static let v0 = name("v0")
  static let v1 = name("v1")
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
    cancel: ValueName? = nil, unless: [ValueName] = [], overlap: Overlap = .mix, loop: Loop? = nil,
    fresh: Duration = longestInterval, importance: PlaySettings.Importance = .normal
  ) -> TriggerDefinition {
    let needsThreshold = above != nil || below != nil || hysteresis != 0
    let threshold = needsThreshold ? Threshold(above: above, below: below, hysteresis: hysteresis) : nil
    return TriggerDefinition(
      name: name, values: [value], sound: sound, when: when, from: from, to: to, threshold: threshold,
      initial: initial ? .yes : .no, debounce: debounce, throttle: throttle, delay: delay, cancel: cancel,
      unless: unless, overlap: overlap, loop: loop, fresh: fresh, settings: PlaySettings(importance: importance))
  }
}
