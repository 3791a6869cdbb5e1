import SoundTrigger
import Testing

@Suite struct ProfileTests {
  @Test(arguments: [
    (Profile.full, "low normal high critical"), (.quiet, "high critical"), (.silent, "critical"),
  ])
  func `says who plays`(profile: Profile, heard: String) {
    let definitions = PlaySettings.Importance.allCases.map {
      TriggerDefinition.test(name: $0.rawValue, importance: $0)
    }
    var rig = TriggerRig(definitions)
    rig.setProfile(profile, at: 0)
    #expect(rig.engine.profile == profile)
    rig.set([1, 2])
    #expect(rig.plays.map(\.trigger).joined(separator: " ") == heard)
    for (index, importance) in PlaySettings.Importance.allCases.enumerated() {
      #expect(rig.counters(index).lastVerdict == (profile.admits(importance) ? .played : .profile(profile)))
    }
  }

  @Test func `what it keeps silent is no play and starts no interval`() {
    Marbles(throttle: 4).expect(
      values: "A-B-C----",
      profiles: "q--f-----",
      plays: "----C----")
  }

  @Test func `a throttled change is told as that, not as kept silent`() {
    var rig = TriggerRig(.test(throttle: .milliseconds(10)))
    rig.set([1, 2])
    rig.setProfile(.silent, at: 2)
    rig.set(.number(3), at: 3)
    #expect(rig.verdict == .throttled(for: .milliseconds(8)))
  }

  @Test func `ends the sounds that it does not admit`() {
    Marbles().expect(values: "A-B---", profiles: "----q-", plays: "--B---", stops: "----|-")
    Marbles(importance: .high).expect(values: "A-B---", profiles: "----q-", plays: "--B---")
    Marbles(importance: .high).expect(values: "A-B---", profiles: "----s-", plays: "--B---", stops: "----|-")
  }

  @Test func `drops what waits for its turn`() {
    var rig = TriggerRig(.test(overlap: .queue))
    rig.set([1, 2, 3])
    rig.setProfile(.quiet, at: 5)
    #expect(rig.verdicts() == [.appeared, .played, .profile(.quiet)])
    #expect(rig.activity() == TriggerActivity(state: .sounding))
  }

  @Test func `leaves waits alone, and is asked at their end`() {
    Marbles(delay: 4).expect(values: "A-B-----", profiles: "---qf---", plays: "------B-")
    Marbles(delay: 4).expect(values: "A-B-----", profiles: "---q----", plays: "--------")
    Marbles(debounce: 4).expect(values: "A-B-----", profiles: "q---f---", plays: "------B-")
  }

  @Test func `silences a loop, which is heard again if it still lasts`() {
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B-------A---",
      profiles: "----q--f------",
      plays: "--B----B------",
      stops: "----|-----|---")
    Marbles(to: [.utf8("B")], loop: true).expect(
      values: "A-B---A-------",
      profiles: "----q----f----",
      plays: "--B-----------",
      stops: "----|---------")
  }

  @Test func `a loop that begins unheard is heard when the profile admits it`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.setProfile(.quiet, at: 0)
    rig.set([1, 6])
    #expect(rig.verdict == .profile(.quiet))
    #expect(rig.activity() == TriggerActivity(state: .looping))
    rig.setProfile(.silent, at: 5)
    #expect(rig.plays.isEmpty)
    rig.setProfile(.full, at: 9)
    #expect(rig.times == [9])
    #expect(rig.verdicts() == [.appeared, .played])
  }

  @Test func `the pause of a repeated loop counts from the end of the silence`() {
    Marbles(to: [.utf8("B")], every: 4, length: 1).expect(
      values: "A-B--------------",
      profiles: "---q------f------",
      plays: "--B-------B---B--")
    Marbles(to: [.utf8("B")], every: 4, length: 1).expect(
      values: "A-B--------------",
      profiles: "---q-------f-----",
      plays: "--B--------B---B-")
  }
}
