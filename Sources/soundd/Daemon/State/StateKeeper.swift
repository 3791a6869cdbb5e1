import Logging
import SoundTrigger
import SoundWire

/// Keeps the state file up to date: reads it once at the start, writes it when something has changed.
///
/// A file that this soundd cannot read, but a later soundd or a later start could, stays as it is. Nothing is written until it
/// can be read: then it is looked at again when something has changed, at most every ten seconds.
///
/// Belongs to the event loop, and writes in the background, one state after the other. A change waits two seconds for
/// others, and ten seconds after the last write; a change of an alarm waits 50 ms. While nothing changes nothing is written, and
/// nothing wakes up.
final class StateKeeper {
  /// How long the first change that is not written yet waits for others.
  static let patience = Duration.seconds(2)
  /// The same for a change of an alarm, many of which go into one write.
  static let alarmPatience = Duration.milliseconds(50)
  /// How far two writes are apart at least: a file may change all the time, and a disk lasts for so many writes only.
  static let interval = Duration.seconds(10)

  /// How long changes wait, and how far writes are apart; tests are quicker.
  private struct Pace {
    var patience, alarmPatience, interval: Duration
  }

  /// What the file said at the start.
  private(set) var restored = SavedState()
  /// Why this soundd must not write over the file, or `nil` if it may.
  private var obstacle: String?
  private var loggedObstacle: String?
  private let file: StateFile
  private let worker: BackgroundWorker
  /// `nil` only in tests, which have the file for themselves.
  private let lock: StateLock?
  private let loop: EventLoop
  private let log: Logger
  private let pace: Pace
  /// Makes the state to save.
  var gather: () -> SavedState = { SavedState() }
  private lazy var timer = EventLoop.Timer { [unowned self] in
    // While a disk is slow, states must not pile up.
    if writes > 0 { isDue = true } else { saveNow() }
  }
  /// How many writes have not ended.
  private var writes = 0
  /// Whether something is to be written after the present write.
  private var isDue = false
  private let waits: SaveWaits
  private var lastWrite: Instant?
  /// What the file holds once all writes have ended; `nil`: unknown, because a write failed.
  private var latest: SavedState?
  /// Whether what values and triggers do is part of the state.
  var followsDecisions = false
  /// Whether the state holds times that change without being written, so that it is written at the end.
  var savesAtEnd = false
  /// Why the last write failed, which was logged.
  private var failure: SystemError?
  /// Why nothing is saved now, or `nil` if what changes is saved.
  var problem: String? {
    obstacle ?? lock?.refusal.map { "\($0): this daemon saves nothing" }
      ?? (isReading ? "\(file.path) is being read" : nil)
  }
  /// Why a restart would forget what has changed, or `nil` if it would not.
  var unsaved: String? { problem ?? failure.map { "\(Self.failed): \($0)" } }
  /// Receives what was saved when the file could not be used, as soon as it can. `isFirst`: nothing was restored before.
  var inherit: (_ state: SavedState, _ isFirst: Bool) -> Void = { _, _ in }
  private var wasRead = false
  private var isReading = false

  /// How a text begins that says why a write failed.
  static let failed = "the state cannot be saved"

  /// Reads the file. A damaged one is set aside and logged. One that a newer soundd wrote, or that cannot be read now, is
  /// logged and left alone.
  ///
  /// The `worker` does nothing but write into this folder, so a slow disk delays nothing else.
  init(
    _ file: StateFile, worker: BackgroundWorker, lock: StateLock? = nil, on loop: EventLoop, log: Logger,
    patience: Duration = StateKeeper.patience, interval: Duration = StateKeeper.interval
  ) {
    pace = Pace(patience: patience, alarmPatience: min(patience, Self.alarmPatience), interval: interval)
    self.file = file
    self.worker = worker
    self.lock = lock
    self.loop = loop
    self.log = log
    waits = SaveWaits(on: loop)
    // A file system that hangs would hold up the start: the file is read when it answers.
    if lock?.isAnswered == false { return }
    file.removeRemains()
    restored = take(Self.read(file))
    wasRead = obstacle == nil
    // As long as there is nothing to say, no file is made.
    latest = restored
  }

  /// To be called when the lock is free that another daemon had, or when the file may have become readable: reads the file, and
  /// saves from then on.
  func lookAgain() {
    loop.cancel(timer)
    lastWrite = loop.now
    // Nothing is saved before the records of others are taken over.
    isReading = true
    worker.perform { [file] in
      Self.read(file)
    } then: { [unowned self] reading in
      (obstacle, isReading) = (nil, false)
      let other = take(reading)
      if problem != nil { return }
      log.notice("the state is saved from now on, in \(file.path)")
      inherit(other, !wasRead)
      (latest, wasRead) = (other, true)
      saveNow()
    }
  }

  /// To be called when something that is saved may have changed.
  func mayHaveChanged() {
    if timer.isScheduled || lock?.refusal != nil || isReading { return }
    let soonest = lastWrite?.advanced(by: pace.interval) ?? loop.now
    loop.schedule(timer, at: max(soonest, loop.now.advanced(by: pace.patience)))
  }

  /// Writes the state even if nothing has changed but its times.
  func refresh() {
    latest = nil
    mayHaveChanged()
  }

  /// To be called when the life or the snooze of an alarm has changed: it is written within 100 ms.
  func alarmChanged() {
    if problem != nil { return mayHaveChanged() }
    let end = loop.now.advanced(by: pace.alarmPatience)
    if timer.isScheduled, timer.deadline <= end { return }
    loop.schedule(timer, at: end)
  }

  /// Writes what has changed, and calls back when it is on the disk, or after a second (`false`).
  func saveNow(then: @escaping (_ isSaved: Bool) -> Void) {
    if problem != nil { return then(false) }
    if writes == 0, gather() == latest { return then(failure == nil) }
    waits.add(then)
    if writes > 0 { isDue = true } else { saveNow() }
  }

  /// To be called when triggers have decided about something.
  func decided() { if followsDecisions { mayHaveChanged() } }

  /// Starts to write the state, if it has changed.
  func saveNow() {
    if obstacle != nil, !isReading { return lookAgain() }
    if problem != nil { return }
    loop.cancel(timer)
    isDue = false
    var state = gather()
    if state == latest { return waits.finish(begun: false, isSaved: true) }
    latest = state
    lastWrite = loop.now
    waits.begin()
    state.savedAt.milliseconds = Timestamp.now().milliseconds
    writes += 1
    worker.perform { [file, state] in
      do throws(SystemError) {
        try file.write(state.bytes)
        return nil
      } catch {
        return error
      }
    } then: { [unowned self] in
      finish($0)
    }
  }

  /// Waits for the last write, but no longer than `patience`, because a disk may hang. It is the last call.
  ///
  /// - Returns: whether something is still being written, see `BackgroundWorker.stop`.
  func end(patience: Duration) -> Bool {
    let end = EventLoop.clock().advanced(by: patience)
    worker.waitUntilIdle(for: patience)
    // What was read in that time has made room for the state.
    if savesAtEnd { latest = nil }
    if timer.isScheduled || savesAtEnd {
      saveNow()
      worker.waitUntilIdle(for: max(.zero, EventLoop.clock().duration(to: end)))
    }
    if writes > 0 { log.warning("the state was not written in time; after a restart \(Self.contents) may be older") }
    return worker.stop()
  }

  private func finish(_ problem: SystemError?) {
    writes -= 1
    defer {
      waits.finish(begun: true, isSaved: problem == nil)
      if isDue { saveNow() }
    }
    guard let problem else {
      if failure != nil { log.notice("the state is saved again, in \(file.path)") }
      failure = nil
      return
    }
    latest = nil
    defer { failure = problem }
    if failure != nil { return }
    log.warning("\(Self.failed): \(problem); after a restart \(Self.contents) are as they were before")
  }

  // MARK: Reading

  static let contents = "volume, profile, alarms, throttles and the values' last contents"

  /// What the file is to this run.
  enum Reading: Sendable {
    case nothing
    /// An earlier run or another daemon wrote it.
    case state(SavedState)
    /// It is not what was once written: the reason.
    case damaged(String)
    /// It may hold what must not be lost, and this run cannot know: the reason.
    case untouchable(String)
  }

  static func read(_ file: StateFile) -> Reading {
    do {
      guard let bytes = try file.read() else { return .nothing }
      return .state(try SavedState(bytes))
    } catch let error as Failure {
      // It is a file, and the reason may be gone at the next start: no descriptor was left, or a disk failed.
      return error.code == .noInput ? .untouchable(error.description) : .damaged(error.description)
    } catch Record.Problem.damaged {
      return .damaged("\(file.path) \(Record.Problem.damaged)")
    } catch {
      return .untouchable("\(file.path) \(error)")
    }
  }

  /// What was read, or an empty state with the reason in the log. A damaged file is set aside, unless another daemon is about to
  /// replace it.
  private func take(_ reading: Reading) -> SavedState {
    switch reading {
    case .nothing: return SavedState()
    case .state(let state): return state
    case .untouchable(let reason):
      let obstacle = "\(reason); it stays as it is, and this daemon saves nothing"
      self.obstacle = obstacle
      if obstacle != loggedObstacle { log.warning("\(obstacle): \(Self.contents) start over") }
      loggedObstacle = obstacle
    case .damaged(let problem) where lock?.refusal != nil: log.warning("\(problem); \(Self.contents) start over")
    case .damaged(let problem):
      do throws(SystemError) {
        let path = try file.setAside()
        log.error("\(problem); \(Self.contents) are lost; it is now \(path)")
      } catch {
        log.error("\(problem); \(Self.contents) are lost; it cannot be set aside: \(error.reason)")
      }
    }
    return SavedState()
  }
}

/// Those that wait until something is on the disk, a second at most.
private final class SaveWaits {
  private static let longest = Duration.seconds(1)

  private let loop: EventLoop
  /// Whether the write that each waits for has begun, and what to call.
  private var waiting: [(hasBegun: Bool, then: (Bool) -> Void)] = []
  private lazy var timer = EventLoop.Timer { [unowned self] in
    finish(begun: true, isSaved: false)
    finish(begun: false, isSaved: false)
  }

  init(on loop: EventLoop) { self.loop = loop }

  func add(_ then: @escaping (Bool) -> Void) {
    waiting.append((false, then))
    if !timer.isScheduled { loop.schedule(timer, at: loop.now.advanced(by: Self.longest)) }
  }

  /// The write begins that all wait for.
  func begin() { for index in waiting.indices { waiting[index].hasBegun = true } }

  /// Calls those whose write has `begun`, or has not.
  func finish(begun: Bool, isSaved: Bool) {
    let over = waiting.filter { $0.hasBegun == begun }
    waiting.removeAll { $0.hasBegun == begun }
    if waiting.isEmpty { loop.cancel(timer) }
    for wait in over { wait.then(isSaved) }
  }
}
