import SoundTrigger
import Testing

/// Every life of an alarm by everything that may happen to it.
///
/// A cell is the life afterwards: `n` normal, `p` pending, `a` active, `l` latched, `k` acknowledged. `/z` and `/s` stand behind a
/// life that a snooze or a suppressor hides, `+z` behind a normal one that is snoozed. A `!` says that a sound began. The alarm
/// sounds if it shows `a` or `l`, and never otherwise.
@Suite struct AlarmLifeTests {
  /// The lives before: `A` is active and would latch. The gate is what suppresses.
  private static let rows = "n p a A l k n+z a/z a/s k/z l/z l/s p/s".split(separator: " ").map(String.init)

  private static let gate = ValueName.name("v8")
  private static let cancel = ValueName.name("v9")
  private static let second = ValueName.name("v1")

  private static func definition(latch: Bool) -> TriggerDefinition {
    TriggerDefinition.test(
      name: "alarm", to: [.utf8("B"), .utf8("C")], delay: .seconds(10), cancel: cancel, unless: [gate],
      loop: .init(limit: .seconds(200), latch: latch, offDelay: .seconds(5), realarm: .seconds(600))
    ).with { $0.values = [.v0, second] }
  }

  private static let table = SoundChoice.table([.utf8("B"): "bell", .utf8("C"): "chime"], otherwise: nil)

  /// Something that happens 20 s after the beginning.
  struct Event: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var cells: String
    /// What is different in the definition.
    var adapt: @Sendable (inout TriggerDefinition) -> Void = { _ in }
    var happen: @Sendable (inout TriggerRig) -> Void

    init(
      _ description: String, _ cells: String, adapt: @escaping @Sendable (inout TriggerDefinition) -> Void = { _ in },
      _ happen: @escaping @Sendable (inout TriggerRig) -> Void
    ) {
      (testDescription, self.cells, self.adapt, self.happen) = (description, cells, adapt, happen)
    }
  }

  private static let condition = [
    //                                            n  p  a  A  l  k n+z a/z a/s k/z l/z l/s p/s
    Event("a content that meets the condition", " p  p  a  a  l  k p/z a/z a/s k/z l/z l/s p/s") {
      $0.set(.utf8("C"), at: 20_000)
    },
    Event("such a content, and the delay ends", " a! a! a  a  a  k a/z a/z a/s k/z a/z a/s a/s") {
      $0.set(.utf8("C"), at: 20_000)
      $0.advance(to: 31_000)
    },
    Event("a content that does not meet it   ", " n  n  a  a  l  k n+z a/z a/s k/z l/z l/s n") {
      $0.set(.utf8("A"), at: 20_000)
    },
    Event("the same, and off_delay ends      ", " n  n  n  l  l  n n+z n+z n   n+z l/z l/s n") {
      $0.set(.utf8("A"), at: 20_000)
      $0.advance(to: 25_000)
    },
    Event("the condition returns in off_delay", " a! a! a  a  a  k a/z a/z a/s k/z a/z a/s a/s") {
      $0.set(.utf8("A"), at: 20_000)
      $0.set(.utf8("B"), at: 22_000)
      $0.advance(to: 40_000)
    },
    Event("it returns after off_delay        ", " a! a! a! a  a  a! a/z a/z a/s a/z a/z a/s a/s") {
      $0.set(.utf8("A"), at: 20_000)
      $0.set(.utf8("B"), at: 30_000)
      $0.advance(to: 41_000)
    },
    Event("a second value begins to meet it  ", " a! a! a  a  a  a! a/z a/z a/s a/z a/z a/s a/s") {
      $0.set(.utf8("B"), at: 20_000, name: second)
      $0.advance(to: 31_000)
    },
    Event("another sound is chosen           ", " a! a! a! a! a! a! a/z a/z a/s a/z a/z a/s a/s") {
      $0.values = [.v0]
      $0.sound = table
    } _: {
      $0.set(.utf8("C"), at: 20_000)
      $0.advance(to: 31_000)
    },
    Event("the value is forgotten            ", " n  n  n  l  l  n n+z n+z n   n+z l/z l/s n") {
      $0.unset(at: 20_000)
      $0.advance(to: 25_000)
    },
  ]

  private static let people = [
    //                             n  p  a  A  l  k n+z a/z a/s k/z l/z l/s p/s
    Event("it is acknowledged ", " n  k  k  k  n  k n+z k   k/s k   n   n   k/s") { $0.acknowledge(at: 20_000) },
    Event("stop NAME          ", " n  k  k  k  n  k n+z k   k/s k   n   n   k/s") { $0.callOff(at: 20_000) },
    Event("cancel changes     ", " n  k  k  k  n  k n+z k   k/s k   n   n   k/s") {
      $0.set(.bool(true), at: 20_000, name: cancel)
    },
    Event("loop_limit ends    ", " n  a! k  k  n  k n+z k   k/s k/z n   n   a/s") { $0.advance(to: 211_000) },
    Event("realarm ends       ", " n  k! k  k  n  a! n  k   k/s a!  n   n   k/s") { $0.advance(to: 612_000) },
    Event("it is snoozed      ", " n+z p/z a/z a/z l/z k/z n+z a/z a/z k/z l/z l/z p/z") {
      $0.snooze(until: 420_000, at: 20_000)
    },
    Event("a snooze ends      ", " n  a! a! a! l! k n   a!  a/s k   l!  l/s a/s") {
      $0.snooze(until: 40_000, at: 20_000)
      $0.advance(to: 40_000)
    },
    Event("it is unsnoozed    ", " n  p  a  a  l  k n   a!  a/s k   l!  l/s p/s") { $0.snooze(until: nil, at: 20_000) },
    Event("all sounds are stopped", " n p k  k  n  k n+z k  k/s k   n   n   p/s") { $0.stopSounds(at: 20_000) },
  ]

  private static let suppressors = [
    //                                     n  p   a   A   l   k   n+z a/z a/s k/z l/z l/s p/s
    Event("a gate becomes true         ", "n  p/s a/s a/s l/s k/s n+z a/z a/s k/z l/z l/s p/s") {
      $0.set(.bool(true), at: 20_000, name: gate)
    },
    Event("it becomes false again      ", "n  p   a!  a!  l!  k   n+z a/z a!  k/z l/z l!  p") {
      $0.set(.bool(true), at: 20_000, name: gate)
      $0.set(.bool(false), at: 21_000, name: gate)
    },
    Event("it becomes stale            ", "n  p   a!  a!  l!  k   n+z a/z a!  k/z l/z l!  p") {
      $0.set(.bool(true), at: 20_000, name: gate)
      $0.becomeStale(at: 21_000, name: gate)
    },
    Event("it is forgotten             ", "n  p   a!  a!  l!  k   n+z a/z a!  k/z l/z l!  p") {
      $0.set(.bool(true), at: 20_000, name: gate)
      $0.unset(at: 21_000, name: gate)
    },
    Event("the profile does not admit it", "n p/s a/s a/s l/s k/s n+z a/z a/s k/z l/z l/s p/s") {
      $0.setProfile(.quiet, at: 20_000)
    },
    Event("the profile admits it again ", "n  p   a!  a!  l!  k   n+z a/z a/s k/z l/z l/s p/s") {
      $0.setProfile(.quiet, at: 20_000)
      $0.setProfile(.full, at: 21_000)
    },
    Event("the sound is loaded again   ", "n  p   a!  a!  l!  k   n+z a/z a/s k/z l/z l/s p/s") {
      $0.setBroken(["ding"], at: 20_000)
      $0.endSound(at: 20_000, 0, .stolen)
      $0.setBroken([], at: 21_000)
    },
  ]

  private static let memory = [
    //                                                     n  p  a  A  l  k n+z a/z a/s k/z l/z l/s p/s
    Event("a reload that keeps the trigger             ", "n  p  a  a  l  k n+z a/z a/s k/z l/z l/s p/s") {
      reload(&$0) { _ in }
    },
    Event("a reload with another volume                ", "n  p  a! a! l! k n+z a/z a/s k/z l/z l/s p/s") {
      reload(&$0) { $0.settings.volume = 0.5 }
    },
    Event("a reload, and the condition no longer holds ", "n  n  n  l! l! n n+z n+z n   n+z l/z l/s n") {
      reload(&$0) { $0.to = [.utf8("X")] }
    },
    Event("a reload, and it holds with what it did not ", "n  n  n  l! a! n n+z n+z n   n+z a/z a/s n") {
      reload(&$0) {
        $0.to = [.utf8("A")]
        $0.values = [.v0]
      }
    },
    Event("a reload without latch                      ", "n  p  a! a! l! k n+z a/z a/s k/z l/z l/s p/s") {
      reload(&$0) {
        $0.loop?.latch = false
        $0.settings.pan = 1
      }
    },
    Event("a reload that makes it no alarm, and back   ", "n  n  n  n  n  n n   n   n   n   n   n   n") { rig in
      let definitions = rig.engine.definitions
      reload(&rig) { $0.loop = nil }
      rig.reload(definitions, at: 21_000)
    },
    Event("a reload that removes it, and another       ", "n  n  n  n  n  n n   n   n   n   n   n   n") {
      let definitions = $0.engine.definitions
      $0.reload([], at: 20_000)
      $0.reload(definitions, at: 21_000)
    },
    Event("a reload that reads the value anew          ", "n  p  a  a  l  k n+z a/z a/s k/z l/z l/s p/s") {
      $0.readAnew(at: 20_000)
    },
    Event("the same, and the condition holds           ", "n  p  a  a  l  k n+z a/z a/s k/z l/z l/s p/s") {
      let content: Value = $0.alarm().map { [.normal, .latched].contains($0.life) } == true ? .utf8("A") : .utf8("B")
      $0.readAnew(at: 20_000)
      $0.appear(content, at: 20_001)
    },
    Event("the same, and the condition has ended       ", "n  n  n  l  l  n n+z n+z n   n+z l/z l/s n") {
      $0.readAnew(at: 20_000)
      $0.appear(.utf8("A"), at: 20_001)
      $0.advance(to: 26_000)
    },
    Event("a restart without content                   ", "n  p  a! a! l! k n+z a/z a!  k/z l/z l!  p") {
      $0.restart(at: 20_000)
    },
    Event("a restart, and the condition holds          ", "n  p  a! a! l! k n+z a/z a!  k/z l/z l!  p") {
      let content: Value = $0.alarm().map { [.normal, .latched].contains($0.life) } == true ? .utf8("A") : .utf8("B")
      $0.restart(at: 20_000)
      $0.set(content, at: 20_001)
    },
    Event("a restart, and the condition has ended      ", "n  n  n! l! l! n n+z n+z n!  n+z l/z l!  n") {
      $0.restart(at: 20_000)
      $0.set(.utf8("A"), at: 20_001)
      $0.advance(to: 26_000)
    },
    Event("a restart, and the delay ends before content", "n  a! a! a! l! k n+z a/z a!  k/z l/z l!  a!") {
      $0.restart(at: 20_000)
      $0.advance(to: 26_000)
    },
    Event("a restart in off_delay, and it has ended    ", "n  n  n! l! l! n n+z n+z n!  n+z l/z l!  n") {
      $0.set(.utf8("A"), at: 20_000)
      $0.restart(at: 21_000)
      $0.set(.utf8("A"), at: 21_001)
      $0.advance(to: 27_000)
    },
    Event("a restart, and the limit ends               ", "n  a! k! k! n! k n+z k   k!  k/z n   n!  a!") {
      $0.restart(at: 20_000)
      $0.advance(to: 211_000)
    },
  ]

  private static func reload(_ rig: inout TriggerRig, _ change: (inout TriggerDefinition) -> Void) {
    rig.reload([rig.engine.definitions[0].with(change)], at: 20_000)
  }

  @Test(arguments: condition + people + suppressors + memory)
  func `each life becomes what it should`(event: Event) {
    let cells = event.cells.split(separator: " ").map(String.init)
    #expect(cells.count == Self.rows.count)
    for (row, expected) in zip(Self.rows, cells) {
      var rig = Self.rig(in: row, adapt: event.adapt)
      let before = rig.plays.count
      event.happen(&rig)
      #expect(Self.cell(rig, before) == expected, "after \(row)")
      let shown = rig.alarm()?.state
      #expect((rig.sounding["alarm"] == 1) == (shown == .active || shown == .latched), "after \(row)")
    }
  }

  /// An alarm that is as a row says, 20 s after the beginning.
  private static func rig(in row: String, adapt: (inout TriggerDefinition) -> Void) -> TriggerRig {
    let life = row.first ?? "n"
    var rig = TriggerRig(definition(latch: life == "A" || life == "l").with(adapt))
    rig.set([(.v0, .utf8("A")), (second, .utf8("A")), (gate, .bool(false)), (cancel, .bool(false))], at: 0)
    if life != "n", life != "p" { rig.set(.utf8("B"), at: 1_000) }
    rig.advance(to: 11_000)
    if life == "k" { rig.acknowledge(at: 12_000) }
    if row.hasSuffix("z") { rig.snooze(until: 320_000, at: 12_000) }
    if row.hasSuffix("s") { rig.set(.bool(true), at: 12_000, name: gate) }
    if life == "l" { rig.set(.utf8("A"), at: 12_000) }
    if life == "p" { rig.set(.utf8("B"), at: 15_000) }
    rig.advance(to: 19_999)
    #expect(cell(rig, rig.plays.count) == row.lowercased())
    return rig
  }

  private static func cell(_ rig: TriggerRig, _ before: Int) -> String {
    guard let alarm = rig.alarm() else { return "?" }
    var cell = alarm.life == .acknowledged ? "k" : "\(alarm.life.rawValue.prefix(1))"
    if alarm.state == .snoozed { cell += "/z" }
    if alarm.state == .suppressed { cell += "/s" }
    if alarm.life == .normal, alarm.snoozedUntil != nil { cell += "+z" }
    return cell + (rig.plays.count > before ? "!" : "")
  }

  @Test func `a latched alarm whose condition is back becomes acknowledged, also while its delay runs`() {
    for acknowledge in [{ (rig: inout TriggerRig) in _ = rig.acknowledge(at: 3500) }, { $0.callOff(at: 3500) }] {
      var rig = TriggerRig(
        TriggerDefinition.test(
          name: "alarm", above: 5, delay: .seconds(1), loop: .init(latch: true, realarm: .seconds(60))))
      rig.set(.number(1), at: 0)
      rig.set(.number(9), at: 0)
      rig.advance(to: 1000)
      rig.set(.number(1), at: 2000)
      #expect(rig.alarm()?.life == .latched)
      rig.set(.number(9), at: 3000)
      acknowledge(&rig)
      #expect(rig.alarm()?.life == .acknowledged)
      rig.advance(to: 63_499)
      #expect(rig.alarm()?.life == .acknowledged)
      rig.advance(to: 63_500)
      #expect(rig.alarm()?.life == .active)
    }
  }
}
