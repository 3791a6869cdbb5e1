import CLinux
import Glibc
import SoundTrigger

/// The daemon's socket: accepts clients, reads their lines and replies, on the event loop.
///
/// A client that sends endlessly, sends half a line, never reads or vanishes does not delay the others. The server reads one
/// buffer at a time from it and bounds its memory by `Limits`. It disconnects and counts a client that exceeds them.
final class ControlServer {
  struct Limits {
    /// How many bytes of events a client may leave unread before its connection ends.
    var backlog = 1 << 20
    /// How many bytes of events all clients together may leave unread, so that many clients that do not read cannot fill the
    /// memory. Each client has an equal share, at most `backlog` and at least 64 KiB.
    ///
    /// A client's requests wait while more than a quarter of its share is unread.
    var allBacklogs = 64 << 20
    /// How long a client may read nothing while its requests wait; then its connection ends.
    var stall = Duration.seconds(5)
    /// The server leaves descriptors from this number on to soundd's own files, so that clients cannot take them all.
    var descriptors = Int32.max
    /// The most clients that may connect, even if more descriptors are free.
    var clients = Int.max
    /// How many clients are served even if soundd's own files need all descriptors.
    var guaranteed = 8
    /// How long a client must have sent nothing before the server may close it to make room. A client that has just connected
    /// is about to send.
    var idle = Duration.seconds(1)
    /// How long the server waits before it accepts again after descriptors or memory ran out, unless a client leaves earlier.
    var pause = Duration.milliseconds(250)
  }

  struct Counters {
    /// Refused connections of other users.
    var refusedPeers = 0
    /// Clients that were disconnected because they did not read.
    var slowClients = 0
    /// Idle clients that were closed to make room for others.
    var evictedClients = 0
    /// Lines that were too long or no request.
    var badLines = 0
  }

  let loop: EventLoop
  let limits: Limits
  var counters = Counters()
  /// How many bytes of replies that nobody has read were freed since this was set to 0.
  var droppedBytes = 0
  /// All clients share it, because the server reads from one at a time.
  let readBuffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65_536)

  /// Carries out the requests; `nil` only while it is being freed.
  private(set) weak var handler: (any RequestHandler)?
  private var socket: ListeningSocket
  private let permits: (uid_t) -> Bool
  private var token: EventLoop.Token?
  /// When the handler was last notified of a refused peer.
  private var lastRefusedPeer: Instant?
  /// The connected clients, in no order.
  private var clients: [ClientConnection] = []
  private var resumeTimer: EventLoop.Timer?
  /// Clients that continue in the next turn.
  private var unfinished: [ClientConnection] = []
  /// The number of clients that continue in this turn.
  private var continuing = 0
  private var nextTurn: EventLoop.Timer?

  /// Serves `socket` until the server is closed or freed.
  ///
  /// `handler` carries out the requests and is not retained. `permits` says which users may connect.
  init(
    _ socket: consuming ListeningSocket, on loop: EventLoop, handler: any RequestHandler, limits: Limits = Limits(),
    permits: @escaping (uid_t) -> Bool = { $0 == geteuid() || $0 == 0 }
  ) throws(SystemError) {
    self.loop = loop
    self.limits = limits
    self.handler = handler
    self.socket = socket
    self.permits = permits
    resumeTimer = EventLoop.Timer { [unowned self] in resume() }
    nextTurn = EventLoop.Timer { [unowned self] in continueClients() }
    token = try loop.add(self.socket.raw, .readable) { [unowned self] _ in accept() }
  }

  deinit {
    close()
    readBuffer.deallocate()
  }

  /// A client's share of this turn: how many bytes the server may read from it, and how long its lines may take.
  ///
  /// A client that is alone has the whole turn. The cost of assignments is about proportional to their bytes.
  var quantum: (bytes: Int, time: Duration) {
    let sharers = max(1, loop.readyCount + max(unfinished.count, continuing))
    return (max(16_384, readBuffer.count / sharers), max(.microseconds(50), .milliseconds(1) / sharers))
  }

  /// Where it listens; `nil` if the service manager passed the socket.
  var path: String? { socket.path }

  /// How many clients are connected.
  var clientCount: Int { clients.count }

  /// How many bytes of events a client may leave unread.
  var pushLimit: Int { min(limits.backlog, max(65_536, limits.allBacklogs / max(1, clients.count))) }

  /// Listens on the same path again if somebody has removed the socket's file. Clients that are connected stay.
  func listenAgain() throws {
    guard let path, access(path, F_OK) != 0 else { return }
    // Accepts waiting clients first, because closing the old socket would refuse them.
    accept()
    socket = try ListeningSocket(path: path)
    guard let token else { return }
    loop.remove(token)
    self.token = nil
    self.token = try loop.add(socket.raw, .readable) { [unowned self] _ in accept() }
  }

  /// Ends all connections and accepts no more.
  ///
  /// The socket's file is removed when the server is freed.
  func close() {
    if let token { loop.remove(token) }
    token = nil
    let all = clients
    clients = []
    for client in all {
      // To those that wait for a late reply.
      client.reply(.error("soundd is about to end", .ending))
      client.close()
      handler?.clientDidClose(client)
    }
    for timer in [resumeTimer, nextTurn] { if let timer { loop.cancel(timer) } }
    unfinished = []
  }

  /// Forgets a client that has closed.
  func remove(_ client: ClientConnection) {
    guard let index = clients.lastIndex(where: { $0 === client }) else { return }
    clients.swapAt(index, clients.count - 1)
    clients.removeLast()
    handler?.clientDidClose(client)
    if resumeTimer?.isScheduled == true { resume() }
  }

  /// Lets a client continue after the others had a turn.
  func continueLater(_ client: ClientConnection) {
    unfinished.append(client)
    if let nextTurn { loop.schedule(nextTurn, at: loop.now) }
  }

  private func continueClients() {
    let clients = unfinished
    unfinished = []
    continuing = clients.count
    for client in clients { client.continueTurn() }
    continuing = 0
  }

  // MARK: Accepting

  /// Accepts at most 16 clients, so that the connected clients get their turn in between.
  private func accept() {
    for number in 0..<16 {
      if !hasRoom {
        // Perhaps no other client waits, so none is closed to make room.
        if number > 0 { return }
        if !evict() || !hasRoom { return pause(EMFILE) }
      }
      let fd = clinux_accept(socket.raw)
      if fd >= 0 {
        greet(fd)
        continue
      }
      switch errno {
      case EAGAIN: return
      case EINTR, ECONNABORTED, EPROTO: continue
      // The listener stays ready while a connection waits, so the loop would spin if it watched the listener.
      case let code: return pause(code)
      }
    }
  }

  /// Closes the client that has been idle for longest, so that idle clients do not keep others out.
  ///
  /// - Returns: Whether any client was idle.
  private func evict() -> Bool {
    var latest = loop.now.advanced(by: .zero - limits.idle)
    var idlest: ClientConnection?
    // Of clients that are idle for equally long, the first, because each `isIdle` asks the kernel.
    for client in clients where client.lastHeard < latest || (idlest == nil && client.lastHeard == latest) {
      if client.isIdle { (idlest, latest) = (client, client.lastHeard) }
    }
    guard let idlest else { return false }
    counters.evictedClients += 1
    handler?.clientMakesRoom(idleFor: latest.duration(to: loop.now))
    idlest.makeRoom()
    return true
  }

  /// Whether there is room for another client, and a descriptor that clients may use.
  private var hasRoom: Bool {
    if clients.count >= limits.clients { return false }
    if clients.count < limits.guaranteed { return true }
    let next = fcntl(socket.raw, F_DUPFD_CLOEXEC, 0)
    if next >= 0 { Glibc.close(next) }
    return next >= 0 && next < limits.descriptors
  }

  private func greet(_ fd: Int32) {
    var uid: uid_t = 0
    var pid: pid_t = 0
    guard clinux_peer(fd, &uid, &pid) == 0, permits(uid) else {
      counters.refusedPeers += 1
      reportRefusedPeer(uid)
      let text = "this soundd belongs to another user (uid \(geteuid()))"
      let message = Array("\(Reply.line(error: text, code: .notPermitted))\n".utf8)
      _ = clinux_send(fd, message, message.count)
      Glibc.close(fd)
      return
    }
    do throws(SystemError) {
      let client = try ClientConnection(owning: fd, server: self)
      clients.append(client)
    } catch {
      pause(error.code)
    }
  }

  private func reportRefusedPeer(_ uid: uid_t) {
    if let lastRefusedPeer, lastRefusedPeer.duration(to: loop.now) < .seconds(60) { return }
    lastRefusedPeer = loop.now
    handler?.refusedPeer(uid: uid)
  }

  private func pause(_ reason: Int32) {
    guard let token, let resumeTimer, !resumeTimer.isScheduled else { return }
    handler?.clientsMustWait(reason)
    do {
      try loop.modify(token, [])
      loop.schedule(resumeTimer, at: loop.now.advanced(by: limits.pause))
    } catch {
      // Changing a registration needs no memory. If it fails nevertheless, the loop keeps reporting the listener.
    }
  }

  private func resume() {
    guard let token, let resumeTimer else { return }
    loop.cancel(resumeTimer)
    do {
      try loop.modify(token, .readable)
    } catch {
      loop.schedule(resumeTimer, at: loop.now.advanced(by: limits.pause))
    }
  }
}
