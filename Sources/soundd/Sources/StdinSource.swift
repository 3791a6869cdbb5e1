import Glibc
import SoundTrigger

/// Lines from standard input, or from any other descriptor that can be read.
///
/// It waits for pipes, terminals and sockets. It reads regular files and /dev/null, which epoll refuses, a slice per turn of
/// the loop. The descriptor is neither closed nor changed, because other processes share its flags.
final class StdinSource {
  /// Receives each line, without its end, and its number; `nil` stands for a line that was too long.
  typealias LineHandler = (_ line: Span<UInt8>?, _ number: Int) -> Void
  /// Called once, at the end of the input; `problem` is `nil`, or says why it cannot be read further.
  typealias EndHandler = (_ problem: String?) -> Void

  private let loop: EventLoop
  private let fd: Int32
  private let onLine: LineHandler
  private let onEnd: EndHandler
  private var reader = LineReader()
  private var token: EventLoop.Token?
  private lazy var nextSlice = EventLoop.Timer { [weak self] in self?.read() }
  private var isStopped = false
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65_536)

  /// Starts to read; the handlers are called from the loop, never from here.
  init(_ fd: Int32 = STDIN_FILENO, on loop: EventLoop, onLine: @escaping LineHandler, onEnd: @escaping EndHandler) {
    self.loop = loop
    self.fd = fd
    self.onLine = onLine
    self.onEnd = onEnd
    do throws(SystemError) {
      token = try loop.add(fd, [.readable]) { [unowned self] _ in read() }
    } catch {
      // EPERM: it is always ready. Any other error is reported by read.
      loop.schedule(nextSlice, at: loop.now)
    }
  }

  deinit {
    if let token { loop.remove(token) }
    buffer.deallocate()
  }

  /// Reads no more; no handler is called after this.
  func stop() {
    isStopped = true
    if let token { loop.remove(token) }
    token = nil
    loop.cancel(nextSlice)
  }

  private func read() {
    defer { if token == nil, !isStopped { loop.schedule(nextSlice, at: loop.now) } }
    let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    if count > 0 {
      reader.feed(UnsafeBufferPointer(rebasing: buffer[..<count]).span) { line, number in
        onLine(line, number)
        return !isStopped
      }
      return
    }
    let problem = count < 0 ? "standard input: \(SystemError.text(errno))" : nil
    // At an orderly end the last line counts without a line feed.
    if problem == nil {
      reader.finish { line, number in
        onLine(line, number)
        return true
      }
    }
    if isStopped { return }
    stop()
    onEnd(problem)
  }
}
