import Logging
import SoundTrigger

/// Keeps the state file as the daemon's state is: read once at the start, written when something has changed.
///
/// Belongs to the event loop, and writes in the background, one state after the other. Changes are gathered for two
/// seconds; when nothing changes nothing is written, and nothing wakes up.
final class StateKeeper {
  /// How long the first change that is not written yet waits for others.
  static let patience = Duration.seconds(2)

  /// What the file had to say at the start.
  let restored: SavedState
  private let file: StateFile
  private let worker: BackgroundWorker
  private let loop: EventLoop
  private let log: Logger
  private let patience: Duration
  private let gather: () -> SavedState
  private var timer: EventLoop.Timer?
  /// What the file holds when all is written that was asked for; `nil`: nobody knows, since something could not be written.
  private var latest: [UInt8]?
  /// How many states are being written or wait for it.
  private var writing = 0
  /// Whether something may have changed since the state that is being written was gathered.
  private var isAskedAgain = false
  /// Whether what values and triggers do is kept, too.
  var followsDecisions = false
  /// Whether it was said that the state cannot be written, and it was not written since.
  private var hasComplained = false

  /// Reads the file. What is wrong with it is logged, and then it is set aside.
  ///
  /// The `worker` does nothing else: a disk that hangs is to hold up nobody, and nobody the state.
  /// `gather` says what is to be kept; it is called later, on the event loop's thread.
  init(
    _ file: StateFile, worker: BackgroundWorker, on loop: EventLoop, log: Logger,
    patience: Duration = StateKeeper.patience, gather: @escaping () -> SavedState
  ) {
    self.patience = patience
    self.file = file
    self.worker = worker
    self.loop = loop
    self.log = log
    self.gather = gather
    file.removeRemains()
    let found = Self.read(file, log)
    restored = found ?? SavedState()
    // As long as there is nothing to say, no file is made.
    latest = restored.bytes
    timer = EventLoop.Timer { [unowned self] in saveNow() }
  }

  /// Something that is kept may have changed: it is looked at, and written, before long.
  func mayHaveChanged() {
    if writing > 0 {
      isAskedAgain = true
    } else if let timer, !timer.isScheduled {
      loop.schedule(timer, at: loop.now.advanced(by: patience))
    }
  }

  /// Triggers have decided about something.
  func decided() { if followsDecisions { mayHaveChanged() } }

  /// Begins to write what has changed, if anything has.
  func saveNow() {
    if let timer { loop.cancel(timer) }
    let bytes = gather().bytes
    if bytes == latest { return }
    latest = bytes
    writing += 1
    isAskedAgain = false
    worker.perform { [file] in
      do throws(SystemError) {
        try file.write(bytes)
        return nil
      } catch {
        return error
      }
    } then: { [unowned self] (problem: SystemError?) in
      writing -= 1
      finish(problem)
      if isAskedAgain { mayHaveChanged() }
    }
  }

  /// Waits for what is being written, but no longer than `patience`: a disk may take minutes, or hang. It is the last call.
  ///
  /// - Returns: whether something is still being written, see `BackgroundWorker.stop`.
  func end(patience: Duration) -> Bool {
    worker.waitUntilIdle(for: patience)
    if writing > 0 { log.warning("the state was not written in time; after a restart \(Self.contents) may be older") }
    return worker.stop()
  }

  private func finish(_ problem: SystemError?) {
    guard let problem else {
      if hasComplained { log.notice("the state is kept again, in \(file.path)") }
      hasComplained = false
      return
    }
    latest = nil
    if hasComplained { return }
    hasComplained = true
    log.warning("the state cannot be kept: \(problem); after a restart \(Self.contents) are as they were before")
  }

  // MARK: Reading

  private static let contents = "volume, profile, throttles and the values' last contents"

  private static func read(_ file: StateFile, _ log: Logger) -> SavedState? {
    let problem: String
    do {
      guard let bytes = try file.read() else { return nil }
      return try SavedState(bytes)
    } catch let error as Failure {
      problem = error.description
    } catch {
      problem = "\(file.path) \(error)"
    }
    do throws(SystemError) {
      let place = try file.setAside()
      log.error("\(problem); \(contents) are lost; it is now \(place)")
    } catch {
      log.error("\(problem); \(contents) are lost; it cannot be set aside: \(error.reason)")
    }
    return nil
  }
}
