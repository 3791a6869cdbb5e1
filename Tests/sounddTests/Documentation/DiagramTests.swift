import SoundTrigger
import TestSupport
import Testing

/// What the diagrams of soundd.toml(5) show is what happens.
struct DiagramTests {
  /// What a value does, a character each second, and what is heard of it.
  private struct Diagram {
    var contents: [(second: Int, content: Character)] = []
    /// When a trigger plays that has this key, or none of them.
    var plays: [(key: String, seconds: [Int])] = []
  }

  /// The diagrams of a page: the displays whose first word is `value`.
  private func diagrams(in page: String) throws -> [Diagram] {
    var diagrams: [Diagram] = []
    let displays = try ManualPage(page).displays.filter { $0.hasPrefix("value ") }
    for line in displays.joined(separator: "\n").split(separator: "\n") {
      let words = line.split(separator: " ")
      let moments = words[1].enumerated().filter { $0.element != "-" }
      if words[0] == "value" {
        diagrams.append(Diagram(contents: moments.map { (second: $0.offset, content: $0.element) }))
      } else if let last = diagrams.indices.last {
        diagrams[last].plays.append((String(words[0]), moments.map(\.offset)))
      }
    }
    return diagrams
  }

  private func definition(_ key: String, above: Double?) throws -> TriggerDefinition {
    var definition = TriggerDefinition(
      name: key, values: [try #require(ValueName("value"))], sound: .sound("x"),
      threshold: above.map { Threshold(above: $0) })
    switch key {
    case "none": break
    case "debounce": definition.timing.debounce = .seconds(3)
    case "delay": definition.timing.delay = .seconds(3)
    case "throttle": definition.timing.throttle = .seconds(3)
    default: Issue.record("a diagram of '\(key)'")
    }
    return definition
  }

  /// The seconds at which a trigger plays.
  private func plays(_ definition: TriggerDefinition, _ contents: [(second: Int, value: Value)]) -> [Int] {
    var engine = TriggerEngine(definitions: [definition], resolve: { _ in ValueID(index: 0) })
    /// Nothing is ever late.
    func advance(to time: Instant) {
      while let deadline = engine.nextDeadline, deadline <= time { engine.advance(to: deadline) }
    }
    var old: Value?
    for (second, value) in contents where value != old {
      let now = Instant(nanoseconds: Int64(second) * 1_000_000_000)
      advance(to: now)
      let change = Change(value: ValueID(index: 0), old: old ?? value, new: value, isAppearance: old == nil)
      engine.receive([change], at: now)
      old = value
    }
    advance(to: Instant(nanoseconds: .max))
    let times = engine.decisions.compactMap { decision in
      if case .play(let play) = decision { Int(play.at.nanoseconds / 1_000_000_000) } else { nil }
    }
    return times
  }

  @Test func `the diagrams of the page are true`() throws {
    let diagrams = try diagrams(in: "soundd.toml.5")
    #expect(
      diagrams.map { $0.plays.map(\.key) } == [
        ["none", "debounce", "delay", "throttle"], ["none", "debounce", "delay"],
      ])
    for diagram in diagrams {
      let areNumbers = diagram.contents.contains { $0.content == "#" }
      let contents = diagram.contents.map { second, content in
        let number = content == "#" ? 90 + Double(second) : 20
        return (second: second, value: areNumbers ? .number(number) : Value.text(Array(content.utf8)))
      }
      for (key, seconds) in diagram.plays {
        #expect(plays(try definition(key, above: areNumbers ? 90 : nil), contents) == seconds, "\(key)")
      }
    }
  }
}
