import SoundTrigger
import Testing

/// Draws what a trigger plays beside the values that it sees, one character per tick of a second.
///
/// In the lines of values a letter is a text, a digit a number, `-` nothing new and `z` a tick at which the machine
/// sleeps; the first is the appearance. A `c` in the line of cancels is a change of the value that cancels, an `x` in the
/// line of ends the end of a running sound that nobody stopped, an `f`, `q` or `s` in the line of profiles the change to
/// `full`, `quiet` or `silent`. Within a tick they happen in this order: ends, cancel, profile, values.
///
/// In the line of plays the value that caused a play stands where the play begins; `*` would be several at once. In the
/// line of stops a `|` stands where the trigger ends what runs; without that line there are none.
struct Marbles {
  private var definition: TriggerDefinition
  /// After how many ticks a sound ends by itself.
  private let length: Int?

  init(
    value: ValueName = .v0, when: TriggerDefinition.Direction = .change, from: [Value] = [], to: [Value] = [],
    above: Double? = nil, below: Double? = nil, hysteresis: Double = 0, initial: Bool = false, debounce: Int? = nil,
    throttle: Int? = nil, delay: Int? = nil, overlap: TriggerDefinition.Overlap = .mix, loop: Bool = false,
    every: Int? = nil, limit: Int? = nil, fresh: Int? = nil, importance: PlaySettings.Importance = .normal,
    length: Int? = nil
  ) {
    let rule = TriggerDefinition.Loop(every: every.map { [.seconds($0)] } ?? [], limit: limit.map { .seconds($0) })
    definition = .test(
      value: value, when: when, from: from, to: to, above: above, below: below, hysteresis: hysteresis,
      initial: initial,
      debounce: debounce.map { .seconds($0) }, throttle: throttle.map { .seconds($0) },
      delay: delay.map { .seconds($0) }, cancel: .name("v9"), overlap: overlap,
      loop: loop || every != nil || limit != nil ? rule : nil,
      fresh: fresh.map { .seconds($0) } ?? TriggerDefinition.longestInterval, importance: importance)
    definition.values = [value, .name("v1")]
    self.length = length
  }

  /// `others`: what happens to a second watched value.
  func expect(
    values: String, others: String = "", cancel: String = "", ends: String = "", profiles: String = "",
    plays: String, stops: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let none = String(repeating: "-", count: values.count)
    var run = Run(definition: definition, length: length, ticks: values.count)
    run.go(values: values, others: others, cancel: cancel, ends: ends, profiles: profiles)
    let heard = run.line { rig in zip(rig.plays, rig.causes).map { ($0.at, Self.mark($1?.new)) } }
    let causes = run.causes.joined(separator: ", ")
    #expect(heard == plays, "plays for the values \(values): \(causes)", sourceLocation: sourceLocation)
    let ended = run.line { rig in rig.stops.map { ($0.at, "|") } }
    #expect(ended == stops ?? none, "stops for the values \(values)", sourceLocation: sourceLocation)
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
  private let ticks: Int

  init(definition: TriggerDefinition, length: Int?, ticks: Int) {
    rig = TriggerRig(definition)
    names = definition.values
    self.length = length
    self.ticks = ticks
    rig.set(.bool(false), at: 0, name: .name("v9"))
  }

  mutating func go(values: String, others: String, cancel: String, ends: String, profiles: String) {
    let lines = [values, others, cancel, ends, profiles].map { Array($0) }
    var acknowledged = false
    for tick in 0..<ticks {
      let marks = lines.map { tick < $0.count ? $0[tick] : "-" }
      if marks[0] == "z" { continue }
      let now = Int64(tick) * 1_000
      endSounds(now)
      if marks[3] == "x" { rig.endSound(at: now) }
      if marks[2] == "c" {
        acknowledged.toggle()
        rig.set(.bool(acknowledged), at: now, name: .name("v9"))
      }
      for profile in Profile.allCases where profile.rawValue.first == marks[4] { rig.setProfile(profile, at: now) }
      for (name, mark) in zip(names, marks) where mark != "-" { rig.set(Marbles.value(mark), at: now, name: name) }
      rig.advance(to: now)
      endSounds(now)
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
