import SoundTrigger
import Testing

@Suite struct TriggerEngineTests {
  @Test func `each sound is listed once, in an order that is always the same`() {
    let table = SoundChoice.table([.utf8("a"): "ding", .utf8("b"): "bell", .utf8("c"): "ding"], otherwise: "dong")
    for _ in 1...5 {
      let rig = TriggerRig(.test(name: "1", sound: .sound("dong")), .test(name: "2", sound: table), .test(name: "3"))
      #expect(rig.engine.sounds == ["dong", "bell", "ding"])
    }
  }

  @Test func `triggers of one value play in the order of their definitions`() {
    var rig = TriggerRig(.test(name: "b"), .test(name: "x", value: .name("v1")), .test(name: "a"))
    rig.set(.utf8("1"), at: 0)
    rig.set(.utf8("2"), at: 1)
    #expect(rig.plays.map(\.trigger) == ["b", "a"])
  }

  @Test func `a value that nobody watches plays nothing but lets time pass`() {
    var rig = TriggerRig(.test(debounce: .milliseconds(5)))
    rig.set([1, 2])
    rig.set(.utf8("a"), at: 50, name: .name("v7"))
    rig.process(Change(value: ValueID(index: -1), old: .utf8("a"), new: .utf8("b")), at: 60)
    #expect(rig.times == [6])
    #expect(rig.counters().changes == 1)
  }

  @Test func `an engine without triggers does nothing`() {
    var rig = TriggerRig([])
    rig.set([1, 2])
    rig.advance(to: 9)
    #expect(rig.plays.isEmpty)
    #expect(rig.engine.nextDeadline == nil)
  }

  @Test func `the next deadline is the earliest of all waits`() {
    var rig = TriggerRig(
      .test(name: "slow", debounce: .milliseconds(30)), .test(name: "fast", debounce: .milliseconds(10)),
      .test(name: "other", value: .name("v1"), debounce: .milliseconds(15)), .test(name: "now"))
    #expect(rig.engine.nextDeadline == nil)
    rig.set([1, 2])
    rig.set(.utf8("a"), at: 1, name: .name("v1"))
    rig.set(.utf8("b"), at: 2, name: .name("v1"))
    #expect(rig.engine.nextDeadline == Instant(11))
    rig.set(.number(3), at: 8)
    #expect(rig.engine.nextDeadline == Instant(17))
    rig.advance(to: 17)
    #expect(rig.engine.nextDeadline == Instant(18))
    rig.advance(to: 18)
    #expect(rig.engine.nextDeadline == Instant(38))
    rig.advance(to: 38)
    #expect(rig.engine.nextDeadline == nil)
    #expect(rig.plays.map(\.trigger) == ["now", "now", "other", "fast", "slow"])
  }

  @Test func `what is due comes in the order of time, at one time in the order of the definitions`() {
    // 7 and 500 share no factor: the waits are a permutation of 1...500 in which each comes twice.
    let definitions = (0..<1_000).map { index in
      TriggerDefinition.test(name: "\(index)", debounce: .milliseconds(index * 7 % 500 + 1))
    }
    var rig = TriggerRig(definitions)
    rig.set(.number(1), at: 0)
    rig.set(.number(2), at: 0)
    rig.advance(to: 250)
    rig.advance(to: 1_000)
    let expected = (0..<1_000).map { (wait: $0 * 7 % 500 + 1, name: "\($0)", index: $0) }
      .sorted { ($0.wait, $0.index) < ($1.wait, $1.index) }
    #expect(rig.times == expected.map { Int64($0.wait) })
    #expect(rig.plays.map(\.trigger) == expected.map(\.name))
  }

  @Test func `waits that are called off leave the others in order`() {
    // 1,009 is a prime, so these waits are all different and in no order.
    let waits = (1...1_000).map { $0 * 337 % 1_009 }
    let names = waits.indices.map { ValueName.name("v\($0)") }
    var rig = TriggerRig(
      waits.indices.map { .test(name: "\($0)", value: names[$0], debounce: .milliseconds(waits[$0])) })
    for name in names {
      rig.set(.number(1), at: 0, name: name)
      rig.set(.number(2), at: 0, name: name)
    }
    let calledOff = waits.indices.filter { $0 % 5 != 2 }.reversed()
    for index in calledOff {
      let change = Change(value: TriggerRig.id(names[index]), old: .number(3), new: .number(3), isAppearance: true)
      rig.process(change, at: 0)
    }
    rig.advance(to: 2_000)
    #expect(rig.times == waits.indices.filter { $0 % 5 == 2 }.map { Int64(waits[$0]) }.sorted())
  }

  @Test func `time that goes backwards stands still`() {
    var rig = TriggerRig(
      .test(name: "wait", debounce: .milliseconds(10)), .test(name: "gap", throttle: .milliseconds(10)))
    rig.set(.number(1), at: 100)
    rig.set(.number(2), at: 100)
    rig.set(.number(3), at: 40)
    rig.advance(to: 50)
    #expect(rig.plays == [.init(trigger: "gap", sound: "ding", at: 100)])
    #expect(rig.engine.nextDeadline == Instant(110))
    rig.advance(to: 110)
    rig.set(.number(4), at: -5)
    #expect(
      rig.plays.dropFirst() == [
        .init(trigger: "wait", sound: "ding", at: 110), .init(trigger: "gap", sound: "ding", at: 110),
      ])
  }

  @Test func `counts changes and plays and remembers the last play`() {
    var rig = TriggerRig(.test(to: [.number(2)]))
    #expect(rig.counters() == TriggerCounters())
    rig.set([1, 2, 3, 2, 4])
    #expect(rig.counters().changes == 4)
    #expect(rig.counters().played == 2)
    #expect(rig.counters().lastPlay == Instant(3))
    #expect(rig.counters().lastVerdict == .notTo)
  }

  @Test func `among ten thousand triggers a change reaches its own alone`() {
    let definitions = (0..<10_000).map { index in
      TriggerDefinition.test(
        name: "t\(index)", value: .name("v\(index)"), sound: .sound("s\(index % 10)"), debounce: .milliseconds(10))
    }
    var rig = TriggerRig(definitions)
    for index in definitions.indices {
      rig.set(.number(0), at: 0, name: .name("v\(index)"))
    }
    for index in definitions.indices {
      rig.set(.number(1), at: Int64(index) / 1_000, name: .name("v\(index)"))
    }
    rig.set(.number(2), at: 15, name: .name("v7654"))
    #expect(rig.plays.count == 6_000)
    rig.advance(to: 100)
    #expect(rig.plays.count == 10_000)
    #expect(rig.plays.last == .init(trigger: "t7654", sound: "s4", at: 25))
    #expect(definitions.indices.allSatisfy { rig.counters($0).played == 1 })
    #expect(rig.engine.sounds.count == 10)
  }

  @Test func `a play has its trigger's settings, and one that is muted counts`() {
    let settings = PlaySettings(volume: 0.5, pan: -1, fadeIn: .seconds(1), importance: .high)
    var definition = TriggerDefinition.test()
    definition.settings = settings
    var rig = TriggerRig(definition)
    rig.answer = .muted
    rig.set([1, 2], from: 4)
    #expect(rig.settings == [settings])
    #expect(rig.counters().played == 1)
    #expect(rig.counters().lastPlay == Instant(5))
    #expect(rig.counters().lastVerdict == .muted)
  }
}
