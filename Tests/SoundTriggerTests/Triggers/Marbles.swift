import SoundTrigger
import Testing

/// Draws what a trigger plays beside the values that it sees, one character per tick of a second.
///
/// In the lines of values a letter is a text, a digit a number, `-` nothing new and `z` a tick at which the machine
/// sleeps; the first is the appearance. A `c` in the line of cancels is a change of the value that cancels, an `x` in the
/// line of ends the end of a running sound that nobody stopped, an `f`, `q` or `s` in the line of profiles the change to
/// `full`, `quiet` or `silent`. Within a tick they happen in this order: ends, cancel, profile, values.
///
/// In the line of plays each stands where it is played; `*` would be several at once. In the line of stops a `|` stands
/// where the trigger ends what runs; without that line there are none.
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
    let sounds = "ABCDEFGHIJ0123456789".map { (Self.value($0), String($0)) }
    let rule = TriggerDefinition.Loop(every: every.map { .seconds($0) }, limit: limit.map { .seconds($0) })
    definition = .test(
      value: value, sound: .table(Dictionary(uniqueKeysWithValues: sounds), otherwise: nil), when: when, from: from,
      to: to, above: above, below: below, hysteresis: hysteresis, initial: initial,
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
    let heard = run.line { rig in rig.plays.map { ($0.at, $0.sound) } }
    #expect(heard == plays, "plays for the values \(values)", sourceLocation: sourceLocation)
    let ended = run.line { rig in rig.stops.map { ($0.at, "|") } }
    #expect(ended == stops ?? none, "stops for the values \(values)", sourceLocation: sourceLocation)
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
  /// When each running sound ends by itself.
  private var ends: [Int64] = []
  private var seen = (plays: 0, stops: 0)

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
      if marks[3] == "x", !self.ends.isEmpty {
        self.ends.removeFirst()
        rig.endSound(at: now)
      }
      if marks[2] == "c" {
        acknowledged.toggle()
        rig.set(.bool(acknowledged), at: now, name: .name("v9"))
      }
      for profile in Profile.allCases where profile.rawValue.first == marks[4] { rig.setProfile(profile, at: now) }
      for (name, mark) in zip(names, marks) where mark != "-" { rig.set(Marbles.value(mark), at: now, name: name) }
      rig.advance(to: now)
      noteSounds()
    }
  }

  /// The marks where they belong; `*` if several do, or if it is between two ticks.
  func line(_ marks: (TriggerRig) -> [(at: Int64, mark: String)]) -> String {
    var line = Array(repeating: "-", count: ticks)
    for (at, mark) in marks(rig) {
      let tick = Int(at / 1_000)
      line[tick] = line[tick] == "-" && at % 1_000 == 0 ? mark : "*"
    }
    return line.joined()
  }

  /// Ends the sounds that have come to their end, each at its time.
  private mutating func endSounds(_ now: Int64) {
    noteSounds()
    while let end = ends.first, end <= now {
      ends.removeFirst()
      rig.endSound(at: end)
      noteSounds()
    }
  }

  /// Takes in what the trigger played and stopped; what is stopped has ended at once.
  private mutating func noteSounds() {
    while rig.stops.count > seen.stops {
      let stop = rig.stops[seen.stops]
      seen.stops += 1
      // What is played at the same instant comes after the stop.
      let stopped = ends.count
      ends.removeAll()
      for _ in 0..<stopped { rig.endSound(at: stop.at) }
    }
    while rig.plays.count > seen.plays {
      let play = rig.plays[seen.plays]
      let lasts = length.map { Int64($0) * 1_000 }
      ends.append(lasts.map { play.at + $0 } ?? .max)
      seen.plays += 1
    }
  }
}
