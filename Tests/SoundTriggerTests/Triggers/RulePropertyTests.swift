import SoundTrigger
import TestSupport
import Testing

/// A trigger on a pattern beside the same trigger on each value alone, in random worlds.
///
/// `SOUNDD_PROPERTY_SEED` sets the seed that is fresh otherwise, `SOUNDD_PROPERTY_STEPS` how many steps are made with
/// each of the two.
@Suite struct RulePropertyTests {
  private static let freshSeed = variable("SOUNDD_PROPERTY_SEED") ?? UInt64.random(in: .min ... .max)
  private static let steps = variable("SOUNDD_PROPERTY_STEPS").map(Int.init(clamping:)) ?? (isQuick ? 1_000 : 6_000)

  @Test(arguments: [0x5EED, freshSeed])
  func `a rule does for each member what the same trigger on that value does alone`(seed: UInt64) {
    print("rule property test: SOUNDD_PROPERTY_SEED=\(seed)")
    var (plays, departures) = (0, 0)
    for number in 0..<(Self.steps / 100 + 1) {
      var world = RuleWorld(seed: seed &+ UInt64(number))
      for _ in 0..<100 where world.disagreement == nil { world.step() }
      plays += world.plays
      departures += world.departures
      guard let disagreement = world.disagreement else { continue }
      Issue.record(
        "SOUNDD_PROPERTY_SEED=\(seed &+ UInt64(number))\n\(world.log.joined(separator: "\n"))\n\(disagreement)")
      return
    }
    // Agreement on silence alone would prove little.
    #expect(plays > Self.steps / 20)
    #expect(departures > Self.steps / 100)
  }
}
