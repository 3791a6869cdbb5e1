import Glibc
import SoundTrigger

/// Feeds the lines that are written to a named pipe. It makes a missing pipe, and leaves it there when it stops.
///
/// Writers come and go. A line ends with a line feed, or when the last writer closes the pipe, so the incomplete lines of two
/// writers are not joined. If a new writer opens the pipe before soundd notices that, it continues the line. The pipe always
/// has a reader, so that no writer is killed by SIGPIPE.
final class FifoSource: ValueFeeder {
  /// An open pipe.
  private final class Reader {
    let descriptor: Descriptor
    let identity: FileIdentity
    /// `nil` if it is open but not read.
    var token: EventLoop.Token?

    init(_ descriptor: consuming Descriptor, _ identity: FileIdentity) {
      self.descriptor = descriptor
      self.identity = identity
    }
  }

  /// How much is read in one turn of its thread's loop.
  private static let slice = 65_536

  private var pipe: Reader?
  private var lines = LineReader()
  /// The pipe whose permissions were reported.
  private var remarked: FileIdentity?
  /// Whether the writer may have closed the pipe before soundd opened it; no end of file arrives then.
  private var mayLackWriter = false
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: slice)

  override class var subject: PathWatch.Subject { .presence }

  deinit {
    close()
    buffer.deallocate()
  }

  override func stop() {
    super.stop()
    close()
  }

  override func suspend() {
    super.suspend()
    pause()
  }

  // MARK: Which pipe

  override func read(onlyIfOther: Bool) {
    // More than once, because another program may make or remove a pipe at the same time.
    for _ in 0..<8 where !isStopped {
      do throws(NamedPipe.Problem) {
        if let found = try NamedPipe.identity(at: path) {
          if let pipe, pipe.token != nil, pipe.identity == found { return report(nil) }
          do throws(SystemError) {
            try open()
            return report(nil)
          } catch {
            if error.code != ENOENT { return report("\(path): \(error.reason)") }
          }
        } else if mkfifo(path, 0o600) < 0, errno != EEXIST {
          return fail(NamedPipe.cannotMake(path, errno))
        }
      } catch {
        return error.endsReading ? fail(error.text) : report(error.text)
      }
    }
  }

  /// Opens the pipe at the path instead of the one that was read. The same pipe is opened again before it is closed, because
  /// the kernel drops the bytes in a pipe that no process has open.
  private func open() throws(SystemError) {
    let fd = try Descriptor("open", path) { Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
    var status = stat()
    guard fstat(fd.raw, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      throw SystemError("open", path, code: ENOENT)
    }
    let next = Reader(fd, FileIdentity(status))
    if pipe?.identity != next.identity { drain() }
    if isStopped { return }
    next.token = try loop.add(next.descriptor.raw, .readable) { [unowned self] _ in readPipe() }
    close()
    pipe = next
    mayLackWriter = true
    if remarked != next.identity, let remark = NamedPipe.remark(status, at: path, user: geteuid()) {
      remarked = next.identity
      receiver.remark(remark)
    }
  }

  private func close() {
    pause()
    pipe = nil
  }

  /// Stops reading but keeps the pipe open, so that its writers neither fail nor wait.
  private func pause() {
    if let token = pipe?.token { loop.remove(token) }
    pipe?.token = nil
  }

  private func fail(_ problem: String) {
    drain()
    close()
    report(problem)
  }

  // MARK: Lines

  override func continueReading() { if pipe?.token != nil { readPipe() } }

  private func readPipe() {
    guard let pipe else { return }
    let count = Glibc.read(pipe.descriptor.raw, buffer.baseAddress, buffer.count)
    if count > 0 {
      passOn(count)
      if mayLackWriter, lines.isInsideLine, !isStopped { schedule() }
      return
    }
    mayLackWriter = false
    if count < 0 {
      if errno != EAGAIN, errno != EINTR { fail("\(path): \(SystemError.text(errno))") }
      return
    }
    // The last writer has closed the pipe. epoll repeats that until the pipe is opened again.
    endLine()
    if isStopped { return }
    do throws(SystemError) {
      try open()
    } catch {
      pause()
      read(onlyIfOther: false)
    }
  }

  /// Reads the rest of a pipe before it is closed: at most what a pipe can hold, because its writers may continue.
  private func drain() {
    for _ in 0..<(1 << 20) / Self.slice {
      guard let pipe, !isStopped else { return }
      let count = Glibc.read(pipe.descriptor.raw, buffer.baseAddress, buffer.count)
      if count <= 0 { break }
      passOn(count)
    }
    if pipe != nil { endLine() }
  }

  private func passOn(_ count: Int) {
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
