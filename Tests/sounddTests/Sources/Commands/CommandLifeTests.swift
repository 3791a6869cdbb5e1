import SoundTrigger
import Testing

@testable import soundd

/// When a command starts, ends, and counts as stale. Times are in milliseconds.
struct CommandLifeTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private static func life(
    every: Duration? = nil, timeout: Duration = .seconds(5), takesStatus: Bool = false, obstacle: String? = nil
  ) -> CommandLife {
    CommandLife(
      ExternalCommand(
        arguments: ["p"], folder: "/", every: every, timeout: timeout, takesStatus: takesStatus, obstacle: obstacle),
      at: at(0))
  }

  /// Starts a command that is due.
  private static func run(_ life: inout CommandLife, at milliseconds: Int64) {
    #expect(life.state == .due)
    life.start(at: at(milliseconds))
    #expect(life.started(at: at(milliseconds)) == [])
  }

  // MARK: Polled

  @Test func `a polled command runs at once, and then at its interval from start to start`() {
    var life = Self.life(every: .seconds(10))
    Self.run(&life, at: 100)
    #expect(life.isBusy)
    #expect(life.ended(.exit(0), at: Self.at(400)) == [.output])
    #expect(life.state == .waiting)
    #expect(life.stepTime == Self.at(10_100))
    #expect(life.pass(to: Self.at(10_099)) == [])
    #expect(life.pass(to: Self.at(10_100)) == [])
    Self.run(&life, at: 10_100)
    #expect(life.starts == 2)
  }

  @Test func `a run that takes longer than its interval is followed by the next at once, never by two`() {
    var life = Self.life(every: .seconds(1), timeout: .seconds(60))
    Self.run(&life, at: 0)
    #expect(life.pass(to: Self.at(3500)) == [])
    #expect(life.ended(.exit(0), at: Self.at(3500)) == [.output])
    #expect(life.state == .waiting)
    #expect(life.stepTime == Self.at(3500))
  }

  @Test func `a run that does not end in time is ended, then killed, and has failed`() {
    var life = Self.life(every: .seconds(10), timeout: .seconds(2))
    Self.run(&life, at: 0)
    #expect(life.deadline == Self.at(2000))
    #expect(life.pass(to: Self.at(2000)) == [.terminate])
    #expect(life.pass(to: Self.at(3000)) == [.kill])
    #expect(!life.isBusy, "one that cannot be killed holds up no others")
    #expect(life.ended(.exit(0), at: Self.at(3001)) == [])
    #expect(life.problem == .timedOut(.seconds(2)))
    #expect(life.state == .waiting)
    #expect(life.stepTime == Self.at(10_000))
  }

  @Test(arguments: [
    (ProcessEnding.exit(0), false, [CommandLife.Action.output]), (.exit(3), false, []),
    (.exit(0), true, [.status(0)]), (.exit(3), true, [.status(3)]), (.exit(125), true, [.status(125)]),
    (.exit(126), true, []), (.exit(127), true, []), (.signal(9), true, []),
  ])
  func `only a success counts, or with take any status of the program itself`(
    ending: ProcessEnding, takesStatus: Bool, result: [CommandLife.Action]
  ) {
    var life = Self.life(every: .seconds(1), takesStatus: takesStatus)
    Self.run(&life, at: 0)
    #expect(life.ended(ending, at: Self.at(1)) == result)
    #expect(life.problem == (result == [] ? .ended(ending) : nil))
    #expect(life.failures == (result == [] ? 1 : 0))
  }

  @Test func `a polled command is stale twice its interval after its last success, and works again with the next`() {
    var life = Self.life(every: .seconds(60))
    Self.run(&life, at: 0)
    #expect(life.ended(.exit(0), at: Self.at(1000)) == [.output])
    #expect(life.pass(to: Self.at(60_000)) == [])
    Self.run(&life, at: 60_000)
    #expect(life.ended(.exit(1), at: Self.at(61_000)) == [])
    #expect(life.pass(to: Self.at(120_000)) == [])
    #expect(life.state == .due)
    #expect(life.pass(to: Self.at(121_000)) == [.stale])
    Self.run(&life, at: 121_000)
    #expect(life.ended(.exit(0), at: Self.at(122_000)) == [.works, .output])
    #expect(!life.isStale)
  }

  @Test func `with a short interval the patience is ten seconds`() {
    var life = Self.life(every: .seconds(1))
    #expect(life.pass(to: Self.at(9999)) == [])
    #expect(life.pass(to: Self.at(10_000)) == [.stale])
  }

  @Test func `sleep of the machine makes nothing stale and ends no run`() {
    var life = Self.life(every: .seconds(60), timeout: .seconds(2))
    Self.run(&life, at: 0)
    life.slept(for: .seconds(3600))
    #expect(life.pass(to: Self.at(3_601_000)) == [])
    #expect(life.pass(to: Self.at(3_602_000)) == [.terminate])
  }

  // MARK: Long-running

  @Test func `the pauses before a restart double up to a minute`() throws {
    var life = Self.life()
    var now: Int64 = 0
    var pauses: [Int64] = []
    for _ in 0..<9 {
      Self.run(&life, at: now)
      _ = life.ended(.exit(1), at: Self.at(now))
      #expect(life.state == .waiting)
      let time = try #require(life.stepTime)
      pauses.append(time.nanoseconds / 1_000_000 - now)
      now = time.nanoseconds / 1_000_000
      _ = life.pass(to: time)
    }
    #expect(pauses == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    Self.run(&life, at: now)
    #expect(life.ended(.exit(0), at: Self.at(now + 30_000)) == [])
    #expect(life.state == .waiting)
    #expect(life.stepTime == Self.at(now + 31_000), "it has run well for a while")
  }

  @Test func `a quiet program works after five seconds, and never wakes anybody again`() {
    var life = Self.life()
    Self.run(&life, at: 20)
    #expect(life.deadline == Self.at(5020))
    #expect(life.pass(to: Self.at(5020)) == [])
    #expect(life.deadline == nil)
  }

  @Test func `a program that ends again and again is stale after ten seconds, until it reports a line`() {
    var life = Self.life()
    Self.run(&life, at: 0)
    #expect(life.worked(at: Self.at(100)) == [])
    _ = life.ended(.signal(6), at: Self.at(1000))
    #expect(life.pass(to: Self.at(2000)) == [])
    Self.run(&life, at: 2000)
    _ = life.ended(.exit(1), at: Self.at(2000))
    #expect(life.problem == .ended(.exit(1)))
    #expect(life.pass(to: Self.at(4000)) == [])
    #expect(life.state == .due)
    #expect(life.pass(to: Self.at(11_000)) == [.stale])
    Self.run(&life, at: 11_000)
    #expect(life.worked(at: Self.at(11_100)) == [.works])
    #expect(life.problem == nil)
  }

  @Test func `a program that closes its output may end by itself, and is ended after a moment`() {
    var life = Self.life()
    Self.run(&life, at: 0)
    life.closedOutput(at: Self.at(10))
    _ = life.ended(.exit(7), at: Self.at(20))
    #expect(life.problem == .ended(.exit(7)))
    _ = life.pass(to: Self.at(1020))
    Self.run(&life, at: 1020)
    life.closedOutput(at: Self.at(1100))
    #expect(life.pass(to: Self.at(2100)) == [.terminate])
    _ = life.ended(.signal(15), at: Self.at(2110))
    #expect(life.problem == .closedOutput)
  }

  @Test func `a program that cannot be started is tried again`() {
    var life = Self.life()
    life.start(at: Self.at(0))
    life.fail(.notStarted("no"), at: Self.at(0))
    #expect(life.problem == .notStarted("no"))
    #expect(life.starts == 0)
    #expect(life.pass(to: Self.at(1000)) == [])
    #expect(life.state == .due)
  }

  @Test func `a start that hangs is a problem and holds up no others, and its program runs when it comes`() {
    var life = Self.life(every: .seconds(10), timeout: .seconds(5))
    life.start(at: Self.at(0))
    #expect(life.isBusy)
    #expect(life.deadline == Self.at(2000))
    #expect(life.pass(to: Self.at(2000)) == [])
    #expect(!life.isBusy)
    #expect(life.problem == .notStarted("its file system does not answer"))
    #expect(life.pass(to: Self.at(20_000)) == [.stale])
    #expect(life.started(at: Self.at(22_000)) == [])
    #expect(life.deadline == Self.at(27_000), "its timeout begins when it runs")
    #expect(life.ended(.exit(0), at: Self.at(26_000)) == [.works, .output])
    #expect(life.problem == nil)
    #expect(life.failures == 0)
  }

  // MARK: The end

  @Test func `a command that is ended for good is asked, then killed, and not started again`() {
    var life = Self.life()
    Self.run(&life, at: 0)
    #expect(life.end(at: Self.at(500)) == [.terminate])
    #expect(life.deadline == Self.at(1500))
    #expect(life.pass(to: Self.at(1500)) == [.kill])
    _ = life.ended(.signal(9), at: Self.at(1501))
    #expect(life.state == .over)
    #expect(life.deadline == nil)
    #expect(life.problem == nil)
  }

  @Test func `a command that is ended while it starts is ended as soon as it runs`() {
    var life = Self.life()
    life.start(at: Self.at(0))
    #expect(life.end(at: Self.at(1)) == [])
    #expect(life.started(at: Self.at(2)) == [.terminate])
  }

  @Test func `a command that may not run never does, and its values are stale`() {
    var life = Self.life(obstacle: "others may write to it")
    #expect(life.state == .over)
    #expect(life.problem == .forbidden("others may write to it"))
    #expect(life.pass(to: Self.at(10_000)) == [.stale])
    #expect(life.deadline == nil)
  }
}
