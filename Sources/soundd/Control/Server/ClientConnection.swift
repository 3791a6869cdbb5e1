import CLinux
import Glibc
import SoundTrigger
import SoundWire

/// The daemon's side of one connection; `ConnectionState` decides what it does next.
///
/// Holds no buffer between two requests. If the peer leaves too many replies unread, its next requests wait. The connection
/// ends if the peer still does not read, or if unread events exceed `ControlServer.pushLimit`.
final class ClientConnection: Subscriber {
  /// When the peer last sent something, or connected.
  private(set) var lastHeard: Instant

  private let fd: Int32
  private weak var server: ControlServer?
  private unowned let loop: EventLoop
  /// `nil` if the connection is closed, or has left the loop until its late reply comes.
  private var token: EventLoop.Token?
  private var watched: EventLoop.Readiness = [.readable, .peerFinished]
  private var reader = LineReader()
  private var outbox = Outbox()
  /// All states in one struct, because Swift checks each access to a property of a class at run time.
  private var state = ConnectionState()
  /// Ends the connection if it fires. Scheduled while the connection waits for the peer to read.
  private var stall: EventLoop.Timer?

  /// Takes over a connected socket, non-blocking.
  init(owning fd: Int32, server: ControlServer) throws(SystemError) {
    self.fd = fd
    self.server = server
    loop = server.loop
    lastHeard = loop.now
    do throws(SystemError) {
      // The loop retains the connection until `close`, because a weak reference would cost a closure of its own.
      token = try loop.add(fd, watched, handler: ready)
    } catch {
      Glibc.close(fd)
      throw error
    }
  }

  var isClosed: Bool { state.peer == .closed }

  /// Whether the client follows events. If so, the connection stays open after the peer's last request.
  var isSubscribed: Bool {
    get { state.isSubscribed }
    set { state.isSubscribed = newValue }
  }

  /// Sends lines of events, each with its line feed. Ends the connection if too many events are unread.
  func push(_ lines: [UInt8]) {
    if isClosed { return }
    outbox.push(lines)
    flush()
    if outbox.unreadEvents > server?.pushLimit ?? 0 { return drop() }
    endEvent()
  }

  /// Sends the reply to the request that was answered with `.later`, and carries out the requests after it.
  ///
  /// Does nothing if no request waits for a reply, or if the connection has ended.
  func reply(_ reply: Reply) {
    guard case .reply(let line) = state.wait else { return }
    state.wait = .nothing
    answer(reply, line)
    // Earlier events may have exceeded their limit.
    if isClosed { return }
    do throws(SystemError) {
      if token == nil { token = try loop.add(fd, watched, handler: ready) }
    } catch {
      return close()
    }
    endEvent()
  }

  /// Ends the connection and drops its unread replies.
  func close() {
    if isClosed { return }
    state = ConnectionState(peer: .closed)
    if let token { loop.remove(token) }
    token = nil
    endStall()
    Glibc.close(fd)
    outbox = Outbox()
    server?.remove(self)
  }

  /// Whether nothing is lost if the connection ends now: the peer follows no events and waits for no reply, and the daemon
  /// has carried out all its requests.
  var isIdle: Bool {
    var byte: UInt8 = 0
    return state.isIdle && backlog == .empty && recv(fd, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
  }

  /// Ends an idle connection, and tells the peer why.
  func makeRoom() {
    let reason = "the daemon needed room for another client and closed this one, because it was idle for longest"
    let line = Array("\(Reply.line(error: reason, code: .busy))\n".utf8)
    _ = clinux_send(fd, line, line.count)
    close()
  }

  // MARK: Reading

  /// Continues the work that was left for this turn.
  func continueTurn() {
    guard state.wait == .turn else { return }
    state.wait = .nothing
    ready([])
  }

  private func ready(_ readiness: EventLoop.Readiness) {
    guard let server, let handler = server.handler else { return close() }
    // No reply can reach the peer.
    if readiness.isHangUp, state.peer == .finished { return close() }
    let backlog = flush()
    switch state.step(readiness, backlog) {
    case nil: break
    case .leaveLoop:
      if let token { loop.remove(token) }
      token = nil
    case .sendParts: sendParts()
    case .carryOut:
      let lines = state.held
      state.held = []
      carryOut(lines.span, server, handler)
    case .read: read(readiness, server, handler)
    }
    endEvent()
  }

  /// Reads once, so that a client that sends endlessly does not delay the others.
  private func read(_ readiness: EventLoop.Readiness, _ server: ControlServer, _ handler: any RequestHandler) {
    let buffer = server.readBuffer
    let count = Glibc.read(fd, buffer.baseAddress, min(buffer.count, server.quantum.bytes))
    if count > 0 {
      lastHeard = loop.now
      carryOut(UnsafeBufferPointer(rebasing: buffer[..<count]).span, server, handler)
    } else if count == 0 {
      // A peer that vanished may have sent half a line (`level=1` of `level=100`).
      if readiness.isHangUp { return close() }
      state.peer = .finished
      // The last line needs no line feed if the peer shut its side down and waits for the reply.
      reader.finish { line, number in receive(line, number, handler) }
      reader = LineReader()
    } else if errno != EAGAIN, errno != EINTR {
      close()
    }
  }

  /// Carries out the lines. Holds the rest if too many replies are unread or the client's share of the turn ends.
  private func carryOut(_ bytes: Span<UInt8>, _ server: ControlServer, _ handler: any RequestHandler) {
    let end = EventLoop.clock().advanced(by: server.quantum.time)
    let taken = reader.feed(bytes) { line, number in
      receive(line, number, handler) && EventLoop.clock() <= end
    }
    if taken == bytes.count || isClosed { return }
    state.held = bytes.extracting(taken..<bytes.count).withUnsafeBufferPointer { Array($0) }
  }

  /// Carries out a request and answers it. Returns whether the next line may follow.
  private func receive(_ line: Span<UInt8>?, _ number: Int, _ handler: any RequestHandler) -> Bool {
    do throws(RequestRefusal) {
      let request = try Request(line)
      guard let line else { return true }
      switch request {
      case .blank: return true
      case .assignment, .object:
        let reply = handler.handle(request, line: line, from: self)
        // A silent assignment neither ends the connection nor adds to the backlog, so the next line may follow.
        if case .silent = reply { return true }
        answer(reply, number)
      default:
        // Set before `handle`, because the handler may reply at once, for example if it refuses a play.
        state.wait = .reply(line: number)
        let reply = handler.handle(request, line: line, from: self)
        if case .later = reply { break }
        state.wait = .nothing
        answer(reply, number)
      }
    } catch {
      server?.counters.badLines += 1
      answer(.error(error.description, error.code), number)
    }
    let backlog = backlog
    return state.mayContinue(backlog)
  }

  // MARK: Writing

  /// What the peer has still to read. It is full if more than a quarter of `pushLimit` is unread.
  private var backlog: ConnectionState.Backlog {
    outbox.isEmpty ? .empty : outbox.backlog(limit: (server?.pushLimit ?? 0) / 4)
  }

  private func answer(_ reply: Reply, _ number: Int) {
    if case .silent = reply { return }
    // The handler first sends earlier events.
    server?.handler?.willReply()
    if isClosed { return }
    outbox.add(reply, line: number)
    if backlog == .full { sendParts() }
  }

  /// Sends replies, and parts of a long one until the kernel takes no more or the client's share of the turn ends.
  private func sendParts() {
    guard let server else { return }
    let end = EventLoop.clock().advanced(by: server.quantum.time)
    flush()
    while let long = outbox.long, outbox.unread == 0, EventLoop.clock() <= end {
      outbox.addPart(long.next())
      flush()
    }
  }

  /// Sends what the kernel takes. Returns what the peer has still to read.
  @discardableResult
  private func flush() -> ConnectionState.Backlog {
    if outbox.isEmpty { return .empty }
    let before = outbox.unread
    do throws(SystemError) {
      try outbox.send(to: fd)
    } catch {
      // The peer takes no more replies. The daemon still carries out the requests that the peer has sent.
      outbox = Outbox()
      // A peer that is still connected would wait for its replies.
      if error.code != EPIPE && error.code != ECONNRESET { shutdown(fd, Int32(SHUT_RDWR)) }
      if isSubscribed { server?.handler?.clientDidClose(self) }
      isSubscribed = false
    }
    if outbox.unread < before { endStall() }
    return backlog
  }

  /// Ends the handling of an event: sends the unread replies, and watches for what the connection needs next.
  private func endEvent() {
    guard let token else { return }
    let backlog = flush()
    if state.mayContinue(backlog), !state.held.isEmpty {
      state.wait = .turn
      server?.continueLater(self)
    }
    if state.isOver(backlog) { return close() }
    // If nothing is unread, `flush` has ended the stall.
    if backlog != .empty { if state.mustBeRead(backlog) { limitStall() } else { endStall() } }
    let wanted = state.wanted(backlog)
    if wanted == watched { return }
    watched = wanted
    do { try loop.modify(token, wanted) } catch { close() }
  }

  /// Gives the peer `Limits.stall` to read something, unless that time runs already.
  private func limitStall() {
    guard let server, stall == nil else { return }
    let (asleep, unread) = (loop.timeAsleep, clinux_unread(fd))
    let timer = EventLoop.Timer { [unowned self] in
      stall = nil
      // Waits again after a sleep of the machine, or if the client has read something. The kernel accepts more only later.
      if loop.timeAsleep > asleep || clinux_unread(fd) < unread { limitStall() } else { drop() }
    }
    stall = timer
    loop.schedule(timer, at: loop.now.advanced(by: server.limits.stall))
  }

  private func endStall() {
    if let stall { loop.cancel(stall) }
    stall = nil
  }

  /// Ends the connection because its replies are not read.
  private func drop() {
    server?.counters.slowClients += 1
    server?.droppedBytes += outbox.unread
    close()
  }
}
