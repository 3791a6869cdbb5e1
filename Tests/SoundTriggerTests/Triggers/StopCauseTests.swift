import Testing

@testable import SoundTrigger

/// Every stop says why.
@Suite struct StopCauseTests {
  private static let loop = TriggerDefinition.test(above: 5, cancel: .name("v1"), loop: .init())

  private func lastStop(_ rig: TriggerRig) -> Stop? { rig.counters().lastStop }

  /// A loop that has sounded since 1 ms.
  private func rig(_ definition: TriggerDefinition = loop) -> TriggerRig {
    var rig = TriggerRig(definition)
    rig.set([1, 6])
    #expect(rig.activity().state == .looping)
    #expect(lastStop(rig) == nil)
    return rig
  }

  @Test func `its condition`() {
    var rig = rig()
    rig.set(.number(2), at: 30)
    #expect(rig.causesOfStops == [.condition])
    #expect(lastStop(rig) == Stop(at: Instant(30), cause: .condition, value: .v0))
  }

  @Test func `the value in cancel, by its name`() {
    var rig = rig()
    rig.set(.number(1), at: 29, name: .name("v1"))
    rig.set(.number(2), at: 30, name: .name("v1"))
    #expect(rig.causesOfStops == [.cancel])
    #expect(lastStop(rig) == Stop(at: Instant(30), cause: .cancel, value: .name("v1")))
  }

  @Test func `a hand`() {
    var rig = rig()
    rig.callOff(at: 30)
    #expect(rig.causesOfStops == [.hand])
    #expect(lastStop(rig) == Stop(at: Instant(30), cause: .hand))
  }

  @Test func `its limit, also between two repetitions`() {
    var rig = rig(.test(above: 5, loop: .init(every: [.milliseconds(20)], limit: .milliseconds(30))))
    rig.endSound(at: 10)
    rig.advance(to: 21)
    rig.endSound(at: 25)
    rig.advance(to: 100)
    #expect(rig.causesOfStops.isEmpty)
    #expect(lastStop(rig) == Stop(at: Instant(31), cause: .limit))
  }

  @Test func `a later change`() {
    var restart = TriggerRig(.test(overlap: .restart))
    restart.set([1, 2, 3])
    #expect(restart.causesOfStops == [.restart])
    var table = TriggerRig(.test(sound: .table([.number(1): "a", .number(2): "b"], otherwise: nil), loop: .init()))
    table.set([0, 1, 2])
    #expect(table.sounds == ["a", "b"])
    #expect(table.causesOfStops == [.restart])
  }

  @Test func `the profile`() {
    var rig = rig()
    rig.setProfile(.silent, at: 30)
    #expect(rig.causesOfStops == [.profile])
    #expect(lastStop(rig)?.cause == .profile)
  }

  @Test func `a reload that changes or removes its trigger`() {
    var changed = rig()
    changed.reload([Self.loop.with { $0.threshold = Threshold(above: 7) }], at: 30)
    #expect(changed.causesOfStops == [.configuration])
    #expect(lastStop(changed) == Stop(at: Instant(30), cause: .configuration))
    var removed = rig()
    removed.reload([], at: 30)
    #expect(removed.causesOfStops == [.configuration])
  }

  @Test func `a theft, after which it sounds again`() {
    var rig = rig()
    rig.endSound(at: 30, 0, .stolen)
    #expect(rig.times == [1, 30])
    #expect(rig.causesOfStops.isEmpty)
    #expect(lastStop(rig) == Stop(at: Instant(30), cause: .stolen))
  }

  @Test func `a sound that ends by itself was not stopped`() {
    var rig = TriggerRig(.test())
    rig.set([1, 2])
    rig.endSound(at: 30)
    #expect(lastStop(rig) == nil)
  }

  @Test func `a cancelled sound names the value that changed`() {
    #expect(Stop(at: Instant(0), cause: .cancel, value: .v0).sentence == "'v0' changed (cancel)")
  }
}

/// Stopping all sounds ends what sounds and leaves what waits for its time.
@Suite struct StopSoundsTests {
  @Test func `a trigger that ignores what comes while it sounds plays at once, even while its sound fades`() {
    var rig = TriggerRig(.test(overlap: .ignore))
    rig.set([1, 2])
    rig.stopSounds(at: 10)
    rig.set(.number(3), at: 11)
    #expect(rig.times == [1, 11])
    #expect(rig.running.map(\.isStopping) == [true, false])
  }

  @Test func `what waits for the end of a sound is dropped`() {
    var rig = TriggerRig(.test(overlap: .queue))
    rig.set([1, 2, 3])
    rig.stopSounds(at: 10)
    rig.endFade(at: 20)
    rig.advance(to: 1_000)
    #expect(rig.times == [1])
    #expect(rig.verdicts() == [.appeared, .played, .cancelled])
  }

  @Test func `a debounce and a delay still play`() {
    for definition in [
      TriggerDefinition.test(debounce: .milliseconds(20)), .test(delay: .milliseconds(20)),
    ] {
      var rig = TriggerRig(definition)
      rig.set([1, 2])
      rig.stopSounds(at: 10)
      rig.advance(to: 100)
      #expect(rig.times == [21])
    }
  }

  @Test func `a loop ends, and begins with the next change that meets the condition`() {
    var rig = TriggerRig(.test(above: 5, loop: .init()))
    rig.set([1, 6])
    rig.stopSounds(at: 10)
    rig.endFade(at: 20)
    rig.advance(to: 5_000)
    #expect(rig.times == [1])
    rig.set([1, 6], from: 6_000)
    #expect(rig.times == [1, 6_001])
  }
}
