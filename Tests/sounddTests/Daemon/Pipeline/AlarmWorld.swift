import SoundWire
@testable import SoundTrigger
@testable import soundd

/// A random configuration and what happens to it: a real pipeline, player and mixer on a device that comes and goes.
///
/// Everything lasts a multiple of 5 ms.
final class AlarmWorld {
  static let voices = 4
  static let texts = ["v0", "v1", "v2"], numbers = ["n0", "n1"], gates = ["g0", "g1", "p0"]
  private static let events = ["e0", "e1", "e2"]
  /// What the civil clock shows at the beginning.
  private static let civilStart = 1_790_000_000_000

  var random: SplitMix64
  var specs: [AlarmSpec] = []
  var alarms: [NaiveAlarm] = []
  var pipeline: Pipeline
  var output = DrivenOutput(voices: voices)
  var now = 0
  /// What is wrong; `nil`: nothing yet.
  var problem: String?
  /// The configuration at first, and what has happened since.
  var start = ""
  var log: [String] = []
  /// How often a critical alarm was found to sound, and to have no voice because others had them all.
  var (heard, crowded) = (0, 0)
  /// How far the civil clock is ahead of the clock of the run.
  var civilAhead = civilStart
  var contents: [String: String] = [:]
  var broken: Set<String> = []
  /// The broken sounds that have no earlier clip.
  var lost: Set<String> = []
  var profile = Profile.full
  var count = 0
  /// When a voice of an alarm was last there, since it became active and unsilenced.
  var lastHeard: [String: Int] = [:]
  var throttleEnds: [String: Int] = [:]
  /// Since when the machine slept; `nil`: it did not.
  var sleptSince: Int?

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    pipeline = try Pipeline(Configuration(), player: Player(output))
    specs = (0..<4 + random.below(4)).map { randomSpec("a\($0)") }
    alarms = specs.map { NaiveAlarm($0) }
    start = toml
    pipeline = try makePipeline()
    setSounds()
  }

  var instant: Instant { Self.time(now) }
  static func time(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  // MARK: Chance

  func chance(_ percent: Int) -> Bool { random.below(100) < percent }
  func pick<T>(_ choices: [T]) -> T { choices[random.below(choices.count)] }
  /// A time, seldom a long one.
  func time(_ longest: Int = 200) -> Int { 5 * (1 + random.below(chance(10) ? longest : longest / 5)) }
  func some(_ choices: [String]) -> [String] { Array(choices.shuffled(using: &random).prefix(1 + random.below(2))) }

  func randomSpec(_ name: String) -> AlarmSpec {
    let isText = chance(60)
    var spec = AlarmSpec(
      name: name, values: some(isText ? Self.texts : Self.numbers),
      to: isText ? (chance(50) ? ["on"] : ["on", "alert"]) : [])
    if chance(25), isText, spec.values.count == 1 { spec.isTable = true }
    if chance(15) { spec.debounce = time() }
    if chance(20) { spec.delay = time() }
    if chance(15) { spec.throttle = time(400) }
    if chance(25) { spec.offDelay = time() }
    if chance(30) { spec.realarm = time(400) }
    spec.latch = chance(35)
    if chance(35) { spec.every = (0...random.below(2)).map { _ in time() } }
    if chance(15) { spec.limit = (spec.every.max() ?? 0) + time(800) }
    if chance(30) {
      let first = time(400)
      spec.escalation = [(first, chance(70) ? .critical : .high, chance(40) ? "\(name)-siren" : nil)]
      if chance(30) { spec.escalation.append((first + time(), .critical, nil)) }
    }
    if chance(25) { spec.gates = some(["g0", "g1"]) }
    if chance(20) { spec.cancel = "c0" }
    spec.importance = pick([.low, .normal, .high, .critical, .critical, .critical])
    spec.fadeOut = pick([10, 10, 10, 500, 5000])
    return spec
  }

  var toml: String {
    """
    limits.voices = \(Self.voices)
    profile.silent_while = "p0"
    value.n0.type = "number"
    value.n1.type = "number"
    value.g0.type = "bool"
    value.g1.type = "bool"
    value.p0.type = "bool"
    [[trigger]]
    value = "e0"
    sound = "o0"
    importance = "critical"
    [[trigger]]
    value = "e1"
    sound = "o1"
    importance = "high"
    overlap = "restart"
    [[trigger]]
    value = ["e2", "v0"]
    sound = "o2"

    """ + specs.map(\.toml).joined()
  }

  // MARK: The pipeline

  func configuration() throws -> Configuration {
    try ConfigurationText(file: "c.toml", bytes: Array(toml.utf8)).configuration(.test)
  }

  func makePipeline() throws -> Pipeline {
    output = DrivenOutput(voices: Self.voices)
    return try Pipeline(try configuration(), player: Player(output), at: instant)
  }

  func setSounds() {
    var sounds = LoadedSounds()
    let before = pipeline.conductor.player.sounds
    for name in pipeline.conductor.engine.sounds where !lost.contains(name) {
      let frames =
        name.hasPrefix("o") ? 50 * (1 + name.utf8.count * 20) : 5 * (2 + name.utf8.reduce(0) { $0 &+ Int($1) } % 40)
      let clip = before[name] ?? before.keptClip(of: name) ?? output.clip(name, frames: frames)
      var sound = LoadedSound(name: name, file: nil, links: [], clip: .success(clip))
      if broken.contains(name) {
        let failure = SoundError.notFound(name: name, searched: [])
        sound = LoadedSound(name: name, file: nil, links: [], clip: .failure(failure)).keeping(sound)
      }
      sounds.set(sound)
    }
    pipeline.setSounds(sounds, at: instant)
  }

  // MARK: A step

  /// Something happens, and then nothing for a while.
  func step() throws {
    try act()
    follow()
    for _ in 0..<pick([0, 0, 1, 2, 5, 20]) where problem == nil { pass() }
  }

  func note(_ text: String) { log.append("\(now) \(text)") }

  func act() throws {
    switch random.below(100) {
    case 0..<25: try set([pick(Self.texts + Self.numbers + Self.gates + ["c0"])])
    case 25..<40: try set((Self.texts + Self.numbers + Self.gates + Self.events + ["c0"]).filter { _ in chance(35) })
    case 40..<46: for _ in 0..<1 + random.below(3) { try set(Self.events) }
    case 46..<54: acknowledge()
    case 54..<60: snooze()
    case 60..<63: stop()
    case 63..<66:
      profile = pick([.full, .quiet, .silent])
      note("profile \(profile)")
      pipeline.setProfile(profile, at: instant)
    case 66..<68:
      let name = chance(50) ? pick(specs).name : nil
      note("mute \(name ?? "everything")")
      pipeline.setLevel(PlayLevel(volume: chance(50) ? 0.5 : 1, isMuted: chance(30)), of: name, at: instant)
    case 68..<72:
      broken = chance(50) ? [] : Set(specs.flatMap(\.sounds).filter { _ in chance(20) })
      lost = broken.filter { _ in chance(30) }
      note("broken \(broken.sorted()), lost \(lost.sorted())")
      setSounds()
    case 72..<80: try reload()
    case 80..<89: changeDevice()
    case 89..<93: try restart()
    case 93..<96: unset()
    case 96..<98: sleep()
    default: flood()
    }
  }

  func set(_ names: [String]) throws {
    if names.isEmpty { return }
    var members: [String: String] = [:]
    for name in names {
      count += 1
      members[name] =
        switch name.first {
        case "v": pick(["off", "on", "on", "alert"])
        case "n": "\(random.below(10))"
        case "g", "p": chance(30) ? "true" : "false"
        default: "\(count)"
        }
    }
    let text = names.shuffled(using: &random).map { name in
      let content = members[name] ?? ""
      return "\"\(name)\": "
        + (name.first == "v" || name.first == "e" || name.first == "c" ? "\"\(content)\"" : content)
    }
    note("set \(text.joined(separator: ", "))")
    if let name = names.first, names.count == 1, chance(50) {
      try pipeline.assign(Array(name.utf8).span, Array((members[name] ?? "").utf8).span, at: instant)
    } else {
      try pipeline.assign(object: Array("{\(text.joined(separator: ", "))}".utf8).span, at: instant)
    }
    for index in alarms.indices {
      if let cancel = alarms[index].spec.cancel, members[cancel] != nil {
        alarms[index].acknowledge(callsOff: true, at: now)
        alarms[index].settle(at: now)
      }
      for (watch, name) in alarms[index].spec.values.enumerated() {
        guard let content = members[name], content != contents[name] else { continue }
        alarms[index].receive(watch, content, at: now)
      }
      alarms[index].settle(at: now)
    }
    contents.merge(members) { $1 }
  }

  func unset() {
    let name = pick(Self.texts)
    if contents[name] == nil { return }
    note("unset \(name)")
    do { try pipeline.unset([name], at: instant) } catch { problem = "\(error)" }
    contents[name] = nil
    for index in alarms.indices {
      for (watch, other) in alarms[index].spec.values.enumerated() where other == name { alarms[index].forget(watch) }
      alarms[index].settle(at: now)
    }
  }

  // MARK: People

  func forSome(_ isAll: Bool, _ what: String, _ body: (Int, TriggerID) -> Void) {
    let engine = pipeline.conductor.engine
    let all = isAll ? engine.soundingAlarms : [engine.trigger(named: pick(specs).name)].compactMap(\.self)
    for id in all {
      guard let index = alarms.firstIndex(where: { $0.spec.name == engine.definitions[id.index].name }) else {
        continue
      }
      note("\(what) \(alarms[index].spec.name)")
      body(index, id)
      alarms[index].settle(at: now)
    }
  }

  func acknowledge() {
    forSome(chance(20), "ack") { index, id in
      _ = pipeline.acknowledge(id, at: instant)
      alarms[index].acknowledge(callsOff: false, at: now)
    }
  }

  func snooze() {
    let end = chance(60) ? now + time(600) : nil
    forSome(chance(20), "snooze \(end ?? 0)") { index, id in
      pipeline.snooze(id, until: end.map(Self.time), at: instant)
      alarms[index].snoozedUntil = end
    }
  }

  func stop() {
    let name = chance(70) ? pick(specs).name : nil
    note("stop \(name ?? "")")
    pipeline.stop(name.map { .trigger($0) } ?? .everything, at: instant)
    for index in alarms.indices where name == nil || alarms[index].spec.name == name {
      alarms[index].acknowledge(callsOff: true, at: now)
      alarms[index].settle(at: now)
    }
  }

  // MARK: The machine

  func changeDevice() {
    switch random.below(4) {
    case 0: change(to: .opening)
    case 1: change(to: .missing)
    case 2 where chance(30):
      note("device abandoned")
      output.abandon()
      _ = pipeline.collect(at: instant)
    default: change(to: .ready)
    }
  }

  func change(to device: DrivenOutput.Device) {
    let wasReady = output.isReady
    // What plays by the clock does not wait for an opening.
    if device == output.device || device == .opening && output.device == .missing { return }
    note("device \(device)")
    output.change(to: device)
    if !wasReady, output.isReady { pipeline.deviceReturned(at: instant) }
  }

  func sleep() {
    let end = now + 5 * (1 + random.below(600))
    note("sleep until \(end)")
    for index in alarms.indices {
      for time in stride(from: now + 5, through: end, by: 5) {
        alarms[index].advance(to: time, awake: end)
        alarms[index].settle(at: time)
      }
    }
    (sleptSince, now) = (now, end)
    pipeline.advance(to: instant)
  }

  /// More sounds than the mixer has room for.
  func flood() {
    guard chance(20), let clip = pipeline.conductor.player.sounds["o0"] else { return }
    note("flood")
    for _ in 0..<1100 { pipeline.play("o0", clip, as: pipeline.makePlayID(), at: instant) }
  }

  func reload() throws {
    let old = alarms
    var next = specs
    for _ in 0...random.below(2) {
      let index = random.below(next.count)
      switch random.below(5) {
      case 0 where next.count > 1: next.remove(at: index)
      case 1 where next.count < 8:
        next.insert(
          randomSpec((0..<9).map { "a\($0)" }.first { name in !next.contains { $0.name == name } } ?? ""), at: index)
      case 2: next.swapAt(index, 0)
      default:
        let other = randomSpec(next[index].name)
        let kept = next[index]
        next[index] = other
        // Often the condition stays.
        if chance(70) {
          (next[index].values, next[index].to, next[index].isTable) = (kept.values, kept.to, kept.isTable)
        }
      }
    }
    specs = next
    note("reload\n\(toml)")
    try pipeline.replace(try configuration(), at: instant) { setSounds() }
    alarms = next.map { spec in
      guard let alarm = old.first(where: { $0.spec.name == spec.name }) else {
        return NaiveAlarm(spec).continued(as: spec, contents: contents, at: now)
      }
      return alarm.spec == spec ? alarm : alarm.continued(as: spec, contents: contents, at: now)
    }
    for index in alarms.indices { alarms[index].settle(at: now) }
    for alarm in old where !specs.contains(where: { $0.name == alarm.spec.name }) { lastHeard[alarm.spec.name] = nil }
  }
}
