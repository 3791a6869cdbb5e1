import SoundTrigger
import Testing

/// Draws what a trigger plays beside the values that it sees, one character per tick of a second.
///
/// In the lines of values a letter is a text, a digit a number, `-` nothing new and `z` a tick at which the machine
/// sleeps; the first is the appearance. A `c` in the line of cancels is a change of the value that cancels, an `x` in the
/// line of ends the end of a running sound that nobody stopped, an `f`, `q` or `s` in the line of profiles the change to
/// `full`, `quiet` or `silent`. In the line of people a `k` acknowledges, a `z` snoozes for some ticks and a `u` ends the
/// snooze; in the line of gates `t` and `f` are the contents of the value in `unless`, `s` makes it stale. Within a tick they
/// happen in this order: ends, cancel, people, profile, gates, values.
///
/// In the line of plays the value that caused a play stands where the play begins; `*` would be several at once. In the
/// line of stops a `|` stands where the trigger ends what runs; without that line there are none. The line of states has the
/// first letter of what an alarm shows after each tick: `n`, `p`, `a` and `l` as in `AlarmLife`, `k` if it is acknowledged, `z` if
/// it is snoozed and `s` if it is suppressed.
struct Marbles {
  private var definition: TriggerDefinition
  /// After how many ticks a sound ends by itself.
  private let length: Int?
  /// For how many ticks a `z` snoozes.
  private let snooze: Int

  init(
    value: ValueName = .v0, when: TriggerDefinition.Direction = .change, from: [Value] = [], to: [Value] = [],
    above: Double? = nil, below: Double? = nil, hysteresis: Double = 0, initial: Bool = false, debounce: Int? = nil,
    throttle: Int? = nil, delay: Int? = nil, overlap: TriggerDefinition.Overlap = .mix, loop: Bool = false,
    every: Int? = nil, limit: Int? = nil, latch: Bool = false, offDelay: Int? = nil, realarm: Int? = nil,
    fresh: Int? = nil, importance: PlaySettings.Importance = .normal, length: Int? = nil, snooze: Int = 3
  ) {
    let rule = TriggerDefinition.Loop(
      every: every.map { [.seconds($0)] } ?? [], limit: limit.map { .seconds($0) }, latch: latch,
      offDelay: offDelay.map { .seconds($0) }, realarm: realarm.map { .seconds($0) })
    definition = .test(
      value: value, when: when, from: from, to: to, above: above, below: below, hysteresis: hysteresis,
      initial: initial,
      debounce: debounce.map { .seconds($0) }, throttle: throttle.map { .seconds($0) },
      delay: delay.map { .seconds($0) }, cancel: .name("v9"), unless: [.name("v8")], overlap: overlap,
      loop: loop || rule != TriggerDefinition.Loop() ? rule : nil,
      fresh: fresh.map { .seconds($0) } ?? TriggerDefinition.longestInterval, importance: importance)
    definition.values = [value, .name("v1")]
    (self.length, self.snooze) = (length, snooze)
  }

  /// `others`: what happens to a second watched value.
  func expect(
    values: String, others: String = "", cancel: String = "", people: String = "", ends: String = "",
    profiles: String = "", gates: String = "", plays: String, stops: String? = nil, states: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let none = String(repeating: "-", count: values.count)
    var run = Run(definition: definition, length: length, snooze: snooze, ticks: values.count)
    run.go([values, others, cancel, ends, profiles, people, gates])
    let heard = run.line { rig in zip(rig.plays, rig.causes).map { ($0.at, Self.mark($1?.new)) } }
    let causes = run.causes.joined(separator: ", ")
    #expect(heard == plays, "plays for the values \(values): \(causes)", sourceLocation: sourceLocation)
    let ended = run.line { rig in rig.stops.map { ($0.at, "|") } }
    #expect(ended == stops ?? none, "stops for the values \(values)", sourceLocation: sourceLocation)
    if let states { #expect(run.states == states, "states for the values \(values)", sourceLocation: sourceLocation) }
  }

  fileprivate static func mark(_ value: Value?) -> String {
    switch value {
    case .text(let bytes)?: String(decoding: bytes.array, as: UTF8.self)
    case .number(let number)?: "\(Int(number))"
    default: "?"
    }
  }

  fileprivate static func value(_ character: Character) -> Value {
    if let number = character.wholeNumberValue { .number(Double(number)) } else { .utf8(String(character)) }
  }
}

/// A trigger and its sounds through all ticks of a diagram.
private struct Run {
  private var rig: TriggerRig
  private let names: [ValueName]
  private let length: Int?
  private let snooze: Int
  private let ticks: Int
  /// What an alarm showed after each tick.
  private(set) var states = ""

  init(definition: TriggerDefinition, length: Int?, snooze: Int, ticks: Int) {
    rig = TriggerRig(definition)
    names = definition.values
    (self.length, self.snooze) = (length, snooze)
    self.ticks = ticks
    rig.set(.bool(false), at: 0, name: .name("v9"))
  }

  /// The lines of values, others, cancel, ends, profiles, people and gates.
  mutating func go(_ lines: [String]) {
    let lines = lines.map { Array($0) }
    var acknowledged = false
    for tick in 0..<ticks {
      let marks = lines.map { tick < $0.count ? $0[tick] : "-" }
      if marks[0] == "z" {
        states += "-"
        continue
      }
      let now = Int64(tick) * 1_000
      endSounds(now)
      if marks[3] == "x" { rig.endSound(at: now) }
      if marks[2] == "c" {
        acknowledged.toggle()
        rig.set(.bool(acknowledged), at: now, name: .name("v9"))
      }
      if marks[5] == "k" { rig.acknowledge(at: now) }
      if marks[5] == "z" { rig.snooze(until: now + Int64(snooze) * 1_000, at: now) }
      if marks[5] == "u" { rig.snooze(until: nil, at: now) }
      for profile in Profile.allCases where profile.rawValue.first == marks[4] { rig.setProfile(profile, at: now) }
      if marks[6] == "s" { rig.becomeStale(at: now, name: .name("v8")) }
      if "tf".contains(marks[6]) { rig.set(.bool(marks[6] == "t"), at: now, name: .name("v8")) }
      for (name, mark) in zip(names, marks) where mark != "-" { rig.set(Marbles.value(mark), at: now, name: name) }
      rig.advance(to: now)
      endSounds(now)
      states += rig.alarm()?.letter ?? "-"
    }
  }

  /// What each play answers to, for messages.
  var causes: [String] {
    zip(rig.plays, rig.causes).map { play, cause in
      "\(play.at / 1_000) s: \(cause?.value.description ?? "?") \(Marbles.mark(cause?.old)) -> \(Marbles.mark(cause?.new))"
    }
  }

  /// The marks where they belong; `*` if several do, or if one is between two ticks.
  func line(_ marks: (TriggerRig) -> [(at: Int64, mark: String)]) -> String {
    var line = Array(repeating: "-", count: ticks)
    for (at, mark) in marks(rig) {
      let tick = Int(at / 1_000)
      line[tick] = line[tick] == "-" && at % 1_000 == 0 ? mark : "*"
    }
    return line.joined()
  }

  /// Ends each sound at its end, and a stopped one at once.
  private mutating func endSounds(_ now: Int64) {
    while rig.running.contains(where: \.isStopping) { rig.endFade(at: now) }
    guard let length else { return }
    while let end = rig.running.map({ $0.play.at.nanoseconds / 1_000_000 + Int64(length) * 1_000 }).min(), end <= now {
      rig.endSound(at: end)
      while rig.running.contains(where: \.isStopping) { rig.endFade(at: end) }
    }
  }
}

extension AlarmReport {
  /// What people see, in a letter.
  fileprivate var letter: String {
    state == .acknowledged ? "k" : state == .snoozed ? "z" : "\(state.rawValue.prefix(1))"
  }
}
