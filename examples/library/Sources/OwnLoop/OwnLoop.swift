// A program with a loop of its own, as GTK's. A global actor runs its jobs on that loop, so the model, the triggers and their closures
// are on the loop's thread. Here the loop is a queue; with GTK, `enqueue` calls g_idle_add and `run` is g_main_loop_run.
import Foundation
import Observation
import SoundTrigger
import Stage

/// Runs the jobs of an actor on the thread that calls `run`.
final class LoopExecutor: SerialExecutor, @unchecked Sendable {
  // Safety of `@unchecked Sendable`: the condition guards what follows.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isOver = false

  /// Called on any thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock { jobs.append(job) }
    condition.signal()
  }

  /// The loop. Everything else that the program waits for would have its place here.
  func run() {
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  private func next() -> UnownedJob? {
    condition.withLock {
      while jobs.isEmpty, !isOver { condition.wait() }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }

  func stop() {
    condition.withLock { isOver = true }
    condition.signal()
  }
}

@globalActor actor LoopActor {
  static let shared = LoopActor()
  static let executor = LoopExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
}

@LoopActor @Observable final class Download {
  private(set) var finished = 0

  func finish() { finished += 1 }

  func addFeedback(to player: SoundPlayer) {
    let loop = pthread_self()
    player.sensoryFeedback(.success, trigger: self.finished) { _, finished in
      precondition(pthread_equal(pthread_self(), loop) != 0, "a closure ran on another thread")
      return finished > 1
    }
  }
}

@main struct OwnLoop {
  @MainActor static func main() async throws {
    // With GTK the loop has the main thread, and nothing runs on the main actor.
    Thread.detachNewThread { LoopActor.executor.run() }
    let stage = try Stage()
    let download = await Download()
    await download.addFeedback(to: stage.player)
    for _ in 0..<3 {
      await download.finish()
      try await stage.pass(.milliseconds(500))
    }
    try await stage.finish()
    LoopActor.executor.stop()
  }
}
