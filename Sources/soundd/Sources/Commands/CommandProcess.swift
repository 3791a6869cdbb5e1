import CLinux
import Glibc
import SoundTrigger

/// A running program: reads its output on the event loop, and ends its process group.
///
/// What it leaves in its group ends with it, so that no run leaves anything behind.
final class CommandProcess {
  /// Receives what happens to the process, on the event loop.
  protocol Owner: AnyObject {
    func received(output: Span<UInt8>)
    func outputEnded()
    /// It is gone; no other call follows.
    func ended(_ ending: ProcessEnding)
  }

  /// How much is read in one turn of the event loop.
  private static let slice = 4096
  /// How much of the last line of standard error is kept, in bytes.
  private static let longestError = 200

  let pid: pid_t
  private let loop: EventLoop
  private let watch, output, errors: Descriptor
  private var tokens: (watch: EventLoop.Token?, output: EventLoop.Token?, errors: EventLoop.Token?)
  private var errorLines = LineReader()
  private var lastErrorLine: [UInt8] = []
  private weak var owner: (any Owner)?

  /// Takes over a process that was just made, with its descriptors.
  init(_ process: clinux_process, on loop: EventLoop, owner: any Owner) throws(SystemError) {
    pid = process.pid
    watch = Descriptor(owning: process.pidfd)
    output = Descriptor(owning: process.output)
    errors = Descriptor(owning: process.errors)
    self.loop = loop
    self.owner = owner
    tokens.watch = try loop.add(watch.raw, .readable) { [unowned self] _ in end() }
    tokens.output = try loop.add(output.raw, .readable) { [unowned self] _ in
      if readOutput() == 0 { closeOutput() }
    }
    tokens.errors = try loop.add(errors.raw, .readable) { [unowned self] _ in
      if readErrors() == 0 { remove(&tokens.errors) }
    }
  }

  deinit {
    remove(&tokens.watch)
    remove(&tokens.output)
    remove(&tokens.errors)
  }

  private func remove(_ token: inout EventLoop.Token?) {
    if let token { loop.remove(token) }
    token = nil
  }

  /// The last line of standard error, as people may see it; `nil` if there is none.
  var lastError: String? {
    let line = lastErrorLine
    return line.isEmpty ? nil : Excerpt.quoting(line.span, limit: Self.longestError)
  }

  /// Sends a signal to its group. The process is not reaped yet, so the number is still its own.
  func send(_ signal: Int32) { kill(-pid, signal) }

  private func readOutput() -> Int { read(output.raw) { owner?.received(output: $0) } }

  private func readErrors() -> Int { read(errors.raw) { errorLines.feed($0, note) } }

  private func note(error line: Span<UInt8>?, _: Int) -> Bool {
    if let line, line.count > 0 { lastErrorLine = line.withUnsafeBufferPointer { Array($0.prefix(Self.longestError)) } }
    return true
  }

  /// Reads a slice of a pipe. Returns how much; 0 at its end, less if there is nothing yet.
  private func read(_ fd: Int32, _ receive: (Span<UInt8>) -> Void) -> Int {
    withUnsafeTemporaryAllocation(byteCount: Self.slice, alignment: 1) { buffer in
      let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
      if count > 0 { buffer[..<count].withMemoryRebound(to: UInt8.self) { receive($0.span) } }
      return count < 0 && errno != EAGAIN && errno != EINTR ? 0 : count
    }
  }

  /// Reads until there is nothing, at most what a pipe can hold.
  private func drain(_ read: () -> Int) {
    var left = 1 << 20
    while left > 0, case let count = read(), count > 0 { left -= count }
  }

  private func closeOutput() {
    remove(&tokens.output)
    owner?.outputEnded()
  }

  /// The program has ended: ends what it left in its group, and reads what they have written.
  private func end() {
    send(SIGKILL)
    drain(readOutput)
    drain(readErrors)
    errorLines.finish(note)
    if tokens.output != nil { closeOutput() }
    // It stays if somebody else has waited for the program.
    var status: Int32 = 127 << 8
    if waitpid(pid, &status, WNOHANG) == 0 { return }
    remove(&tokens.watch)
    owner?.ended(ProcessEnding(waitStatus: status))
  }
}
