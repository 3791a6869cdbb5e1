import SoundTrigger
import Testing

/// What an alarm shows, and when it sounds, over time.
@Suite struct AlarmStateTests {
  @Test func `it is pending while its delay or its throttle runs`() {
    Marbles(to: [.utf8("B")], delay: 2, loop: true).expect(
      values: "A-B-----A-BA--",
      plays: "----B---------",
      stops: "--------|-----",
      states: "nnppaaaannpnnn")
    Marbles(to: [.utf8("B")], debounce: 2, loop: true).expect(
      values: "A-B-----",
      plays: "----B---",
      states: "nnppaaaa")
    Marbles(to: [.utf8("B")], throttle: 5, loop: true).expect(
      values: "A-BAB--------",
      plays: "--B----B-----",
      stops: "---|---------",
      states: "nnanpppaaaaaa")
  }

  @Test func `a debounce that will end it again makes no pending alarm`() {
    Marbles(to: [.utf8("B")], debounce: 2, loop: true).expect(
      values: "A-BA----",
      plays: "--------",
      states: "nnpnnnnn")
  }

  @Test func `what was acknowledged ends with the condition`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A-B-",
      people: "----k-----",
      plays: "--B-----B-",
      stops: "----|-----",
      states: "nnaakknnaa")
  }

  @Test func `what was snoozed ends with time, also if the condition has begun anew`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B-----------",
      people: "----z---------",
      plays: "--B----B------",
      stops: "----|---------",
      states: "nnaazzzaaaaaaa")
    Marbles(to: [.utf8("B")], loop: true, snooze: 6).expect(
      values: "A-B--A-B------",
      people: "---z----------",
      plays: "--B------B----",
      stops: "---|----------",
      states: "nnazznnzzaaaaa")
  }

  @Test func `an alarm may be snoozed before it begins, and sounds at once when somebody ends that`() {
    Marbles(to: [.utf8("B")], loop: true, snooze: 20).expect(
      values: "A---B-----",
      people: "--z----u--",
      plays: "-------B--",
      states: "nnnnzzzaaa")
  }

  @Test func `acknowledging ends a snooze`() {
    Marbles(to: [.utf8("B")], loop: true, snooze: 20).expect(
      values: "A-B---A-B-",
      people: "---zk-----",
      plays: "--B-----B-",
      stops: "---|------",
      states: "nnazkknnaa")
  }

  @Test func `a latched alarm sounds until somebody acknowledges it, and becomes active if the condition returns`() {
    Marbles(to: [.utf8("B")], latch: true).expect(
      values: "A-B-A---B-A---",
      people: "------------k-",
      plays: "--B-----------",
      stops: "------------|-",
      states: "nnaallllaallnn")
    Marbles(to: [.utf8("B")], latch: true).expect(
      values: "A-B--A----",
      people: "---k------",
      plays: "--B-------",
      stops: "---|------",
      states: "nnakknnnnn")
  }

  @Test func `the end waits for off_delay, and a return before it is no new beginning`() {
    Marbles(to: [.utf8("B")], offDelay: 2).expect(
      values: "A-B-AB---A----",
      plays: "--B-----------",
      stops: "-----------|--",
      states: "nnaaaaaaaaannn")
    Marbles(to: [.utf8("B")], offDelay: 2).expect(
      values: "A-B-AB---A----",
      people: "---k----------",
      plays: "--B-----------",
      stops: "---|----------",
      states: "nnakkkkkkkknnn")
    Marbles(to: [.utf8("B")], latch: true, offDelay: 2).expect(
      values: "A-B-A---",
      plays: "--B-----",
      states: "nnaaaall")
  }

  @Test func `realarm makes it active again, as often as it is acknowledged`() {
    Marbles(to: [.utf8("B")], realarm: 3).expect(
      values: "A-B----------",
      people: "----k---k----",
      plays: "--B----B---B-",
      stops: "----|---|----",
      states: "nnaakkkakkkaa")
    Marbles(to: [.utf8("B")], limit: 4, realarm: 2).expect(
      values: "A-B-----------",
      plays: "--B-----B-----",
      stops: "------|-----|-",
      states: "nnaaaakkaaaakk")
  }

  @Test func `an acknowledged alarm rings again if a second value begins to meet the condition`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---------",
      others: "A-----B-----",
      people: "----k---k---",
      plays: "--B---B-----",
      stops: "----|---|---",
      states: "nnaakkaakkkk")
  }

  @Test func `a gate silences it, and lets it sound as soon as it is false or stale`() {
    for gates in ["---t--f---", "---t--s---"] {
      Marbles(to: [.utf8("B")], loop: true).expect(
        values: "A-B-------",
        gates: gates,
        plays: "--B---B---",
        stops: "---|------",
        states: "nnasssaaaa")
    }
  }

  @Test func `its life moves on while it is silenced`() {
    Marbles(to: [.utf8("B")], latch: true).expect(
      values: "A-B--A-----",
      gates: "---t----f--",
      plays: "--B-----B--",
      stops: "---|-------",
      states: "nnassssslll")
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B--A-----",
      gates: "---t----f--",
      plays: "--B--------",
      stops: "---|-------",
      states: "nnassnnnnnn")
    Marbles(to: [.utf8("B")], delay: 3, loop: true).expect(
      values: "A-B--------",
      gates: "---t---f---",
      plays: "-------B---",
      states: "nnpssssaaaa")
    Marbles(to: [.utf8("B")], limit: 4).expect(
      values: "A-B--------",
      profiles: "---q----f--",
      plays: "--B--------",
      stops: "---|-------",
      states: "nnassssskkk")
  }

  @Test func `the profile silences it like a gate`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B-------",
      profiles: "---q--f---",
      plays: "--B---B---",
      stops: "---|------",
      states: "nnasssaaaa")
  }

  @Test func `a snooze and a gate end each by itself`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B--------",
      people: "---z-------",
      gates: "----t---f--",
      plays: "--B-----B--",
      stops: "---|-------",
      states: "nnazzzssaaa")
  }

  @Test func `the profile that a gate restricts is one of the causes that are told`() {
    let definition = TriggerDefinition.test(above: 5, loop: .init())
    var rig = TriggerRig([definition], profileGates: [.name("v8"): .quiet])
    rig.set([1, 6])
    rig.set(.bool(true), at: 5, name: .name("v8"))
    #expect(rig.alarm()?.silence == .profile(.quiet))
    #expect(rig.causesOfStops == [.profile])
    rig.becomeStale(at: 9, name: .name("v8"))
    #expect(rig.times == [1, 9])
    rig.setProfile(.silent, at: 10)
    rig.report(at: 11, name: .name("v8"))
    #expect(rig.engine.profile == .silent)
    rig.setProfile(.full, at: 12)
    #expect(rig.engine.profile == .quiet)
  }

  // MARK: What changes while it lasts

  @Test func `the pauses of a list follow each other, the last one stays, and each beginning starts with the first`() {
    let every = [10, 20, 30].map { Duration.milliseconds($0) }
    var rig = TriggerRig(.test(above: 5, loop: .init(every: every, realarm: .milliseconds(5))))
    rig.set([1, 6])
    for time in stride(from: Int64(2), to: 100, by: 1) {
      rig.endSound(at: time)
      rig.advance(to: time)
    }
    #expect(rig.times == [1, 11, 31, 61, 91])
    rig.acknowledge(at: 100)
    rig.advance(to: 105)
    rig.endSound(at: 106)
    rig.advance(to: 115)
    #expect(rig.times == [1, 11, 31, 61, 91, 105, 115])
  }

  @Test func `escalation counts from when it became active, also while it is silenced`() {
    let steps: [TriggerDefinition.Escalation] = [
      .init(after: .milliseconds(10), volume: 0.5), .init(after: .milliseconds(20), importance: .critical),
      .init(after: .milliseconds(30), sound: "siren"),
    ]
    var rig = TriggerRig(.test(above: 5, loop: .init(escalation: steps)))
    rig.set([1, 6])
    rig.advance(to: 11)
    #expect(rig.adjusted.map(\.volume) == [0.5])
    rig.setProfile(.silent, at: 15)
    #expect(rig.alarm()?.state == .suppressed)
    rig.advance(to: 21)
    #expect(rig.times == [1, 21])
    #expect(rig.settings.last == PlaySettings(volume: 0.5, importance: .critical))
    rig.snooze(until: 40, at: 25)
    rig.advance(to: 40)
    #expect(rig.sounds == ["ding", "ding", "siren"])
    rig.acknowledge(at: 50)
    rig.set(.number(1), at: 51)
    rig.setProfile(.full, at: 52)
    rig.set(.number(6), at: 53)
    #expect(rig.sounds.last == "ding")
    #expect(rig.settings.last == PlaySettings())
  }

  @Test func `an importance that is lowered counts for the profile, too`() {
    let step = TriggerDefinition.Escalation(after: .milliseconds(10), importance: .low)
    var rig = TriggerRig(.test(above: 5, loop: .init(escalation: [step]), importance: .critical))
    rig.setProfile(.quiet, at: 0)
    rig.set([1, 6])
    rig.advance(to: 11)
    #expect(rig.alarm()?.silence == .profile(.quiet))
    #expect(rig.sounding.isEmpty)
  }

  @Test func `a latched alarm that returns with another sound changes to it`() {
    let table = SoundChoice.table([.utf8("B"): "bell", .utf8("C"): "chime"], otherwise: nil)
    var rig = TriggerRig(.test(sound: table, loop: .init(latch: true)))
    for (time, text) in ["A", "B", "A", "C"].enumerated() { rig.set(.utf8(text), at: Int64(time)) }
    #expect(rig.sounds == ["bell", "chime"])
    #expect(rig.alarm()?.life == .active)
    #expect(rig.alarm()?.since == Instant(1))
  }

  @Test func `a pending alarm is not left acknowledged if its condition has ended behind a debounce`() {
    var rig = TriggerRig(
      .test(to: [.number(2)], debounce: .milliseconds(5), delay: .milliseconds(20), loop: .init()))
    rig.set([1, 2])
    rig.advance(to: 6)
    rig.set(.number(1), at: 8)
    rig.acknowledge(at: 9)
    #expect(rig.alarm()?.life == .normal)
    rig.set(.number(2), at: 10)
    rig.advance(to: 40)
    #expect(rig.times == [35])
  }

  @Test func `an alarm that rings again counts as heard when a device has taken it again`() {
    var rig = TriggerRig(.test(above: 5, loop: .init(realarm: .milliseconds(10))))
    rig.set([1, 6])
    rig.acknowledge(at: 2)
    rig.answer = .refused(.crowded)
    rig.advance(to: 12)
    #expect(rig.alarm()?.isHeard == false)
    #expect(rig.engine.soundingAlarms.isEmpty)
    rig.answer = .heard
    rig.returnDevice(at: 20)
    #expect(rig.engine.soundingAlarms == [TriggerID(index: 0)])
    #expect(rig.verdicts() == [.appeared, .played, .played])
  }

  @Test func `an alarm whose sounds are no longer muted sounds at once, and only what was audible was heard`() throws {
    var rig = TriggerRig(
      .test(above: 5, loop: .init(every: [.seconds(60)]), importance: .critical),
      .test(name: "u", above: 5, loop: .init()))
    rig.answer = .muted
    rig.set([1, 6])
    rig.endSound(at: 50)
    #expect(rig.engine.soundingAlarms.isEmpty)
    rig.answer = .heard
    for index in 0..<2 { rig.becomeAudible(index, at: 100) }
    #expect(rig.plays.map { "\($0.trigger)\($0.at)" } == ["t1", "u1", "t100", "u100"])
    #expect(rig.engine.soundingAlarms.count == 2)
    // What sounds and was heard goes on.
    rig.becomeAudible(1, at: 200)
    #expect(rig.plays.count == 4)
  }

  @Test func `each free voice goes to one alarm, the most important first, and a critical one does not wait`() {
    let alarms = ["low", "critical"].map { name in
      TriggerDefinition.test(
        name: name, above: 5, loop: .init(), importance: PlaySettings.Importance(rawValue: name) ?? .normal)
    }
    var rig = TriggerRig(alarms)
    rig.answer = .refused(.crowded)
    rig.set([1, 6])
    rig.answer = .heard
    for time: Int64 in [10, 20] {
      rig.tell(.ended(Play(id: PlayID(99), trigger: nil, sound: "s", at: Instant(0)), .finished), at: time)
      rig.endSound(at: time + 1, 1, .stolen)
    }
    #expect(
      rig.plays.dropFirst(2).map { "\($0.trigger)\($0.at)" } == ["critical10", "critical11", "low20", "critical21"])
    #expect(rig.sounding == ["low": 1, "critical": 1])
  }
}
