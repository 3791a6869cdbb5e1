import Glibc
import SoundTrigger

/// The right to save the state, which one daemon has at a time (flock(2) on `state.lock` beside the state).
///
/// It belongs to the event loop. Each attempt runs on the state's worker, because a file system may hang. Only a lock that
/// another process holds is asked for again.
final class StateLock {
  /// How long a start waits for the lock: a daemon that is being restarted may not have ended yet.
  static let patience = Duration.seconds(3)
  /// The pause between two attempts of a start, and how long the last of them may take.
  private static let pause = Duration.milliseconds(20)
  private static let moment = Duration.milliseconds(500)
  /// The pause between two attempts of a daemon that runs.
  static let interval = Duration.seconds(10)

  enum Condition: Equatable {
    /// The start still waits for an answer.
    case asked
    /// No other daemon saves.
    case held
    /// Another process has the lock, or the file system does not answer: nothing is saved. The text says which.
    case taken(String)
    /// There are no locks here (NFS without them): the state is saved all the same. The text says why. It is `nil` if nothing can be
    /// made in the folder, because then the state cannot be saved either, which is reported when it is tried.
    case impossible(String?)
  }

  private let path: String
  private let worker: BackgroundWorker
  private let loop: EventLoop
  private let patience, interval: Duration
  private(set) var condition = Condition.asked
  /// Keeps the lock, until the process ends or the lock is released with this object.
  private var file: LockedFile?
  private var isPatient = true
  private lazy var next = EventLoop.Timer { [weak self] in self?.attempt() }
  private lazy var limit = EventLoop.Timer { [weak self] in self?.losePatience() }
  /// Called when a lock that was taken is held, or turns out to be impossible.
  var freed: () -> Void = {}

  /// Asks for the lock of a state. Tests wait less.
  init(
    _ state: StateFile, worker: BackgroundWorker, on loop: EventLoop, patience: Duration = StateLock.patience,
    interval: Duration = StateLock.interval
  ) {
    (path, self.worker, self.loop) = (state.lockPath, worker, loop)
    (self.patience, self.interval) = (patience, interval)
    loop.schedule(limit, at: loop.now.advanced(by: patience))
    attempt()
  }

  var isAsked: Bool { condition == .asked }
  /// Whether the file system has answered the last attempt.
  private(set) var isAnswered = false

  /// Why nothing may be saved now, or `nil` if it may.
  var refusal: String? { if case .taken(let reason) = condition { reason } else { nil } }

  /// Why another daemon may save at the same time, or `nil` if none may.
  var weakness: String? { if case .impossible(let reason) = condition { reason } else { nil } }

  private func attempt() {
    worker.perform({ [path] in LockedFile.lock(path) }) { [weak self] in self?.receive($0) }
  }

  private func receive(_ outcome: LockedFile.Outcome) {
    isAnswered = true
    switch outcome {
    case .locked(let file):
      self.file = file
      settle(.held)
    case .impossible(let reason): settle(.impossible(reason))
    case .busy where isPatient: loop.schedule(next, at: loop.now.advanced(by: Self.pause))
    case .busy(let process):
      settle(
        .taken(
          "another soundd\(process.map { " (process \($0))" } ?? "") saves its state in \(FilePathText.folder(of: path))"
        ))
      loop.schedule(next, at: loop.now.advanced(by: interval))
    }
  }

  private func settle(_ condition: Condition) {
    let wasTaken = refusal != nil
    self.condition = condition
    loop.cancel(limit)
    if wasTaken, refusal == nil { freed() }
  }

  private func losePatience() {
    if !isPatient {
      if isAsked { settle(.taken("\(path) does not answer")) }
      return
    }
    isPatient = false
    // The last attempt of the start gets a moment to answer.
    loop.schedule(limit, at: loop.now.advanced(by: Self.moment))
    if next.isScheduled {
      loop.cancel(next)
      attempt()
    }
  }
}

/// A file on which this process alone has a lock.
final class LockedFile: Sendable {
  enum Outcome: Sendable {
    case locked(LockedFile)
    /// Another process has the lock; its number, if it has written it.
    case busy(pid_t?)
    /// The text says why. It is `nil` if nothing can be made in the folder.
    case impossible(String?)
  }

  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Tries to lock a file, and makes it with its folder if they are missing. It may block on a slow file system.
  static func lock(_ path: String) -> Outcome {
    do throws(SystemError) {
      try StateFile(path: path).makeFolder()
      let file = try Descriptor("open", path) { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600) }
      while flock(file.raw, LOCK_EX | LOCK_NB) < 0 {
        if errno == EWOULDBLOCK { return .busy(owner(file.raw)) }
        if errno != EINTR { throw SystemError("flock", path) }
      }
      // Only for the message of another daemon. Without it, that names no process.
      let text = Array("\(getpid())\n".utf8)
      if ftruncate(file.raw, 0) == 0 { _ = pwrite(file.raw, text, text.count, 0) }
      return .locked(LockedFile(file))
    } catch {
      return .impossible(access(FilePathText.folder(of: path), W_OK | X_OK) == 0 ? "\(error)" : nil)
    }
  }

  private static func owner(_ fd: Int32) -> pid_t? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(fd, &bytes, bytes.count, 0)
    return count > 0 ? pid_t(String(decoding: bytes[..<count], as: UTF8.self).prefix { $0.isNumber }) : nil
  }
}
