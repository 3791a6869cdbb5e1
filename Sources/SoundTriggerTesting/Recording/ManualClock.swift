import SoundTrigger

/// A clock that stands still until `RecordingPlayer.advance` moves it.
final class ManualClock: PlayerClock {
  private struct Sleeper: Sendable {
    let number: Int
    let deadline: Instant
    let resume: @Sendable (_ isCancelled: Bool) -> Void
  }

  private struct State: Sendable {
    var now = Instant(nanoseconds: 0)
    var sleepers: [Sleeper] = []
    var lastNumber = 0
    /// Those whose task was cancelled before they fell asleep.
    var cancelled: Set<Int> = []
  }

  private let state = Guarded(State())

  let turns: PendingTurns? = PendingTurns()

  var now: Instant { state.withLock { $0.now } }

  func deadlineCameCloser() {}

  func silence() async {}

  /// When the first sleeper wakes.
  var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Moves the time, and wakes those whose time has come, in the order of their deadlines.
  func advance(to time: Instant) {
    let due = state.withLock { state in
      state.now = max(state.now, time)
      let due = state.sleepers.filter { $0.deadline <= time }.sorted {
        ($0.deadline, $0.number) < ($1.deadline, $1.number)
      }
      state.sleepers.removeAll { $0.deadline <= time }
      return due
    }
    for sleeper in due { wake(sleeper, isCancelled: false) }
  }

  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      // A closure is on the actor only if it uses the parameter. It must be: a sleeper that left the actor before it is
      // entered in the list would miss the time that passes meanwhile.
      try await withCheckedThrowingContinuation(isolation: isolation) {
        (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          let deadline = state.now.advanced(by: max(duration, .zero))
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline) { isCancelled in
              if isCancelled { continuation.resume(throwing: CancellationError()) } else { continuation.resume() }
            })
          return false
        }
        if isCancelled {
          turns?.begin()
          continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    if let sleeper { wake(sleeper, isCancelled: true) }
  }

  private func wake(_ sleeper: Sleeper, isCancelled: Bool) {
    turns?.begin()
    sleeper.resume(isCancelled)
  }
}
