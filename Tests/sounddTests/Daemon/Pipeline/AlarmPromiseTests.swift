import Glibc
import TestSupport
import Testing

/// The promise of the manual: no critical alarm that is active or latched is silent for longer than it takes a device to sound.
///
/// `SOUNDD_PROMISE_SEED` sets the seed that is fresh otherwise, `SOUNDD_PROMISE_WORLDS` how many worlds there are instead of as
/// many as the time allows: `make promise`.
struct AlarmPromiseTests {
  private static let stepsPerWorld = 120
  /// CI plays the same worlds each time, because a change must not fail for what another one did.
  private static let seed =
    variable("SOUNDD_PROMISE_SEED") ?? (getenv("CI") == nil ? UInt64.random(in: .min ... .max) : 900_000_000)
  private static let worlds = variable("SOUNDD_PROMISE_WORLDS").map(Int.init(clamping:))
  private static let time = Duration.seconds(isQuick ? 2 : 60)

  @Test func `a critical alarm that is active or latched is heard, whatever happens`() throws {
    let end = ContinuousClock.now + Self.time
    var (worlds, heard, crowded) = (0, 0, 0)
    while Self.worlds.map({ worlds < $0 }) ?? (ContinuousClock.now < end) {
      let seed = Self.seed &+ UInt64(worlds)
      let world = try AlarmWorld(seed: seed)
      for _ in 0..<Self.stepsPerWorld where world.problem == nil { try world.step() }
      worlds += 1
      heard += world.heard
      crowded += world.crowded
      guard let problem = world.problem else { continue }
      Issue.record("SOUNDD_PROMISE_SEED=\(seed)\n\(world.start)\n\(world.log.joined(separator: "\n"))\n\(problem)")
      return
    }
    print(
      "alarms in \(worlds) worlds from SOUNDD_PROMISE_SEED=\(Self.seed): heard \(heard) times, without a voice \(crowded) times"
    )
    // A promise that is kept in silence alone would prove little.
    #expect(heard > 20 * worlds)
    #expect(worlds < 20 || crowded > 0)
  }
}
