import SoundTrigger
import Testing

/// What is wrong with triggers whose condition lasts, or that watch several values.
@Suite struct TriggerStateProblemTests {
  private let v1 = ValueName.name("v1")
  private let hour = Duration.seconds(3600)

  private func texts(_ definition: TriggerDefinition, _ kind: ValueKind = .text) -> [String] {
    definition.problems(kind).map(\.description)
  }

  private func pattern(_ source: String) throws -> Pattern { try Pattern(source) }

  // MARK: Loops

  private func loop(_ base: TriggerDefinition, every: Duration? = nil, limit: Duration? = nil) -> TriggerDefinition {
    base.with { $0.loop = .init(every: every.map { [$0] } ?? [], limit: limit) }
  }

  @Test func `a loop needs a condition that lasts`() throws {
    let message =
      "loop: needs a condition that ends: to, above, below, matches, when = \"stale\", or sounds without \"*\""
    #expect(texts(loop(.test())) == [message])
    #expect(texts(loop(.test(when: .increase)), .number) == [message])
    #expect(texts(loop(.test(from: [.utf8("a")]))) == [message])
    #expect(texts(loop(.test(initial: true, debounce: hour, throttle: hour))) == [message])
    #expect(texts(loop(.test(sound: .table([.utf8("a"): "ding"], otherwise: "dong")))) == [message])
    #expect(texts(loop(.test(sound: .table([.utf8("a"): "ding"], otherwise: nil)))) == [])
    #expect(texts(loop(.test(to: [.utf8("a")]))) == [])
    #expect(texts(loop(.test(above: 1)), .number) == [])
    #expect(texts(loop(.test(below: 1)), .number) == [])
    let expression = try pattern("^a")
    #expect(texts(loop(.test().with { $0.matches = expression })) == [])
    let stale = loop(.test(when: .stale)).problems(.text, isExpected: true)
    #expect(stale == [])
  }

  @Test func `with several values sounds and loop exclude each other`() {
    for otherwise in [nil, "dong"] {
      let table = SoundChoice.table([.utf8("a"): "ding"], otherwise: otherwise)
      let base = TriggerDefinition.test(sound: table, to: [.utf8("a")]).with { $0.values = [.v0, v1] }
      #expect(
        texts(loop(base)) == [
          "loop: excludes sounds if the trigger has several values: none of them alone chooses the sound"
        ])
      #expect(texts(base) == [])
      #expect(texts(loop(base.with { $0.values = [v1] })) == [])
    }
  }

  @Test func `a loop sounds once, so that nothing overlaps`() {
    let base = loop(.test(to: [.utf8("a")]))
    #expect(texts(base.with { $0.timing.overlap = .mix }) == [])
    for overlap in [TriggerDefinition.Overlap.restart, .ignore, .queue] {
      #expect(
        texts(base.with { $0.timing.overlap = overlap }) == [
          "overlap: \"\(overlap.rawValue)\" has no effect on a loop: it sounds once, until its condition ends"
        ])
    }
  }

  @Test func `the intervals of a loop are 1 ms to 365 days, and its limit is the longer`() {
    let base = TriggerDefinition.test(to: [.utf8("a")])
    let tooLong = Duration.seconds(365 * 86_400 + 1)
    #expect(texts(loop(base, every: .milliseconds(1), limit: .seconds(365 * 86_400))) == [])
    #expect(texts(loop(base, every: .nanoseconds(999_999))) == ["loop_every: must be at least 1 ms"])
    #expect(texts(loop(base, limit: .nanoseconds(1))) == [])
    #expect(texts(loop(base, every: .zero)) == ["loop_every: must be longer than 0"])
    #expect(
      texts(loop(base, every: tooLong, limit: tooLong)) == [
        "loop_every: must be at most 365 days", "loop_limit: must be at most 365 days",
      ])
    for limit in [hour, .seconds(1)] {
      #expect(
        texts(loop(base, every: hour, limit: limit)) == [
          "loop_limit: must be longer than loop_every: nothing would be repeated"
        ])
    }
  }

  // MARK: Cancel

  @Test func `what is watched cannot call itself off`() {
    let message = "is the value that is watched: each change would call off what it begins"
    #expect(texts(.test().with { $0.cancel = .v0 }) == ["cancel: v0 \(message)"])
    let both = TriggerDefinition.test().with { $0.values = [.v0, v1] }
    #expect(texts(both.with { $0.cancel = v1 }) == ["cancel: v1 \(message)"])
    #expect(texts(.test().with { $0.cancel = v1 }) == [])
  }

  // MARK: Staleness

  @Test func `only a value that is expected may become stale`() {
    let stale = TriggerDefinition.test(when: .stale).with { $0.values = [.v0, v1] }
    #expect(
      stale.problems(watching: [WatchedValue(.v0, .text, isExpected: true), WatchedValue(v1, .number)])
        .map(\.description) == ["when: \"stale\" needs an expect_every of each value, and v1 has none"])
    #expect(stale.problems(.text, isExpected: true) == [])
    #expect(
      stale.problems(.text).map(\.message) == [
        "\"stale\" needs an expect_every of each value, and v0 has none",
        "\"stale\" needs an expect_every of each value, and v1 has none",
      ])
  }

  @Test func `staleness is no change, so that conditions on changes make no sense`() throws {
    let everything = TriggerDefinition.test(
      when: .stale, from: [.number(1)], above: 2, below: 1, hysteresis: 0.5, initial: true, debounce: hour)
    #expect(
      everything.problems(.number, isExpected: true).map(\.description)
        == ["from", "above", "below", "hysteresis", "debounce", "initial"].map {
          "\($0): makes no sense with when = \"stale\": nothing changes when a value becomes stale"
        })
    #expect(
      TriggerDefinition.test(when: .stale).with { $0.initial = .ifChanged }.problems(.text, isExpected: true).map(\.key)
        == ["initial"])
    let expression = try pattern("a")
    let sensible = TriggerDefinition.test(
      sound: .table([.utf8("a"): "ding"], otherwise: "dong"), when: .stale, to: [.utf8("a")], throttle: hour
    ).with {
      $0.matches = expression
      $0.timing.delay = hour
      $0.cancel = v1
      $0.loop = .init(every: [hour])
    }
    #expect(sensible.problems(.text, isExpected: true) == [])
  }

  // MARK: Several values

  /// What is wrong if `v0` is a number and `v1` a text.
  private func mixed(_ definition: TriggerDefinition) -> [String] {
    definition.with { $0.values = [.v0, v1] }
      .problems(watching: [WatchedValue(.v0, .number), WatchedValue(v1, .text)]).map(\.description)
  }

  @Test func `a condition must fit each of the values`() {
    #expect(mixed(.test()) == [])
    #expect(mixed(.test(when: .decrease)) == ["when: \"decrease\" compares numbers, and v1 is of type \"text\""])
    #expect(
      mixed(.test(above: 1)) == ["above: is a condition on numbers; v1 is of type \"text\" (type = \"number\"?)"])
    #expect(mixed(.test(to: [.number(1)])) == ["to: v1 is of type \"text\" and can never equal this"])
    #expect(mixed(.test(from: [.utf8("a")])) == ["from: v0 is of type \"number\" and can never equal this"])
    #expect(mixed(.test(to: [.number(1), .utf8("1")])) == [])
    #expect(mixed(.test(to: [.number(1), .utf8("1"), .bool(true)])).count == 1)
  }

  @Test func `a table of sounds has one for each of the values, or for the rest`() {
    let table: [Value: String] = [.utf8("a"): "ding"]
    #expect(
      mixed(.test(sound: .table(table, otherwise: nil))) == [
        "sounds: v0 is of type \"number\" and can never equal this"
      ])
    #expect(mixed(.test(sound: .table(table, otherwise: "dong"))) == [])
    #expect(mixed(.test(sound: .table([.number(1): "dong", .utf8("a"): "ding"], otherwise: nil))) == [])
    #expect(mixed(.test(sound: .table([.bool(true): "ding"], otherwise: "dong"))).count == 1)
  }

  // MARK: Expressions

  @Test(arguments: ValueKind.allCases)
  func `every kind of value can be matched`(kind: ValueKind) throws {
    let expression = try pattern("^1")
    #expect(texts(.test().with { $0.matches = expression }, kind) == [])
  }

  @Test func `an expression must match one of the values in to`() throws {
    let expression = try pattern("^fail")
    let base = TriggerDefinition.test(to: [.utf8("passed"), .utf8("skipped")]).with { $0.matches = expression }
    #expect(texts(base) == ["matches: matches none of the values in to"])
    #expect(texts(base.with { $0.to.append(.utf8("failed")) }) == [])
  }
}
