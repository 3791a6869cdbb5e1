import Logging
import SoundTrigger

/// Counts what triggers do for `soundd report`, and keeps the counts in a file.
///
/// Belongs to the event loop. Writes in the background, an hour after the first count that is not written yet, and at the end.
final class ActivityKeeper {
  var counts = ActivityCounts()
  private let file: StateFile
  private let worker: BackgroundWorker
  private let loop: EventLoop
  private let log: Logger
  private lazy var timer = EventLoop.Timer { [unowned self] in saveNow() }

  /// Reads the file. If it is damaged or cannot be read, that is logged, and the counts begin anew.
  init(_ file: StateFile, worker: BackgroundWorker, on loop: EventLoop, log: Logger) {
    (self.file, self.worker, self.loop, self.log) = (file, worker, loop, log)
    file.removeRemains()
    do throws(Failure) {
      counts = try ActivityCounts(file) ?? counts
    } catch {
      log.warning("\(error); 'soundd report' counts anew")
    }
  }

  /// Lets something be counted in the present hour.
  func count(_ change: (inout ActivityCounts, _ hour: Int) -> Void) {
    change(&counts, Int(Timestamp.now().seconds) / 3600)
    if counts.hasNews, !timer.isScheduled { loop.schedule(timer, at: loop.now.advanced(by: .seconds(3600))) }
  }

  /// Starts to write what was counted since the last write, if anything was.
  func saveNow() {
    if !counts.hasNews { return }
    loop.cancel(timer)
    counts.hasNews = false
    worker.perform { [file, counts] in
      Result { () throws(SystemError) in try file.write(counts.bytes(at: .now())) }
    } then: { [log] result in
      if case .failure(let problem) = result { log.warning("the counts of 'soundd report' are not saved: \(problem)") }
    }
  }
}
