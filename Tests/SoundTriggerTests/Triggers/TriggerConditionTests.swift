import SoundTrigger
import Testing

@Suite struct TriggerConditionTests {
  @Test func `the first content plays nothing`() {
    var rig = TriggerRig(.test())
    rig.set(.utf8("a"), at: 0)
    #expect(rig.plays.isEmpty)
    #expect(rig.verdict == .appeared)
    #expect(rig.counters().changes == 0)
  }

  @Test func `a change plays at its own time`() {
    var rig = TriggerRig(.test())
    rig.set(.utf8("a"), at: 0)
    rig.set(.utf8("b"), at: 7)
    #expect(rig.plays == [.init(trigger: "t", sound: "ding", at: 7)])
    #expect(rig.verdict == .played)
  }

  @Test func `there and back plays twice`() {
    Marbles().expect(
      values: "A--B-A--",
      plays: "---B-A--")
  }

  @Test func `an event plays each time it arrives, equal or not`() {
    Marbles(value: .e0).expect(
      values: "A--AA-BB",
      plays: "---AA-BB")
  }

  @Test func `an event whose first arrival counts as a change plays at once`() {
    var rig = TriggerRig(.test(value: .e0))
    rig.process(Change(value: TriggerRig.id(.e0), old: .utf8("a"), new: .utf8("a")), at: 3)
    #expect(rig.times == [3])
  }

  @Test func `with initial the first content plays too`() {
    Marbles(initial: true).expect(
      values: "-A--B-",
      plays: "-A--B-")
  }

  @Test func `with initial the first content must meet from and to`() {
    Marbles(to: [.utf8("B")], initial: true).expect(values: "A-B", plays: "--B")
    Marbles(to: [.utf8("A")], initial: true).expect(values: "A-B", plays: "A--")
    Marbles(from: [.utf8("B")], initial: true).expect(values: "A-B", plays: "---")
    Marbles(from: [.utf8("A")], initial: true).expect(values: "A-B", plays: "A-B")
    Marbles(from: [.utf8("A")], to: [.utf8("B")], initial: true).expect(values: "A-B", plays: "--B")
  }

  @Test func `a first content has neither increased nor decreased`() {
    Marbles(when: .increase, initial: true).expect(values: "5-6", plays: "--6")
    Marbles(when: .decrease, initial: true).expect(values: "5-4", plays: "--4")
  }

  @Test func `increase and decrease compare numbers`() {
    Marbles(when: .increase).expect(values: "5-6-2-9", plays: "--6---9")
    Marbles(when: .decrease).expect(values: "5-6-2-9", plays: "----2--")
  }

  @Test(arguments: [TriggerDefinition.Direction.increase, .decrease])
  func `texts neither increase nor decrease, even if they look like numbers`(when: TriggerDefinition.Direction) {
    var rig = TriggerRig(.test(when: when))
    for (time, text) in ["5", "6", "4"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.plays.isEmpty)
    #expect(rig.verdict == .notANumber)
  }

  @Test func `a boolean neither increases nor crosses a threshold`() {
    for definition in [TriggerDefinition.test(when: .increase), .test(above: 0.5)] {
      var rig = TriggerRig(definition)
      rig.set(.bool(false), at: 0)
      rig.set(.bool(true), at: 1)
      #expect(rig.plays.isEmpty)
      #expect(rig.verdict == .notANumber)
    }
  }

  @Test func `from asks for one of the old values`() {
    Marbles(from: [.utf8("A"), .utf8("C")]).expect(values: "ABCDA", plays: "-B-D-")
  }

  @Test func `to asks for one of the new values`() {
    Marbles(to: [.utf8("A"), .utf8("C")]).expect(values: "ABCDA", plays: "--C-A")
  }

  @Test func `from and to must both hold`() {
    Marbles(from: [.utf8("A")], to: [.utf8("C")]).expect(values: "ABCACBC", plays: "----C--")
  }

  @Test func `minus zero is zero`() {
    var rig = TriggerRig(.test(to: [.number(0)]))
    rig.set([1, -0.0])
    #expect(rig.sounds == ["ding"])
  }

  @Test func `the table of sounds goes by the new value`() {
    let choice = SoundChoice.table([.utf8("passed"): "success", .utf8("failed"): "error"], otherwise: nil)
    var rig = TriggerRig(.test(sound: choice))
    for (time, text) in ["idle", "failed", "passed", "idle", "failed"].enumerated() {
      rig.set(.utf8(text), at: Int64(time))
    }
    #expect(rig.sounds == ["error", "success", "error"])
  }

  @Test func `a value without a sound is silent and says so`() {
    var rig = TriggerRig(.test(sound: .table([.utf8("b"): "ding"], otherwise: nil)))
    rig.set(.utf8("a"), at: 0)
    rig.set(.utf8("c"), at: 1)
    #expect(rig.plays.isEmpty)
    #expect(rig.verdict == .noSound)
  }

  @Test func `the star stands for all other values`() {
    var rig = TriggerRig(.test(sound: .table([.utf8("b"): "ding"], otherwise: "dong")))
    for (time, text) in ["a", "b", "c"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.sounds == ["ding", "dong"])
  }

  @Test func `each verdict tells which condition stood in the way`() {
    func verdict(_ definition: TriggerDefinition, _ numbers: [Double]) -> Verdict? {
      var rig = TriggerRig(definition)
      rig.set(numbers)
      return rig.verdict
    }
    #expect(verdict(.test(when: .increase), [2, 1]) == .notIncreased)
    #expect(verdict(.test(when: .decrease), [1, 2]) == .notDecreased)
    #expect(verdict(.test(from: [.number(3)]), [1, 2]) == .notFrom)
    #expect(verdict(.test(to: [.number(3)]), [1, 2]) == .notTo)
    #expect(verdict(.test(above: 5), [1, 2]) == .outside)
    #expect(verdict(.test(above: 5), [1, 6, 7]) == .notArmed)
    #expect(verdict(.test(above: 30, below: 10), [35, 20]) == .outside)
    #expect(verdict(.test(above: 30, below: 10, hysteresis: 5), [20, 35, 28]) == .outside)
    #expect(verdict(.test(above: 30, below: 10), [20, 35, 36]) == .notArmed)
    #expect(verdict(.test(above: 30, below: 10), [20, 5, 4]) == .notArmed)
    #expect(verdict(.test(above: 30, below: 10), [35, 5]) == .played)
    #expect(verdict(.test(debounce: .milliseconds(9)), [1, 2]) == .waiting(for: .milliseconds(9)))
    #expect(verdict(.test(throttle: .milliseconds(9)), [1, 2, 3]) == .throttled(for: .milliseconds(8)))
  }

  // MARK: A value that began at nothing

  @Test func `the first content of a value that began at nothing is a change`() {
    var rig = TriggerRig(.test())
    rig.setFirst(.utf8("a"), at: 3)
    #expect(rig.times == [3])
    #expect(rig.causes == [Cause(value: .v0, old: nil, new: .utf8("a"))])
    #expect(rig.counters().changes == 1)
  }

  @Test func `from, increase and decrease do not hold for a change from nothing`() {
    var rig = TriggerRig(
      .test(name: "from", from: [.number(7)]), .test(name: "up", when: .increase),
      .test(name: "down", when: .decrease), .test(name: "to", to: [.number(7)]))
    rig.setFirst(.number(7), at: 1)
    #expect(rig.plays.map(\.trigger) == ["to"])
    #expect((0..<4).map { rig.counters($0).lastVerdict } == [.notFrom, .notIncreased, .notDecreased, .played])
    rig.set(.number(8), at: 2)
    #expect(rig.plays.map(\.trigger) == ["to", "from", "up"])
  }

  @Test func `a first number beyond a threshold crosses it`() {
    var rig = TriggerRig(.test(name: "above", above: 5), .test(name: "below", below: 5))
    rig.setFirst(.number(7), at: 1)
    #expect(rig.plays.map(\.trigger) == ["above"])
    rig.set([8, 3], from: 2)
    #expect(rig.plays.map(\.trigger) == ["above", "below"])
  }

  @Test func `a burst that begins at nothing plays whatever it ends at`() {
    var rig = TriggerRig(
      .test(name: "t", debounce: .milliseconds(10)), .test(name: "line", above: 5, debounce: .milliseconds(10)))
    rig.setFirst(.number(1), at: 0)
    rig.set(.number(7), at: 5)
    rig.advance(to: 20)
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["t15", "line15"])
    #expect(rig.causes.map { $0?.old } == [nil, nil])
  }
}
