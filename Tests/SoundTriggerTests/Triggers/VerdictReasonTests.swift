import Testing

@testable import SoundTrigger

/// What `explain` says of a change, with its numbers.
struct VerdictReasonTests {
  /// A change that a trigger judged, and the sentence about it.
  struct Case: CustomTestStringConvertible {
    var definition: TriggerDefinition
    var old, new: Value?
    var verdict: Verdict
    var reason: String

    init(_ definition: TriggerDefinition, _ old: Value?, _ new: Value?, _ verdict: Verdict, _ reason: String) {
      (self.definition, self.old, self.new, self.verdict, self.reason) = (definition, old, new, verdict, reason)
    }

    init(_ definition: TriggerDefinition, _ new: Value?, _ verdict: Verdict, _ reason: String) {
      self.init(definition, .number(1), new, verdict, reason)
    }

    var testDescription: String { reason }
  }

  private static let long = Value.utf8(String(repeating: "x", count: 128))
  private static let sixty = String(repeating: "x", count: 60)
  private static let words = ["ok", "busy", "a", "b", "c", "d", "e"].map { Value.utf8($0) }
  private static let table = SoundChoice.table([.utf8("a"): "ding"], otherwise: nil)
  private static let fingerprint = Value.fingerprint(Fingerprint(length: 70_000, digest: SIMD8(repeating: 7)))

  private static let thresholds: [Case] = [
    Case(.test(above: 90), .number(20), .outside, "20 is not above 90"),
    Case(.test(above: 90), .number(90), .outside, "90 is not above 90"),
    Case(.test(below: 5), .number(20), .outside, "20 is not below 5"),
    Case(.test(below: -0.5), .number(0.25), .outside, "0.25 is not below -0.5"),
    Case(.test(above: 90, below: 5), .number(20), .outside, "20 is between 5 and 90"),
    Case(
      .test(above: 90, hysteresis: 5), .number(95), .notArmed,
      "95 is above 90, and it has not gone back to 85 or below since it last crossed"),
    Case(
      .test(above: 90), .number(95), .notArmed,
      "95 is above 90, and it has not gone back to 90 or below since it last crossed"),
    Case(
      .test(below: 0.3, hysteresis: 0.1), .number(0.2), .notArmed,
      "0.2 is below 0.3, and it has not gone back to 0.4 or above since it last crossed"),
    Case(
      .test(above: 0.3, hysteresis: 0.1), .number(0.5), .notArmed,
      "0.5 is above 0.3, and it has not gone back to 0.2 or below since it last crossed"),
    Case(
      .test(above: 90, below: 5, hysteresis: 1), .number(2), .notArmed,
      "2 is below 5, and it has not gone back to 6 or above since it last crossed"),
  ]

  private static let comparisons: [Case] = [
    Case(.test(when: .increase), .number(5), .number(3), .notIncreased, "3 is not more than 5"),
    Case(.test(when: .increase), .number(3), .number(3), .notIncreased, "3 is not more than 3"),
    Case(.test(when: .increase), nil, .number(3), .notIncreased, "there is no old value to compare 3 with"),
    Case(.test(when: .decrease), .number(3), .number(5), .notDecreased, "5 is not less than 3"),
    Case(.test(when: .decrease), .utf8("x"), .number(5), .notANumber, "the old value, 'x', is not a number"),
    Case(.test(above: 90), .utf8("on\n"), .notANumber, "'on\\n' is not a number"),
    Case(.test(above: 90), .bool(true), .notANumber, "true is not a number"),
  ]

  private static let contents: [Case] = [
    Case(
      .test(from: [.utf8("ok"), .utf8("busy")]), .utf8("idle"), .utf8("x"), .notFrom,
      "'idle' is not in from ('ok', 'busy')"),
    Case(
      .test(from: [.utf8("ok")]), nil, .utf8("x"), .notFrom, "there is no old value, and from needs one ('ok')"),
    Case(.test(to: [.number(2), .number(3)]), .number(2.5), .notTo, "2.5 is not in to (2, 3)"),
    Case(.test(to: [.bool(true)]), .bool(false), .notTo, "false is not in to (true)"),
    Case(
      .test(to: words), .utf8("x"), .notTo, "'x' is not in to ('ok', 'busy', 'a', 'b', 'c' and 2 more)"),
    Case(.test(to: [.utf8("ok")]), nil, .notTo, "there is no value, and to needs one ('ok')"),
    Case(.test(to: [.utf8("ok")]), long, .notTo, "'\(sixty)…' is not in to ('ok')"),
    Case(.test(to: [.utf8("ok")]), fingerprint, .notTo, "a text of 70000 bytes is not in to ('ok')"),
    Case(.test(to: [.utf8("ok")]), .json(Array(#"{"a":1}"#.utf8)), .notTo, #"'{"a":1}' is not in to ('ok')"#),
    Case(.test(sound: table), .utf8("x"), .noSound, "there is no sound for 'x'"),
    Case(.test(sound: table), .number(4), .noSound, "there is no sound for 4"),
    Case(.test(sound: table), nil, .noSound, "there is no sound for the new value"),
  ]

  private static let circumstances: [Case] = [
    Case(
      .test(throttle: .seconds(2)), .number(2), .throttled(for: .milliseconds(1_400)),
      "played 0.6 s ago, throttle is 2 s"),
    Case(
      .test(), .number(2), .profile(.quiet),
      "the profile quiet admits only sounds of high or critical importance; this is normal"),
    Case(
      .test(importance: .high), .number(2), .profile(.silent),
      "the profile silent admits only sounds of critical importance; this is high"),
    Case(
      .test(above: 5, loop: .init(escalation: [.init(after: .seconds(1), importance: .high)])), .number(6),
      .profile(.silent), "the profile silent admits only sounds of critical importance"),
  ]

  /// Where `Verdict.description` says all there is, or a reload has replaced the condition that gave the verdict.
  private static let general: [(TriggerDefinition, Value, Verdict)] = [
    (.test(), .number(2), .played), (.test(), .number(2), .waiting(for: .seconds(1))),
    (.test(), .number(2), .delayed(for: .seconds(1))), (.test(), .number(2), .late(by: .seconds(1))),
    (.test(), .number(2), .queued(position: 2)), (.test(), .number(2), .snoozed(for: .seconds(1))),
    (.test(), .number(2), .suppressed(by: .v0)), (.test(when: .stale), .number(2), .notStale),
    (.test(), .number(2), .outside), (.test(above: 1), .number(2), .outside), (.test(below: 5), .number(2), .outside),
    (.test(above: 5, below: 3), .number(2), .outside), (.test(above: 9), .number(2), .notArmed),
    (.test(), .number(2), .notArmed), (.test(to: [.number(2)]), .number(2), .notTo), (.test(), .number(2), .notTo),
    (.test(from: [.number(1)]), .number(2), .notFrom), (.test(), .number(2), .notMatching),
    (.test(), .number(2), .noSound), (.test(), .number(2), .notIncreased), (.test(), .number(0), .notDecreased),
    (.test(), .number(2), .throttled(for: .seconds(1))),
    (.test(throttle: .seconds(1)), .number(2), .throttled(for: .seconds(2))),
    (.test(importance: .critical), .number(2), .profile(.quiet)),
  ]

  @Test(arguments: thresholds + comparisons + contents + circumstances)
  func `a reason names the numbers and contents that decided`(_ example: Case) {
    let change = JudgedChange(at: Instant(0), old: example.old, new: example.new, verdict: example.verdict)
    #expect(example.definition.reason(for: change) == example.reason)
  }

  @Test(arguments: general)
  func `any other reason is the sentence of the verdict`(definition: TriggerDefinition, new: Value, verdict: Verdict) {
    let change = JudgedChange(at: Instant(0), old: .number(1), new: new, verdict: verdict)
    #expect(definition.reason(for: change) == verdict.description)
  }

  @Test func `a text that does not match is shown with the expression`() throws {
    let expression = try Pattern("^x\n\(Self.sixty)")
    let definition = TriggerDefinition.test().with { $0.matches = expression }
    func reason(_ content: Value?) -> String {
      definition.reason(for: JudgedChange(at: Instant(0), old: nil, new: content, verdict: .notMatching))
    }
    let source = "^x\\n\(Self.sixty.prefix(57))…"
    #expect(reason(.utf8("abc")) == "'abc' does not match \(source)")
    #expect(reason(.number(5)) == "5 does not match \(source)")
    #expect(reason(nil) == "there is no value to match with \(source)")
    #expect(reason(.utf8("x\n\(Self.sixty)")) == Verdict.notMatching.description)
  }

  @Test func `a trigger gives the reasons of the changes that it has seen`() {
    var rig = TriggerRig(.test(above: 90, hysteresis: 5, throttle: .milliseconds(100)))
    rig.set([20, 30, 95, 89, 96, 85, 91])
    let definition = rig.engine.definition(of: TriggerID(index: 0))
    #expect(
      rig.engine.judgedChanges(of: TriggerID(index: 0)).map(definition.reason(for:)) == [
        "the first content is not a change (initial is false)", "30 is not above 90", "played", "89 is not above 90",
        "96 is above 90, and it has not gone back to 85 or below since it last crossed", "85 is not above 90",
        "played 4 ms ago, throttle is 0.1 s",
      ])
  }
}
