import CLinux
import Glibc

/// A blocking connection to the running daemon, of a command or of a `RemoteValue`.
///
/// It also receives replies while it sends, so that neither side waits for the other for ever.
package final class DaemonConnection {
  /// Grouped by what the caller can do about it.
  package enum Problem: Error, Equatable, CustomStringConvertible {
    /// Nobody listens: start the daemon, or name its socket.
    case noDaemon(path: String, reason: String)
    /// The socket is another user's.
    case notPermitted(path: String)
    /// The daemon did not answer in time.
    case timedOut(path: String)
    /// The daemon ended the connection; the text is what it said last, if anything.
    case closed(path: String, said: DaemonRefusal?)
    /// What listens there answers otherwise than soundd does: another program, or another version.
    case notUnderstood(path: String, said: String)
    case system(SystemError)

    package var description: String {
      switch self {
      case .noDaemon(let path, let reason):
        "no soundd is running on \(path) (\(reason)): start it with 'soundd run' or "
          + "'systemctl --user start soundd', or name its socket with --socket"
      case .notPermitted(let path): "\(path): permission denied: the socket belongs to another user"
      case .timedOut(let path): "soundd on \(path) does not answer: see 'systemctl --user status soundd'"
      case .closed(let path, let said):
        "soundd on \(path) ended the connection" + (said.map { ": \($0.textWithLine)" } ?? "")
      case .notUnderstood(let path, let said):
        "what listens on \(path) does not answer as this soundd does (\(Excerpt.quoting(said))): is it another "
          + "program or another version?"
      case .system(let error): error.description
      }
    }
  }

  /// The longest line, in bytes; `list` of any reasonable daemon is shorter.
  static let longestLine = 1 << 30

  package let path: String
  /// How long nothing may happen before the daemon is taken for dead.
  let timeout: Duration
  /// The same while it loads sounds.
  private static let loadingTimeout = Duration.seconds(60)

  private let socket: Descriptor
  /// For a caller that waits for several things: readable if lines may have come.
  package var descriptor: Int32 { socket.raw }
  /// Lines that were received and not yet handed out, without their ends.
  private var lines: ArraySlice<[UInt8]> = []
  /// The beginning of a line whose end has not come.
  private var partial: [UInt8] = []
  private var isAtEnd = false
  /// How long it took to connect. That counts as a part of the wait for the first answer, so that a daemon that never answers is given
  /// up after `timeout` in all.
  private var connecting = Duration.zero

  /// Connects to the daemon on `path`.
  package init(path: String, timeout: Duration = .seconds(5)) throws(Problem) {
    self.path = path
    self.timeout = timeout
    do throws(SystemError) {
      socket = try Descriptor("socket") { clinux_unix_socket(0) }
    } catch {
      throw .system(error)
    }
    // A daemon that many wait for may be busy or dead: so long does connect wait for room. Nothing else blocks.
    _ = clinux_limit_waiting(socket.raw, timeout.nanoseconds)
    let start = clinux_monotonic()
    if clinux_unix_connect(socket.raw, path) == 0 {
      connecting = .nanoseconds(clinux_monotonic() - start)
      return
    }
    let error = SystemError("connect to", path)
    switch error.code {
    case ENOENT, ECONNREFUSED, ENOTDIR, EPROTOTYPE: throw .noDaemon(path: path, reason: error.reason)
    case EACCES, EPERM: throw .notPermitted(path: path)
    case EAGAIN: throw .timedOut(path: path)
    default: throw .system(error)
    }
  }

  /// Sends bytes as they are: whole lines, each with its end.
  ///
  /// Keeps the replies that arrive meanwhile, so that the daemon never waits for us to read.
  package func send(_ bytes: Span<UInt8>) throws(Problem) {
    var sent = 0
    while sent < bytes.count {
      let rest = bytes.extracting(sent..<bytes.count)
      let count = rest.withUnsafeBytes { clinux_send(socket.raw, $0.baseAddress, $0.count) }
      if count >= 0 {
        sent += count
        continue
      }
      switch errno {
      case EINTR: break
      case EAGAIN:
        if try wait(for: Int16(POLLIN | POLLOUT)) & Int16(POLLIN) != 0 { try receive() }
        // The daemon's last words say more than a broken pipe.
        if isAtEnd { throw .closed(path: path, said: lastLine()) }
      case EPIPE, ECONNRESET:
        while try receive() {}
        throw .closed(path: path, said: lastLine())
      default: throw .system(SystemError("send to", path))
      }
    }
  }

  /// Sends one line; its end is added.
  package func send(line: String) throws(Problem) {
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    try send(bytes.span)
  }

  /// The next line of the daemon, without its end; `nil` once it has closed the connection. Throws if the daemon says nothing for
  /// `limit`, which is `timeout` unless set.
  package func readLine(within limit: Duration? = nil) throws(Problem) -> [UInt8]? {
    while true {
      if let line = lines.popFirst() { return line }
      if isAtEnd { return nil }
      _ = try wait(for: Int16(POLLIN), limit ?? timeout)
      try receive()
    }
  }

  /// Sends a line, if there is one, and `sync`, waits until everything has been applied, and returns the errors reported
  /// meanwhile.
  package func sync(after line: String? = nil) throws(Problem) -> [DaemonRefusal] {
    var errors: [DaemonRefusal] = []
    try sync(after: line) { errors.append($0) }
    return errors
  }

  /// The same, reporting each error as it comes.
  package func sync(after line: String? = nil, _ report: (DaemonRefusal) -> Void) throws(Problem) {
    // In one piece: the daemon need not wake up twice.
    try send(line: line.map { $0 + "\nsync" } ?? "sync")
    var last: DaemonRefusal?
    while let reply = try readLine() {
      if reply == Array("ok".utf8) { return }
      let error = try error(reply)
      report(error)
      last = error
    }
    throw .closed(path: path, said: last)
  }

  /// Takes the errors that have come, without waiting; throws if the connection has ended.
  package func takeErrors(_ report: (DaemonRefusal) -> Void) throws(Problem) {
    for reply in try takeLines() { report(try error(reply)) }
  }

  /// Takes the lines that have come, without waiting; throws once the connection has ended and its last lines are taken.
  package func takeLines() throws(Problem) -> ArraySlice<[UInt8]> {
    try receive()
    if isAtEnd, lines.isEmpty { throw .closed(path: path, said: nil) }
    defer { lines = [] }
    return lines
  }

  /// Waits until `input` can be read or the daemon has said something, for as long as that takes.
  ///
  /// - Returns: which of both.
  package func wait(forInput input: Int32) -> (hasInput: Bool, hasReply: Bool) {
    let ready = clinux_wait_for_any(socket.raw, input, -1)
    return (ready & 2 != 0, ready & 1 != 0)
  }

  /// Waits for lines, for as long as that takes, and takes all that have come, each with its end.
  ///
  /// `nil` once the connection has ended; empty if `output` has no reader any more.
  package func readLines(whileRead output: Int32) throws(Problem) -> [UInt8]? {
    while true {
      if !lines.isEmpty {
        defer { lines = [] }
        return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
      }
      if isAtEnd { return nil }
      let ready = clinux_wait_for_any(socket.raw, -1, output)
      if ready & 4 != 0 { return [] }
      if ready & 1 != 0 { try receive() }
    }
  }

  /// Sends a line that has one line for a reply.
  ///
  /// With `loadsSounds` the reply may take a minute. A daemon that does not answer at all is given up as early as otherwise.
  package func request(_ line: String, loadsSounds: Bool = false) throws(Problem) -> Response {
    try send(line: loadsSounds ? "sync\n\(line)" : line)
    if loadsSounds {
      let first = try reply()
      if first != .line(Array("ok".utf8)) { return first }
    }
    return try reply(within: loadsSounds ? max(timeout, Self.loadingTimeout) : timeout)
  }

  private func reply(within limit: Duration? = nil) throws(Problem) -> Response {
    guard let reply = try readLine(within: limit) else { throw .closed(path: path, said: nil) }
    return DaemonRefusal(reply: reply).map(Response.refused) ?? .line(reply)
  }

  /// The reply to one request.
  package enum Response: Equatable, Sendable {
    /// `ok`, or a line of JSON.
    case line([UInt8])
    case refused(DaemonRefusal)
  }

  /// What an error says.
  private func error(_ reply: [UInt8]) throws(Problem) -> DaemonRefusal {
    guard let error = DaemonRefusal(reply: reply) else {
      throw .notUnderstood(path: path, said: String(decoding: reply, as: UTF8.self))
    }
    return error
  }

  // MARK: Descriptor

  private func wait(for events: Int16, _ limit: Duration? = nil) throws(Problem) -> Int16 {
    while true {
      let rest = max(.zero, (limit ?? timeout) - connecting)
      let ready = clinux_wait(socket.raw, events, rest.nanoseconds)
      if ready > 0 { return Int16(truncatingIfNeeded: ready) }
      if ready == 0 { throw .timedOut(path: path) }
      if errno != EINTR { throw .system(SystemError("poll", path)) }
    }
  }

  /// Takes what has come. Returns whether anything has.
  @discardableResult
  private func receive() throws(Problem) -> Bool {
    let known = partial.count
    let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
      let count = recv(socket.raw, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        partial.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        connecting = .zero
      }
      return count
    }
    if count == 0 || (count < 0 && errno == ECONNRESET) {
      isAtEnd = true
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      throw .system(SystemError("receive from", path))
    }
    var start = 0
    while let end = partial[max(start, known)...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(partial[start..<end]))
      start = end + 1
    }
    partial.removeFirst(start)
    if partial.count > Self.longestLine {
      throw .notUnderstood(path: path, said: String(decoding: partial.prefix(100), as: UTF8.self))
    }
    return count > 0
  }

  private func lastLine() -> DaemonRefusal? { lines.last.flatMap { DaemonRefusal(reply: $0) } }
}
