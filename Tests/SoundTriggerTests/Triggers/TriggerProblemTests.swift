import SoundTrigger
import Testing

@Suite struct TriggerProblemTests {
  /// The keys at fault, as a configuration names them.
  private func keys(_ definition: TriggerDefinition, _ kind: ValueKind) -> [String] {
    definition.problems(kind).map(\.key)
  }

  @Test(arguments: ValueKind.allCases)
  func `a plain trigger works on every kind of value`(kind: ValueKind) {
    let timing = TriggerDefinition.test(initial: true, debounce: .milliseconds(1), throttle: .seconds(365 * 86_400))
    #expect(keys(.test(), kind) == [])
    #expect(keys(timing, kind) == [])
  }

  @Test func `number conditions work on numbers`() {
    for definition: TriggerDefinition in [
      .test(when: .increase), .test(when: .decrease), .test(above: 2, below: 1, hysteresis: 3),
      .test(when: .increase, above: 1), .test(when: .decrease, below: 1), .test(when: .increase, above: 2, below: 1),
      .test(when: .decrease, above: 2, below: 1),
      .test(when: .increase, from: [.number(5), .number(1)], to: [.number(2)]),
      .test(from: [.number(1)], to: [.number(9), .number(1)], above: 5),
    ] {
      #expect(keys(definition, .number) == [], "\(definition)")
    }
  }

  @Test(arguments: [ValueKind.text, .bool, .json, .event])
  func `number conditions are refused on anything else`(kind: ValueKind) {
    #expect(keys(.test(when: .increase), kind) == ["when"])
    #expect(keys(.test(when: .decrease), kind) == ["when"])
    #expect(keys(.test(above: 1), kind) == ["above"])
    #expect(keys(.test(below: 1), kind) == ["below"])
    #expect(keys(.test(above: 2, below: 1), kind) == ["above"])
    #expect(keys(.test(hysteresis: 1), kind) == ["hysteresis"])
  }

  @Test(arguments: [
    (PlaySettings(volume: -0.1), ["volume"]), (PlaySettings(volume: 1.1), ["volume"]),
    (PlaySettings(volume: .nan, pan: .nan), ["volume", "pan"]), (PlaySettings(pan: 1.1), ["pan"]),
    (PlaySettings(fadeIn: .seconds(-1), fadeOut: .seconds(61)), ["fade_in", "fade_out"]),
    (PlaySettings(volume: 0, pan: -1, fadeIn: .seconds(60), fadeOut: .zero, importance: .critical), []),
  ])
  func `a sound is played within bounds`(settings: PlaySettings, expected: [String]) {
    var definition = TriggerDefinition.test()
    definition.settings = settings
    #expect(keys(definition, .text) == expected)
  }

  @Test func `of two lines below is the lesser`() {
    #expect(keys(.test(above: 20, below: 19.5), .number) == [])
    #expect(keys(.test(above: 20, below: 20), .number) == ["below"])
    #expect(keys(.test(above: -1, below: 1), .number) == ["below"])
    #expect(
      TriggerDefinition.test(above: 20, below: 30.5).problems(.number).map(\.description) == [
        "below: 30.5 must be less than above (20): the numbers between them are left alone"
      ])
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `a threshold is finite`(line: Double) {
    #expect(keys(.test(above: line), .number) == ["above"])
    #expect(keys(.test(below: line), .number) == ["below"])
  }

  @Test(arguments: [-1, -1e-300, .infinity, .nan])
  func `a hysteresis is finite and not negative`(hysteresis: Double) {
    #expect(keys(.test(above: 1, hysteresis: hysteresis), .number) == ["hysteresis"])
  }

  @Test func `a hysteresis needs a threshold`() {
    #expect(keys(.test(hysteresis: 1), .number) == ["hysteresis"])
    var definition = TriggerDefinition.test()
    definition.threshold = Threshold()
    #expect(keys(definition, .number) == ["hysteresis"])
  }

  @Test func `intervals are longer than 0 and at most 365 days`() {
    let tooLong = Duration.seconds(365 * 86_400) + .nanoseconds(1)
    for interval in [.zero, .milliseconds(-1), tooLong, .seconds(Int64.max)] {
      #expect(keys(.test(debounce: interval), .text) == ["debounce"])
      #expect(keys(.test(throttle: interval), .text) == ["throttle"])
      #expect(keys(.test().with { $0.timing.delay = interval }, .text) == ["delay"])
      #expect(keys(.test(debounce: interval, throttle: interval), .text) == ["debounce", "throttle"])
    }
  }

  @Test func `what is not fresh for any time at all is dropped at once, and after 365 days nobody cares`() {
    let tooLong = Duration.seconds(365 * 86_400) + .nanoseconds(1)
    for fresh in [Duration.zero, .nanoseconds(1), .seconds(365 * 86_400)] {
      #expect(keys(.test().with { $0.timing.fresh = fresh }, .text) == [])
    }
    for fresh in [.nanoseconds(-1), tooLong] {
      #expect(
        TriggerDefinition.test().with { $0.timing.fresh = fresh }.problems(.text).map(\.description) == [
          "fresh: must be 0 to 365 days"
        ])
    }
  }

  @Test func `a table of sounds must not be empty`() {
    #expect(keys(.test(sound: .table([:], otherwise: nil)), .text) == ["sounds"])
    #expect(keys(.test(sound: .table([:], otherwise: "ding")), .text) == [])
  }

  @Test func `a sound has a name`() {
    #expect(keys(.test(sound: .sound("")), .text) == ["sound"])
    #expect(keys(.test(sound: .list([], .random)), .text) == ["sound"])
    #expect(keys(.test(sound: .list(["ding", ""], .cycle)), .text) == ["sound"])
    #expect(keys(.test(sound: .list(["ding", "ding", "dong"], .random)), .text) == [])
    #expect(keys(.test(sound: .table([.utf8("a"): ""], otherwise: nil)), .text) == ["sounds"])
    #expect(keys(.test(sound: .table([.utf8("a"): "ding"], otherwise: "")), .text) == ["sounds"])
  }

  @Test func `a value of another kind can never come`() {
    #expect(keys(.test(from: [.utf8("a")]), .number) == ["from"])
    #expect(keys(.test(to: [.number(1), .utf8("a")]), .number) == ["to"])
    #expect(keys(.test(to: [.number(.nan)]), .number) == ["to"])
    #expect(keys(.test(to: [.number(1)]), .text) == ["to"])
    #expect(keys(.test(to: [.utf8("true")]), .bool) == ["to"])
    #expect(keys(.test(sound: .table([.bool(true): "ding"], otherwise: nil)), .json) == ["sounds"])
  }

  @Test(arguments: [
    (ValueKind.text, Value.utf8("a")), (.event, .utf8("a")), (.number, .number(1)), (.bool, .bool(true)),
    (.json, .json(Array("{}".utf8))), (.json, .fingerprint(Fingerprint(length: 70_000, digest: .zero))),
  ])
  func `a value of its own kind can come`(kind: ValueKind, value: Value) {
    #expect(keys(.test(sound: .table([value: "ding"], otherwise: nil)), kind) == [])
    #expect(keys(.test(from: [value]), kind) == [])
    #expect(keys(.test(to: [value]), kind) == [])
  }

  @Test func `a value that stays the same has not changed`() {
    let (a, b) = (Value.utf8("a"), Value.utf8("b"))
    #expect(keys(.test(from: [a], to: [a]), .text) == ["to"])
    #expect(keys(.test(from: [a, a], to: [a]), .text) == ["to"])
    #expect(keys(.test(from: [a, b], to: [a]), .text) == [])
    #expect(keys(.test(from: [a], to: [a]), .event) == [])
    #expect(keys(.test(from: [a], to: [a], initial: true), .text) == [])
  }

  @Test func `a direction that contradicts the other conditions is refused`() {
    #expect(keys(.test(when: .increase, below: 15), .number) == ["when"])
    #expect(keys(.test(when: .decrease, above: 15), .number) == ["when"])
    #expect(
      keys(.test(when: .increase, from: [.number(5), .number(9)], to: [.number(5), .number(3)]), .number) == ["when"])
    #expect(keys(.test(when: .decrease, from: [.number(5)], to: [.number(6)]), .number) == ["when"])
  }

  @Test func `values that contradict the threshold are refused`() {
    #expect(keys(.test(to: [.number(5), .number(10)], above: 10), .number) == ["to"])
    #expect(keys(.test(from: [.number(11)], above: 10), .number) == ["from"])
    #expect(keys(.test(from: [.number(11)], above: 10, initial: true), .number) == [])
    #expect(keys(.test(from: [.number(10)], above: 10), .number) == [])
    #expect(keys(.test(from: [.number(9)], below: 10), .number) == ["from"])
  }

  @Test func `with two lines a value must lie beyond one of them, and may come from beyond the other`() {
    let between = TriggerDefinition.test(to: [.number(10), .number(20), .number(30)], above: 30, below: 10)
    #expect(
      between.problems(.number).map(\.description) == ["to: no value here lies above 30 or below 10"])
    #expect(keys(.test(to: [.number(20), .number(9)], above: 30, below: 10), .number) == [])
    #expect(keys(.test(to: [.number(31)], above: 30, below: 10), .number) == [])
    #expect(keys(.test(from: [.number(35), .number(5)], above: 30, below: 10), .number) == [])
    #expect(keys(.test(from: [.number(35)], to: [.number(5)], above: 30, below: 10), .number) == [])
  }

  @Test func `the sounds must serve one of the values in to`() {
    let table: [Value: String] = [.utf8("a"): "ding"]
    #expect(keys(.test(sound: .table(table, otherwise: nil), to: [.utf8("b")]), .text) == ["sounds"])
    #expect(keys(.test(sound: .table(table, otherwise: "dong"), to: [.utf8("b")]), .text) == [])
    #expect(keys(.test(sound: .table(table, otherwise: nil), to: [.utf8("b"), .utf8("a")]), .text) == [])
  }

  @Test func `all problems are named, not only the first`() {
    let definition = TriggerDefinition.test(
      sound: .table([:], otherwise: nil), when: .increase, above: 1, debounce: .zero, throttle: .zero)
    #expect(keys(definition, .text) == ["when", "above", "sounds", "debounce", "throttle"])
  }
}

extension TriggerDefinition {
  /// What is wrong if its values are of this kind.
  func problems(_ kind: ValueKind, isExpected: Bool = false) -> [TriggerProblem] {
    problems(watching: values.map { WatchedValue($0, kind, isExpected: isExpected) })
  }

  /// The same with something else.
  func with(_ change: (inout TriggerDefinition) -> Void) -> TriggerDefinition {
    var definition = self
    change(&definition)
    return definition
  }
}
