import Foundation
import Observation
import SoundTrigger
import SoundTriggerTesting
import TestSupport
import Testing

/// The library's times are the daemon's: random worlds, played by the library on its manual clock and by `soundd render`.
@MainActor @Suite struct LibraryTimingTests {
  @Observable final class Model {
    var value = 0
    var cancelled = 0
  }

  /// A trigger, and what happens to its value.
  private struct World {
    enum Condition: CaseIterable {
      case none, to
      /// These look at the old value, too. A closure cannot say so, and with it every change to `false` ends a delay.
      case from, increase
    }

    struct Event {
      /// In microseconds since the event before.
      var pause: Int
      var value: Int?
      var cancels: Bool
    }

    var condition: Condition
    var debounce, delay, throttle: Int?
    var overlap: String
    var events: [Event]

    init(_ random: inout SplitMix64) {
      debounce = [nil, nil, 100, 250].randomElement(using: &random) ?? nil
      delay = [nil, 100, 300, 400].randomElement(using: &random) ?? nil
      throttle = [nil, nil, 200, 1_000].randomElement(using: &random) ?? nil
      overlap = ["mix", "restart", "ignore", "queue"].randomElement(using: &random) ?? ""
      let conditions: [Condition] = delay == nil ? Condition.allCases : [.none, .to, .to]
      condition = conditions.randomElement(using: &random) ?? .none
      events = []
      for _ in 0..<Int.random(in: 6...16, using: &random) {
        let cancels = Int.random(in: 0..<12, using: &random) == 0
        let value = cancels && Bool.random(using: &random) ? nil : Int.random(in: 0...4, using: &random)
        // Never at the very instant at which something is due: a test that lets time pass until then hears it.
        let pause = 10_000 * Int.random(in: 1...40, using: &random) + 370
        events.append(Event(pause: pause, value: value, cancels: cancels))
      }
    }

    /// The trigger as the daemon reads it.
    func configuration(_ number: Int) -> String {
      func time(_ key: String, _ milliseconds: Int?) -> String {
        milliseconds.map { "\(key) = \"\($0) ms\"\n" } ?? ""
      }
      let condition =
        switch condition {
        case .none: ""
        case .to: "to = [2, 3]\n"
        case .from: "from = [2, 3]\n"
        case .increase: "when = \"increase\"\n"
        }
      return "[value.v\(number)]\ntype = \"number\"\n[[trigger]]\nname = \"\(number)\"\nvalue = \"v\(number)\"\n"
        + "sound = \"short\"\ncancel = \"c\(number)\"\noverlap = \"\(overlap)\"\n" + condition
        + time("debounce", debounce) + time("delay", delay) + time("throttle", throttle)
    }

    /// The lines of its timeline, by their times in microseconds.
    func timeline(_ number: Int, from start: Int) -> [(Int, String)] {
      var now = start
      return [(now, "v\(number)=0")]
        + events.map { event in
          now += event.pause
          let members = [event.value.map { "\"v\(number)\": \($0)" }, event.cancels ? "\"c\(number)\": 1" : nil]
          return (now, "{\(members.compactMap { $0 }.joined(separator: ", "))}")
        }
    }

    /// When the library plays, in milliseconds.
    @MainActor func played(folder: String) async throws -> [Int] {
      let overlaps: [String: SoundPlayer.Overlap] = [
        "mix": .mix, "restart": .restart, "ignore": .ignore, "queue": .queue,
      ]
      let player = try RecordingPlayer(folders: [folder])
      let model = Model()
      player.sensoryFeedback(
        .sound("short"), trigger: model.value, debounce: debounce.map { .milliseconds($0) },
        delay: delay.map { .milliseconds($0) }, throttle: throttle.map { .milliseconds($0) },
        overlap: overlaps[overlap] ?? .mix, cancellation: model.cancelled
      ) { [condition] old, new in
        switch condition {
        case .none: true
        case .to: [2, 3].contains(new)
        case .from: [2, 3].contains(old)
        case .increase: new > old
        }
      }
      for event in events {
        try await player.advance(by: .microseconds(event.pause))
        if let value = event.value { model.value = value }
        if event.cancels { model.cancelled += 1 }
        await player.settled()
      }
      try await player.advance(by: .seconds(60))
      return player.core.heardPlays.map { Int($0.at.nanoseconds / 1_000_000) }
    }
  }

  @Test func `four hundred random worlds play at the times of the daemon`() async throws {
    var random = SplitMix64(seed: 7)
    let worlds = (0..<400).map { _ in World(&random) }
    let home = try Home()
    try home.write("sounds/short.wav", Recording.sine(seconds: 0.25))
    try home.write("config.toml", worlds.enumerated().map { $1.configuration($0) }.joined())
    // Ten at a time, so that they have voices enough.
    func start(_ number: Int) -> Int { number / 10 * 60_000_000 }
    let lines = worlds.enumerated().flatMap { $1.timeline($0, from: start($0)) }
    let timeline = lines.sorted { $0.0 < $1.0 }.map { "\(Double($0.0) / 1_000_000) \($0.1)\n" }.joined()
    let program = try home.run(["render", "-", "--config", "config.toml"], input: .text(timeline))
    try #require(try program.wait() == .exit(0), "\(program.errors)")
    var expected: [Int: [Int]] = [:]
    for line in program.text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 4, words[2] == "plays", let time = Double(words[0]), let number = Int(words[1]) else {
        continue
      }
      expected[number, default: []].append(Int(((time * 1_000_000).rounded() - Double(start(number))) / 1_000))
    }
    var (count, differing) = (0, 0)
    for (number, world) in worlds.enumerated() {
      let played = try await world.played(folder: home("sounds"))
      count += played.count
      if played != expected[number] ?? [] {
        differing += 1
        if differing < 4 { Issue.record("\(world): \(played) instead of \(expected[number] ?? [])") }
      }
    }
    #expect(differing == 0 && count > 800, "\(differing) differ, \(count) plays")
  }
}
