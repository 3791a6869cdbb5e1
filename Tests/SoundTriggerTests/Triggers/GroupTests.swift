import SoundTrigger
import Testing

/// Triggers of which many may play at once, and one sound stands for the others.
@Suite struct GroupTests {
  private static let net = TriggerDefinition.Group(name: "net", within: .seconds(10))

  private func member(
    _ name: String, _ value: String, importance: PlaySettings.Importance = .normal, sound: String? = nil,
    _ change: (inout TriggerDefinition) -> Void = { _ in }
  ) -> TriggerDefinition {
    TriggerDefinition.test(name: name, value: .name(value), sound: .sound(name), importance: importance).with {
      $0.group = Self.net
      $0.group?.sound = sound
      change(&$0)
    }
  }

  /// A rig whose values `v0`, `v1` and `v2` have appeared.
  private func rig(_ definitions: TriggerDefinition...) -> TriggerRig {
    var rig = TriggerRig(definitions)
    rig.set((0..<3).map { (.name("v\($0)"), .number(0)) }, at: 0)
    return rig
  }

  private func heard(_ rig: TriggerRig) -> [String] { rig.plays.map { "\($0.at) \($0.sound)" } }

  @Test func `the first one is heard, and one sound stands for what follows in the window`() {
    var rig = rig(member("a", "v0"), member("b", "v1"))
    for time in 1...4 { rig.set(.number(Double(time)), at: Int64(time) * 1000, name: .name("v\(time % 2)")) }
    rig.advance(to: 60_000)
    #expect(heard(rig) == ["1000 b", "11000 a"])
    #expect(rig.verdicts(0) == [.appeared, .played, .grouped(others: 2)])
    #expect(rig.verdicts(1) == [.appeared, .played, .grouped(others: 2)])
  }

  @Test func `a window in which something was held back is followed by one of twice its length, at most 5 min`() {
    var rig = rig(member("a", "v0", sound: "summary"))
    for second in 1...2_000 { rig.set(.number(Double(second)), at: Int64(second) * 1000) }
    #expect(
      heard(rig) == ["1000 a"] + [11, 31, 71, 151, 311, 611, 911, 1211, 1511, 1811].map { "\($0 * 1000) summary" })
    // In the last window nothing follows, so it ends, and the next play is heard at once.
    rig.advance(to: 10_000_000)
    let count = rig.plays.count
    rig.set(.number(0), at: 10_000_001)
    #expect(rig.plays.count == count + 1)
  }

  @Test func `a more important one is heard at once, and less important ones after it are not`() {
    var rig = rig(member("a", "v0"), member("b", "v1", importance: .high), member("c", "v2", importance: .critical))
    rig.set(.number(1), at: 1000)
    rig.set(.number(1), at: 2000, name: .name("v1"))
    rig.set(.number(2), at: 3000, name: .name("v1"))
    rig.set(.number(1), at: 4000, name: .name("v2"))
    rig.set(.number(2), at: 5000)
    rig.advance(to: 20_000)
    #expect(heard(rig) == ["1000 a", "2000 b", "4000 c", "11000 b"])
  }

  @Test func `an alarm is never held back`() {
    var rig = rig(member("a", "v0"), member("b", "v1") { ($0.loop, $0.to) = (.init(), [.number(1)]) })
    rig.set(.number(1), at: 1000)
    rig.set(.number(1), at: 2000, name: .name("v1"))
    #expect(heard(rig) == ["1000 a", "2000 b"])
  }

  @Test func `what is held back does not count for the throttle, and cancel removes it`() {
    var rig = rig(
      member("a", "v0"), member("b", "v1") { ($0.cancel, $0.timing.throttle) = (.name("v2"), .seconds(5)) })
    rig.set(.number(1), at: 1000)
    rig.set(.number(1), at: 2000, name: .name("v1"))
    #expect(rig.engine.lastPlay(of: TriggerID(index: 1)) == nil)
    rig.set(.number(1), at: 3000, name: .name("v2"))
    rig.advance(to: 20_000)
    #expect(heard(rig) == ["1000 a"])
    #expect(rig.verdicts(1).last == .cancelled)
  }

  @Test func `what stands for the others does not count for the throttle`() {
    var rig = rig(member("a", "v0"), member("b", "v1") { $0.timing.throttle = .seconds(30) })
    rig.set(.number(1), at: 1000)
    rig.set(.number(1), at: 2000, name: .name("v1"))
    rig.advance(to: 11_000)
    #expect(heard(rig) == ["1000 a", "11000 b"])
    #expect(rig.engine.lastPlay(of: TriggerID(index: 1)) == nil)
    // The window of 20 s is over, and the interval of the throttle is not.
    rig.set(.number(2), at: 31_000, name: .name("v1"))
    #expect(heard(rig).last == "31000 b")
    rig.set(.number(3), at: 60_000, name: .name("v1"))
    #expect(rig.verdicts(1).last == .throttled(for: .seconds(1)))
  }

  @Test func `if the first one was never heard the next is`() {
    var rig = rig(member("a", "v0"))
    rig.answer = .refused(.noDevice)
    rig.set(.number(1), at: 1000)
    rig.answer = .heard
    rig.set(.number(2), at: 1001)
    #expect(heard(rig) == ["1000 a", "1001 a"])
  }

  @Test func `what the profile silences meanwhile does not stand for the others`() {
    var rig = rig(member("a", "v0", importance: .high), member("b", "v1"), member("c", "v2", importance: .high))
    rig.set(.number(1), at: 1000)
    rig.set(.number(2), at: 2000)
    rig.set(.number(1), at: 3000, name: .name("v1"))
    rig.setProfile(.quiet, at: 4000)
    rig.advance(to: 20_000)
    #expect(heard(rig) == ["1000 a", "11000 a"])
    rig.setProfile(.silent, at: 21_000)
    rig.set(.number(3), at: 22_000)
    #expect(rig.verdict == .profile(.silent))
  }

  @Test func `a reload ends the window, and what was held back is heard`() {
    var rig = rig(member("a", "v0"), member("b", "v1"))
    rig.set(.number(1), at: 1000)
    rig.set(.number(1), at: 2000, name: .name("v1"))
    rig.reload([member("b", "v1")], at: 3000)
    #expect(heard(rig) == ["1000 a", "3000 b"])
  }
}
