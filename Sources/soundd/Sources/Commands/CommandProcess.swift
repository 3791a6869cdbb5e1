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
      if !readOutput() { closeOutput() }
    }
    tokens.errors = try loop.add(errors.raw, .readable) { [unowned self] _ in
      if !readErrors() { remove(&tokens.errors) }
    }
  }

  deinit { removeAll() }

  /// The last line of standard error, as people may see it; `nil` if there is none.
  var lastError: String? {
    let line = lastErrorLine
    return line.isEmpty ? nil : Excerpt.quoting(line.span, limit: Self.longestError)
  }

  /// Sends a signal to its group. The process is not reaped yet, so the number is still its own.
  func send(_ signal: Int32) { kill(-pid, signal) }

  /// Reads a slice of standard output. Returns false at its end.
  private func readOutput() -> Bool { read(output.raw) { owner?.received(output: $0) } }

  private func readErrors() -> Bool {
    read(errors.raw) { bytes in
      _ = errorLines.feed(bytes) { line, _ in
        note(error: line)
        return true
      }
    }
  }

  private func note(error line: Span<UInt8>?) {
    guard let line, line.count > 0 else { return }
    lastErrorLine = line.withUnsafeBufferPointer { Array($0.prefix(Self.longestError)) }
  }

  private func read(_ fd: Int32, _ receive: (Span<UInt8>) -> Void) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.slice, alignment: 1) { buffer in
      let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      if count > 0 {
        buffer[..<count].withMemoryRebound(to: UInt8.self) { receive($0.span) }
      }
      return count > 0
    }
  }

  private func closeOutput() {
    remove(&tokens.output)
    owner?.outputEnded()
  }

  /// The program has ended: ends what it left in its group, and reads what they have written, at most what pipes can hold.
  private func end() {
    send(SIGKILL)
    for (fd, token) in [(output.raw, tokens.output), (errors.raw, tokens.errors)] where token != nil {
      for _ in 0..<(1 << 20) / Self.slice where clinux_wait(fd, Int16(POLLIN), 0) & Int32(POLLIN) != 0 {
        if !(fd == output.raw ? readOutput() : readErrors()) { break }
      }
    }
    errorLines.finish { line, _ in
      note(error: line)
      return true
    }
    if tokens.output != nil { closeOutput() }
    var code: Int32 = 0
    let outcome = clinux_reap(pid, &code)
    if outcome == 0 { return }
    removeAll()
    // Without a status somebody else has waited for it.
    owner?.ended(outcome == 2 ? .signal(code) : .exit(outcome == 1 ? code : 127))
  }

  private func removeAll() {
    remove(&tokens.watch)
    remove(&tokens.output)
    remove(&tokens.errors)
  }

  private func remove(_ token: inout EventLoop.Token?) {
    if let token { loop.remove(token) }
    token = nil
  }
}
