import CLinux
import Glibc
import SoundTrigger

/// The daemon's side of one connection.
///
/// Holds no buffer between two requests. While the peer leaves too many replies unread, its next requests wait. The
/// connection ends if the peer still does not read, or if unread events exceed `ControlServer.Limits.backlog`.
final class ClientConnection: Subscriber {
  /// Keeps the connection open for `push` after the peer has finished sending: it subscribed to something.
  var isSubscribed = false
  private(set) var isClosed = false
  /// When the peer last sent something, or connected.
  private(set) var lastHeard: Instant

  private let fd: Int32
  private weak var server: ControlServer?
  private unowned let loop: EventLoop
  private var token: EventLoop.Token?
  private var reader = LineReader()
  private var outbox = Outbox()
  /// Whether the peer will send nothing more.
  private var peerFinished = false
  /// Whether the peer takes no replies any more.
  ///
  /// What it has sent is still carried out.
  private var isDeaf = false
  /// The line that is being carried out or whose reply comes later; the requests after it wait for that. 0: there is none.
  private var awaited = 0
  /// Lines that wait until replies have been read, or given, or for the next turn; at most one read buffer.
  private var held: [UInt8] = []
  /// Whether the server will call `continueTurn` in the next turn.
  private var isUnfinished = false
  /// Runs while the connection waits for the peer to read.
  private var stall: Stall?
  private var watched: EventLoop.Readiness = [.readable, .peerFinished]

  /// How long the peer has read nothing. An object, because thousands of connections may be idle and need none.
  private final class Stall {
    let timer: EventLoop.Timer
    /// How long the machine had slept when the timer was set.
    var asleepBefore = Duration.zero
    /// What the peer had still to read then, of what the kernel holds.
    var unreadBefore: Int32 = 0

    init(_ timer: EventLoop.Timer) { self.timer = timer }
  }

  /// Takes over a connected socket, non-blocking.
  init(owning fd: Int32, server: ControlServer) throws(SystemError) {
    self.fd = fd
    self.server = server
    loop = server.loop
    lastHeard = loop.now
    do throws(SystemError) {
      // The loop keeps the connection until it is closed: to be referred to weakly would cost a closure of its own.
      token = try loop.add(fd, watched, handler: ready)
    } catch {
      Glibc.close(fd)
      isClosed = true
      throw error
    }
  }

  deinit {
    if !isClosed {
      if let token { loop.remove(token) }
      Glibc.close(fd)
    }
  }

  /// Sends lines that no request asked for at this moment.
  ///
  /// The end of the last one is added.
  func push(_ lines: [UInt8]) {
    if isClosed || isDeaf { return }
    outbox.push(lines)
    flush()
    if outbox.unreadEvents > server?.pushLimit ?? 0 { return drop() }
    watch()
  }

  /// Gives the reply to the request that was answered with `.later`; the requests after it are carried out from then on.
  ///
  /// Nothing happens if the connection has ended meanwhile.
  func reply(_ reply: Reply) {
    let number = awaited
    guard number > 0, !isClosed else { return }
    awaited = 0
    answer(reply, number)
    // Earlier events may have exceeded its limit.
    if isClosed { return }
    flush()
    do throws(SystemError) {
      if token == nil { token = try loop.add(fd, watched, handler: ready) }
    } catch {
      return close()
    }
    // The request was the last one, and its line had no line feed.
    if isFinished { return close() }
    watch()
  }

  /// Ends the connection; replies not yet taken are dropped.
  func close() {
    if isClosed { return }
    isClosed = true
    if let token { loop.remove(token) }
    token = nil
    if let stall { loop.cancel(stall.timer) }
    Glibc.close(fd)
    outbox = Outbox()
    held = []
    server?.remove(self)
  }

  /// Whether nothing is lost if the connection ends now: the peer follows nothing, waits for nothing, and the daemon has carried
  /// out all requests that it sent.
  var isIdle: Bool {
    if isClosed || isSubscribed || isUnfinished || awaited > 0 { return false }
    if outbox.unread > 0 || outbox.long != nil { return false }
    var byte: UInt8 = 0
    return held.isEmpty && recv(fd, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
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
    isUnfinished = false
    if !isClosed { ready([]) }
  }

  private func ready(_ readiness: EventLoop.Readiness) {
    flush()
    if awaited > 0 {
      // The loop would report both again and again. Earlier requests are still carried out.
      if !readiness.isDisjoint(with: [.hangUp, .error]), let token {
        loop.remove(token)
        self.token = nil
      }
    } else if !isUnfinished {
      if outbox.long != nil { sendParts() }
      if isWaiting || outbox.long != nil {
        // Replies have to be read first.
      } else if held.isEmpty {
        if !peerFinished, !readiness.isDisjoint(with: [.readable, .peerFinished, .hangUp, .error]) { read(readiness) }
      } else {
        let bytes = held
        held = []
        carryOut(bytes.span)
      }
    }
    if isClosed { return }
    if awaited > 0 { return watch() }
    // Nobody is left to take a reply.
    if peerFinished, !readiness.isDisjoint(with: [.hangUp, .error]) { return close() }
    flush()
    if isFinished { return close() }
    watch()
  }

  /// Whether the peer sends nothing more, and has got everything.
  private var isFinished: Bool {
    peerFinished && awaited == 0 && outbox.unread == 0 && held.isEmpty && outbox.long == nil && !isSubscribed
  }

  /// Reads once, so that a client that sends endlessly does not delay the others.
  private func read(_ readiness: EventLoop.Readiness) {
    guard let server else { return close() }
    let buffer = server.readBuffer
    let count = Glibc.read(fd, buffer.baseAddress, min(buffer.count, server.quantum.bytes))
    if count > 0 {
      lastHeard = loop.now
      carryOut(UnsafeBufferPointer(rebasing: buffer[..<count]).span)
    } else if count == 0 {
      peerFinished = true
      // The last line needs no line feed if the peer shut its side down and waits for the reply. A peer that vanished may
      // have sent half a line (`level=1` of `level=100`).
      if readiness.isDisjoint(with: [.hangUp, .error]), let handler = server.handler {
        reader.finish { line, number in receive(line, number, handler) }
      }
      reader = LineReader()
    } else if errno != EAGAIN, errno != EINTR {
      close()
    }
  }

  /// Carries out the lines, and holds the rest when too many replies are unread or the client's share of the turn ends.
  private func carryOut(_ bytes: Span<UInt8>) {
    guard let server, let handler = server.handler else { return close() }
    let end = EventLoop.clock().advanced(by: server.quantum.time)
    let taken = reader.feed(bytes) { line, number in
      receive(line, number, handler) && EventLoop.clock() <= end
    }
    if isClosed || taken == bytes.count { return }
    held = bytes.extracting(taken..<bytes.count).withUnsafeBufferPointer { Array($0) }
    if mayContinue { yieldTurn() }
  }

  /// Whether nothing keeps the next line from being carried out.
  private var mayContinue: Bool { !isClosed && awaited == 0 && outbox.long == nil && !isWaiting }

  /// Continues in the next turn.
  private func yieldTurn() {
    isUnfinished = true
    server?.continueLater(self)
  }

  /// Carries out a request and answers it. Returns whether the next line may follow.
  private func receive(_ line: Span<UInt8>?, _ number: Int, _ handler: any RequestHandler) -> Bool {
    do throws(RequestError) {
      let request = try Request(line)
      guard let line else { return true }
      switch request {
      case .blank: return true
      case .assignment, .object:
        let reply = handler.handle(request, line: line, from: self)
        // Such a line neither ends the connection nor adds to what is unread. So the next one may follow.
        if case .silent = reply { return true }
        answer(reply, number)
      default:
        // Before `handle` returns, because a play that finds no room is refused at once.
        awaited = number
        let reply = handler.handle(request, line: line, from: self)
        if case .later = reply { return mayContinue }
        awaited = 0
        answer(reply, number)
      }
    } catch {
      server?.counters.badLines += 1
      answer(.error(error.description, error.code), number)
    }
    return mayContinue
  }

  // MARK: Writing

  /// Whether requests wait until replies have been read.
  private var isWaiting: Bool {
    let unread = outbox.unread
    return unread > 0 && unread > (server?.pushLimit ?? 0) / 4
  }

  private func answer(_ reply: Reply, _ number: Int) {
    if case .silent = reply { return }
    // Earlier events come before the reply.
    server?.handler?.willReply()
    if isClosed || isDeaf { return }
    outbox.add(reply, line: number)
    if outbox.long != nil { sendParts() } else if isWaiting { flush() }
  }

  /// Sends the long reply, until too much is unread or the client's share of the turn ends.
  private func sendParts() {
    guard let server else { return }
    let end = EventLoop.clock().advanced(by: server.quantum.time)
    while let long = outbox.long, !isWaiting {
      if EventLoop.clock() > end { return yieldTurn() }
      outbox.addPart(long.next())
      flush()
    }
  }

  /// Sends what the kernel takes.
  private func flush() {
    let before = outbox.unread
    do throws(SystemError) {
      try outbox.send(to: fd)
    } catch {
      outbox = Outbox()
      isDeaf = true
      // The peer is still there and would wait for its replies.
      if error.code != EPIPE && error.code != ECONNRESET { shutdown(fd, Int32(SHUT_RDWR)) }
    }
    if outbox.unread < before, let stall { loop.cancel(stall.timer) }
    if isDeaf, isSubscribed {
      isSubscribed = false
      server?.handler?.clientDidClose(self)
    }
  }

  /// Watches for what the connection needs next.
  private func watch() {
    guard let token else { return }
    let hasHeld = !held.isEmpty && awaited == 0 && outbox.long == nil && !isUnfinished
    let mustBeRead = isWaiting || hasHeld || (peerFinished && outbox.unread > 0)
    if mustBeRead { limitStall() } else { stall.map { loop.cancel($0.timer) } }
    let mayRead = !peerFinished && !isWaiting && held.isEmpty && awaited == 0 && outbox.long == nil
    var wanted: EventLoop.Readiness = mayRead ? [.readable, .peerFinished] : []
    // Without unread replies it is writable at once: so held requests get their next turn.
    if outbox.unread > 0 || hasHeld { wanted.insert(.writable) }
    guard wanted != watched else { return }
    watched = wanted
    do { try loop.modify(token, wanted) } catch { close() }
  }

  private func limitStall() {
    guard let server else { return }
    let stall = stall ?? Stall(EventLoop.Timer { [unowned self] in stalled() })
    self.stall = stall
    if stall.timer.isScheduled { return }
    stall.asleepBefore = loop.timeAsleep
    stall.unreadBefore = clinux_unread(fd)
    loop.schedule(stall.timer, at: loop.now.advanced(by: server.limits.stall))
  }

  private func stalled() {
    // While the machine slept, the client did, too. And a slow reader reads long before the kernel takes more from us.
    guard let stall else { return }
    if loop.timeAsleep > stall.asleepBefore || clinux_unread(fd) < stall.unreadBefore { limitStall() } else { drop() }
  }

  /// Ends the connection because its replies are not read.
  private func drop() {
    server?.counters.slowClients += 1
    close()
  }
}
