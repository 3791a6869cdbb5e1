import SoundTrigger
import Testing

/// Draws what a trigger plays beside the values that it sees, one character per tick of a second.
///
/// In the line of values a letter is a text, a digit a number and `-` nothing new; the first is the appearance. In the
/// line of plays each stands where it is played; `*` would be several at once.
struct Marbles {
  private var definition: TriggerDefinition

  init(
    value: ValueName = .v0, when: TriggerDefinition.Direction = .change, from: [Value] = [], to: [Value] = [],
    above: Double? = nil, below: Double? = nil, hysteresis: Double = 0, initial: Bool = false, debounce: Int? = nil,
    throttle: Int? = nil
  ) {
    let sounds = "ABCDEFGHIJ0123456789".map { (Self.value($0), String($0)) }
    definition = .test(
      value: value, sound: .table(Dictionary(uniqueKeysWithValues: sounds), otherwise: nil), when: when, from: from,
      to: to, above: above, below: below, hysteresis: hysteresis, initial: initial,
      debounce: debounce.map { .seconds($0) }, throttle: throttle.map { .seconds($0) })
  }

  func expect(values: String, plays: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(self.plays(values) == plays, "for the values \(values)", sourceLocation: sourceLocation)
  }

  private func plays(_ values: String) -> String {
    var rig = TriggerRig(definition)
    for (tick, character) in values.enumerated() {
      let now = Int64(tick) * 1_000
      if character == "-" {
        rig.advance(to: now)
      } else {
        rig.set(Self.value(character), at: now, name: definition.value)
      }
    }
    var line = Array(repeating: "-", count: values.count)
    for play in rig.plays {
      let tick = Int(play.at / 1_000)
      line[tick] = line[tick] == "-" && play.at % 1_000 == 0 ? play.sound : "*"
    }
    return line.joined()
  }

  private static func value(_ character: Character) -> Value {
    if let number = character.wholeNumberValue { .number(Double(number)) } else { .utf8(String(character)) }
  }
}
