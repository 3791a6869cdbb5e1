import Logging
import SoundTrigger

/// Counts what triggers do for `soundd report`, and keeps the counts in a file.
///
/// Belongs to the event loop. Writes in the background, an hour after the first count that is not written yet, and at the end.
final class ActivityKeeper {
  var counts = ActivityCounts()
  /// Whether the file may hold counts that this soundd cannot read now, and must not lose.
  private var isUntouchable = false
  private let file: StateFile
  private let worker: BackgroundWorker
  /// `nil` only in tests, which have the file for themselves.
  private let lock: StateLock?
  private let loop: EventLoop
  private let log: Logger
  private lazy var timer = EventLoop.Timer { [unowned self] in saveNow() }

  /// Reads the file, unless another daemon counts there. If it is damaged, that is logged, and the counts start over. If it
  /// cannot be read, that is logged, and it stays as it is.
  init(
    _ file: StateFile, worker: BackgroundWorker, lock: StateLock? = nil, on loop: EventLoop, log: Logger
  ) {
    (self.file, self.worker, self.lock, self.loop, self.log) = (file, worker, lock, loop, log)
    if lock?.refusal != nil { return }
    file.removeRemains()
    take(Result { () throws(Failure) in try ActivityCounts(file) })
  }

  /// To be called when the lock is free that another daemon had: adds to its counts.
  func lockFreed() {
    worker.perform { [file] in
      Result { () throws(Failure) in try ActivityCounts(file) }
    } then: { [unowned self] in
      take($0)
    }
  }

  private func take(_ result: Result<ActivityCounts?, Failure>) {
    isUntouchable = false
    do throws(Failure) {
      if let saved = try result.get() { counts.add(saved) }
    } catch {
      isUntouchable = error.code == .noInput
      log.warning("\(error); 'soundd report' counts anew\(isUntouchable ? ", and nothing of it is saved" : "")")
    }
  }

  /// Lets something be counted in the present hour.
  func count(_ change: (inout ActivityCounts, _ hour: Int) -> Void) {
    change(&counts, Int(Timestamp.now().seconds) / 3600)
    if counts.hasNews, !timer.isScheduled { loop.schedule(timer, at: loop.now.advanced(by: .seconds(3600))) }
  }

  /// Starts to write what was counted since the last write, if anything was.
  func saveNow() {
    if !counts.hasNews || isUntouchable || lock?.refusal != nil { return }
    loop.cancel(timer)
    counts.hasNews = false
    worker.perform { [file, counts] in
      Result { () throws(SystemError) in try file.write(counts.bytes(at: .now())) }
    } then: { [log] result in
      if case .failure(let problem) = result { log.warning("the counts of 'soundd report' are not saved: \(problem)") }
    }
  }
}
