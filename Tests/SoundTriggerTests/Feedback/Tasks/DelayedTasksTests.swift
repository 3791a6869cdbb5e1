import Testing
import TestSupport

@testable import SoundTrigger

/// A clock on which every wait is over at once.
private final class EagerClock: PlayerClock {
  var now: Instant { Instant(nanoseconds: 0) }
  var turns: PendingTurns? { nil }
  func deadlineCameCloser() {}
  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws {}
  func silence() async {}
}

@Suite struct DelayedTasksTests {
  @Test func `a task that ends while it is being stored does not stay stored`() async throws {
    let ended = Guarded(0)
    let tasks = DelayedTasks(EagerClock(), .zero, nil, nil) { ended.withLock { $0 += 1 } }
    let starts = 20_000
    for _ in 0..<starts { tasks.start() }
    while ended.withLock({ $0 }) < starts { await Task.yield() }
    // The last ones may have yet to be forgotten after their action.
    for _ in 0..<1_000 * timeFactor where tasks.count > 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(tasks.count == 0)
  }

  @Test func `a task that is cancelled before it is stored is cancelled`() async throws {
    let tasks = DelayedTasks(EagerClock(), .zero, nil, nil) {
      while !Task.isCancelled { await Task.yield() }
    }
    for _ in 0..<1_000 {
      tasks.start()
      tasks.cancel()
    }
    #expect(tasks.count == 0)
  }
}
