import Glibc
import SoundTrigger

/// Lines that are written to a named pipe, which is made if it is missing, and stays.
///
/// Writers come and go. A line ends with a line feed, or when the last writer leaves, so that one's half line is not glued to
/// another's; a writer that comes before it is noticed that the last one has gone continues its line, since then there was no
/// moment without a writer. The pipe is never without a reader, so nobody who writes is ended by SIGPIPE.
final class FifoSource: ValueFeeder {
  /// An open pipe.
  private final class Reader {
    let descriptor: Descriptor
    let identity: FileIdentity
    /// `nil`: it is kept open, and not read.
    var token: EventLoop.Token?

    init(_ descriptor: consuming Descriptor, _ identity: FileIdentity) {
      self.descriptor = descriptor
      self.identity = identity
    }
  }

  /// How much is read before others get their turn.
  private static let slice = 65_536

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any LineReceiver
  private var watch: PathWatch?
  private var pipe: Reader?
  private var lines = LineReader()
  /// The pipe of which something was remarked.
  private var remarked: FileIdentity?
  /// Whether what is read may be from a writer who left before the pipe was opened: nobody tells of his leaving.
  private var mayBeLeft = false
  private var leftTimer: EventLoop.Timer?
  private var isStopped = false
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: slice)

  /// Prepares to read the pipe at `path`. `receiver` has to outlive it.
  init(path: String, watcher: FolderWatcher, on loop: EventLoop, receiver: any LineReceiver) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, .access, poll: nil, watcher: watcher, on: loop) { [unowned self] _ in look() }
    leftTimer = EventLoop.Timer { [unowned self] in if pipe?.token != nil { read() } }
  }

  deinit {
    stop()
    buffer.deallocate()
  }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    look()
  }

  func stop() {
    isStopped = true
    watch?.stop()
    if let leftTimer { loop.cancel(leftTimer) }
    close()
  }

  // MARK: Which pipe

  private func look() {
    // More than once: somebody may make or remove one at the same time.
    for _ in 0..<8 where !isStopped {
      let current = pipe?.token == nil ? nil : pipe?.identity
      switch NamedPipe.action(NamedPipe.look(path), at: path, current: current) {
      case .none: return report(nil)
      case .open:
        do throws(SystemError) {
          try open()
          return report(nil)
        } catch {
          if error.code != ENOENT { return report("\(path): \(error.reason)") }
        }
      case .make:
        if mkfifo(path, 0o600) < 0, errno != EEXIST { return fail(NamedPipe.cannotMake(path, errno)) }
      case .fail(let problem): return fail(problem)
      case .wait(let problem): return report(problem)
      }
    }
  }

  /// Opens what lies there instead of the pipe that was read; the same pipe is opened before it is closed, so that what has been
  /// written to it meanwhile is kept.
  private func open() throws(SystemError) {
    let fd = try Descriptor("open", path) { Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
    var status = stat()
    guard fstat(fd.raw, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      throw SystemError("open", path, code: ENOENT)
    }
    let next = Reader(fd, FileIdentity(status))
    if pipe?.identity != next.identity { drain() }
    if isStopped { return }
    next.token = try loop.add(next.descriptor.raw, .readable) { [unowned self] _ in read() }
    close()
    pipe = next
    mayBeLeft = true
    if remarked != next.identity, let remark = NamedPipe.remark(status, at: path, user: geteuid()) {
      remarked = next.identity
      receiver.remark(remark)
    }
  }

  private func close() {
    rest()
    pipe = nil
  }

  /// Reads no more, but keeps the pipe open: who writes to it is neither ended nor held up.
  private func rest() {
    if let token = pipe?.token { loop.remove(token) }
    pipe?.token = nil
  }

  private func fail(_ problem: String) {
    drain()
    close()
    report(problem)
  }

  private func report(_ problem: String?) { watch?.report(problem, to: receiver) }

  // MARK: Lines

  private func read() {
    guard let pipe else { return }
    let count = Glibc.read(pipe.descriptor.raw, buffer.baseAddress, buffer.count)
    if count > 0 {
      take(count)
      if mayBeLeft, lines.isInsideLine, !isStopped, let leftTimer { loop.schedule(leftTimer, at: loop.now) }
      return
    }
    mayBeLeft = false
    if count < 0 {
      if errno != EAGAIN, errno != EINTR { fail("\(path): \(SystemError.text(errno))") }
      return
    }
    // The last writer has gone. epoll goes on to say so until the pipe is opened anew.
    endLine()
    if isStopped { return }
    do throws(SystemError) {
      try open()
    } catch {
      rest()
      look()
    }
  }

  /// Takes what is left in a pipe that is given up: no more than a pipe can hold, for its writers may go on.
  private func drain() {
    for _ in 0..<(1 << 20) / Self.slice {
      guard let pipe, !isStopped else { return }
      let count = Glibc.read(pipe.descriptor.raw, buffer.baseAddress, buffer.count)
      if count <= 0 { break }
      take(count)
    }
    if pipe != nil { endLine() }
  }

  private func take(_ count: Int) {
    let receiver = receiver
    lines.feed(UnsafeBufferPointer(rebasing: buffer[..<count]).span) { line, _ in
      receiver.receive(line: line)
      return !isStopped
    }
  }

  private func endLine() {
    lines.finish { line, _ in
      receiver.receive(line: line)
      return true
    }
  }
}
