import CLinux
import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Keeps what it is asked, and answers `get` and `list`.
final class RecordingHandler: RequestHandler {
  var values: [String] = []
  var requests: [Request] = []
  var closed = 0
  var list = Array("[]".utf8)
  /// What is made of a long reply so far, and how long it becomes.
  var parts = 0
  var allParts = 0
  var onRequest: (Request, ControlClient) -> Void = { _, _ in }

  func handle(_ request: Request, line: Span<UInt8>, from client: ControlClient) -> Reply {
    requests.append(request)
    onRequest(request, client)
    switch request {
    case .assignment:
      let text = line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      values.append(text)
      return text.hasPrefix("bad=") ? .error("'bad' cannot be set") : .silent
    case .get(let name): return .json(Array("{\"name\":\"\(name)\"}".utf8))
    case .list: return .json(list)
    case .status:
      parts = 0
      return .long(
        LongReply { [unowned self] in
          if parts == allParts { return nil }
          parts += 1
          return [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        })
    case .play: return .later
    case .explain: return .error("'explain' is not supported by this version of soundd")
    default: return .ok
    }
  }

  /// Wants to see every line.
  func handle(linesOf chunk: Span<UInt8>, from start: Int) -> HandledRun { HandledRun(end: start) }

  func clientDidClose(_ client: ControlClient) { closed += 1 }
}

/// A server and raw clients on one loop.
final class ServerRig {
  let loop: EventLoop
  let handler = RecordingHandler()
  let folder: TemporaryFolder
  let server: ControlServer

  var path: String { folder("s.sock") }

  init(limits: ControlServer.Limits = .init(), permits: @escaping (uid_t) -> Bool = { _ in true }) throws {
    loop = try EventLoop()
    folder = TemporaryFolder()
    server = try ControlServer(
      ListeningSocket(path: folder("s.sock")), on: loop, handler: handler, limits: limits, permits: permits)
  }

  func connect() throws -> RawClient { try RawClient(self) }
}

/// The other end: a non-blocking socket that turns the loop while it waits.
final class RawClient {
  let fd: Int32
  private let loop: EventLoop
  var received: [UInt8] = []
  private(set) var isAtEnd = false
  private var isOpen = true

  init(_ rig: ServerRig) throws {
    loop = rig.loop
    fd = clinux_unix_socket(1)
    #expect(clinux_unix_connect(fd, rig.path) == 0)
  }

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(fd) }
    isOpen = false
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    try loop.turn {
      let count = bytes.withUnsafeBytes { clinux_send(fd, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count > 0 { sent += count }
      return sent == bytes.count || (count < 0 && errno != EAGAIN)
    }
  }

  func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isAtEnd {
      let count = recv(fd, &buffer, buffer.count, 0)
      if count > 0 { received += buffer[..<count] }
      if count == 0 || (count < 0 && errno == ECONNRESET) { isAtEnd = true }
      if count < 0 { return }
    }
  }

  /// What has come, once it ends in `suffix`.
  func text(endingIn suffix: String) throws -> String {
    let end = Array(suffix.utf8)
    try loop.turn {
      receive()
      return received.suffix(end.count).elementsEqual(end)
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// Everything that comes until the server closes the connection.
  func textToEnd() throws -> String {
    try loop.turn {
      receive()
      return isAtEnd
    }
    return String(decoding: received, as: UTF8.self)
  }
}

@Suite struct ControlServerTests {
  @Test func `assignments are silent, requests are answered in order`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("a=1\r\n\n# comment\nget a\nbad=2\nnonsense\nexplain x\nsync\n")
    #expect(
      try client.text(endingIn: "ok\n") == """
        {"name":"a"}
        error: line 5: 'bad' cannot be set
        error: line 6: \(RequestError.unknownCommand("nonsense"))
        error: line 7: 'explain' is not supported by this version of soundd
        ok

        """)
    #expect(rig.handler.values == ["a=1", "bad=2"])
    #expect(rig.server.counters.badLines == 1)
  }

  @Test func `a line of a megabyte is refused and the connection goes on`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send([UInt8](repeating: 0x61, count: 1 << 20))
    try client.send("\na=\u{0}b\nsync\n")
    #expect(try client.text(endingIn: "ok\n") == "error: line 1: \(RequestError.lineTooLong)\nok\n")
    #expect(rig.handler.values == ["a=\u{0}b"])
  }

  @Test func `ten thousand lines in one write all arrive`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    let lines = (0..<10_000).map { "v=\($0)" }
    try client.send(lines.joined(separator: "\n") + "\nsync\n")
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    #expect(rig.handler.values == lines)
  }

  @Test func `a line that comes byte by byte is one line`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    for byte in Array("a=1\nsync\n".utf8) {
      try client.send([byte])
      try rig.loop.turnWhileBusy()
    }
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    #expect(rig.handler.values == ["a=1"])
  }

  @Test func `a client that has finished sending gets all its replies, then the end`() throws {
    let rig = try ServerRig()
    rig.handler.list = [UInt8](repeating: 0x78, count: 600_000)
    let client = try rig.connect()
    try client.send("list\na=1\nget b\n")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    let text = try client.textToEnd()
    #expect(text.utf8.count == 600_001 + #"{"name":"b"}"#.utf8.count + 1)
    #expect(text.hasSuffix("\n{\"name\":\"b\"}\n"))
    #expect(rig.server.clientCount == 0)
    #expect(rig.handler.closed == 1)
  }

  @Test func `half a line at the end is not carried out, and said so`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("a=1\na=2")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    #expect(try client.textToEnd() == "error: line 2: \(RequestError.unfinishedLine)\n")
    #expect(rig.handler.values == ["a=1"])
  }

  @Test func `a client that vanishes in the middle of a line leaves nothing`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("a=1\na=2")
    client.close()
    try rig.loop.turn { rig.handler.closed == 1 }
    #expect(rig.handler.values == ["a=1"])
    #expect(rig.server.clientCount == 0)
    try rig.loop.turnWhileBusy()
  }

  @Test func `what a client sent before it vanished is carried out, though nobody takes the replies`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    // Fits the socket's buffer, but not one read of the server.
    let lines = (0..<15_000).map { $0 % 100 == 0 ? "get x" : "v=\($0)" }
    try client.send(lines.joined(separator: "\n") + "\n")
    client.close()
    try rig.loop.turn { rig.handler.closed == 1 }
    #expect(rig.handler.requests.count == 15_000)
  }

  @Test func `a client that never reads waits at its limit, then is dropped and counted, the others go on`() throws {
    let rig = try ServerRig(limits: .init(backlog: 10_000, stall: .milliseconds(20)))
    rig.handler.list = [UInt8](repeating: 0x78, count: 1000)
    let deaf = try rig.connect()
    let other = try rig.connect()
    try deaf.send(String(repeating: "list\n", count: 10_000))
    try other.send("sync\n")
    #expect(try other.text(endingIn: "ok\n") == "ok\n")
    try rig.loop.turn { rig.server.counters.slowClients == 1 }
    #expect(rig.server.clientCount == 1)
    // The kernel's buffer and the limit: what was not answered was not carried out.
    #expect(rig.handler.requests.count < 1000)
  }

  @Test func `a client that reads late gets every reply`() throws {
    let rig = try ServerRig(limits: .init(backlog: 10_000))
    rig.handler.list = [UInt8](repeating: 0x78, count: 999)
    let client = try rig.connect()
    try client.send(String(repeating: "list\n", count: 3000) + "sync\n")
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.requests.count < 1000)
    #expect(try client.text(endingIn: "ok\n").utf8.count == 3_000_003)
    #expect(rig.server.counters.slowClients == 0)
  }

  @Test func `a client that has finished sending and does not read its replies is dropped`() throws {
    let rig = try ServerRig(limits: .init(stall: .milliseconds(20)))
    rig.handler.list = [UInt8](repeating: 0x78, count: 1 << 20)
    let client = try rig.connect()
    try client.send("list\n")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    try rig.loop.turn { rig.server.counters.slowClients == 1 }
    #expect(rig.server.clientCount == 0)
  }

  @Test func `a subscriber that does not read is dropped once too much was pushed`() throws {
    let rig = try ServerRig(limits: .init(backlog: 10_000))
    var subscriber: ControlClient?
    rig.handler.onRequest = { _, client in subscriber = client }
    let client = try rig.connect()
    try client.send("events\n")
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    let event = [UInt8](repeating: 0x78, count: 1000)
    for _ in 0..<5000 where subscriber?.isClosed == false { subscriber?.push(event) }
    #expect(rig.server.counters.slowClients == 1)
    #expect(rig.server.clientCount == 0)
  }

  @Test func `many subscribers that do not read have their part of what all may leave unread`() throws {
    let rig = try ServerRig(limits: .init(backlog: 1 << 20, allBacklogs: 1 << 21))
    var subscribers: [ControlClient] = []
    rig.handler.onRequest = { _, client in subscribers.append(client) }
    #expect(rig.server.pushLimit == 1 << 20)
    let clients = try (0..<8).map { _ in try rig.connect() }
    for client in clients {
      try client.send("events\n")
      #expect(try client.text(endingIn: "ok\n") == "ok\n")
    }
    #expect(rig.server.pushLimit == 1 << 18)
    // More than the kernel's buffer and the part, less than the kernel's buffer and a whole backlog.
    let event = [UInt8](repeating: 0x78, count: 1000)
    for _ in 0..<700 { subscribers[0].push(event) }
    #expect(subscribers[0].isClosed)
    #expect(rig.server.counters.slowClients == 1)
    #expect(rig.server.pushLimit == (1 << 21) / 7)
  }

  @Test func `two hundred clients are served`() throws {
    let rig = try ServerRig()
    var clients: [RawClient] = []
    for number in 0..<200 {
      clients.append(try rig.connect())
      if number % 50 == 49 { try rig.loop.turnWhileBusy() }
    }
    for (number, client) in clients.enumerated() { try client.send("v=\(number)\nsync\n") }
    for client in clients { #expect(try client.text(endingIn: "ok\n") == "ok\n") }
    #expect(rig.server.clientCount == 200)
    #expect(Set(rig.handler.values).count == 200)
    for client in clients.shuffled() { client.close() }
    try rig.loop.turn { rig.server.clientCount == 0 }
    #expect(rig.handler.closed == 200)
  }

  @Test func `a client that sends without end does not keep another waiting`() throws {
    let rig = try ServerRig()
    let greedy = try rig.connect()
    let modest = try rig.connect()
    let flood = Array(String(repeating: "v=1\n", count: 50_000).utf8)
    var turnsUntilServed = 0
    try modest.send("sync\n")
    try rig.loop.turn {
      // Whatever room there is, it fills at once.
      while flood.withUnsafeBytes({ clinux_send(greedy.fd, $0.baseAddress, $0.count / 4 * 4) }) > 0 {}
      turnsUntilServed += 1
      modest.receive()
      return !modest.received.isEmpty
    }
    #expect(turnsUntilServed < 6)
  }

  @Test func `a client that asks for much at once does not keep another waiting, and is answered in full`() throws {
    let rig = try ServerRig()
    let greedy = try rig.connect()
    let modest = try rig.connect()
    // Each request takes its time.
    rig.handler.onRequest = { request, _ in
      guard case .get = request else { return }
      let end = EventLoop.clock().advanced(by: .microseconds(300))
      while EventLoop.clock() < end {}
    }
    try greedy.send(String(repeating: "get x\n", count: 500) + "sync\n")
    try modest.send("sync\n")
    #expect(try modest.text(endingIn: "ok\n") == "ok\n")
    #expect(rig.handler.requests.count < 100)
    #expect(try greedy.text(endingIn: "ok\n").utf8.count == 500 * #"{"name":"x"}"#.utf8.count + 500 + 3)
    #expect(rig.server.counters.slowClients == 0)
  }

  @Test func `a client that goes while it is to go on leaves nothing`() throws {
    let rig = try ServerRig(limits: .init())
    let client = try rig.connect()
    rig.handler.onRequest = { _, client in
      let end = EventLoop.clock().advanced(by: .milliseconds(2))
      while EventLoop.clock() < end {}
      if rig.handler.requests.count == 3 { client.close() }
    }
    try client.send(String(repeating: "get x\n", count: 10))
    _ = try client.textToEnd()
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.requests.count == 3)
    #expect(rig.server.clientCount == 0)
  }

  @Test func `a long reply is one line, before the reply to the next request`() throws {
    let rig = try ServerRig()
    rig.handler.allParts = 3000
    let client = try rig.connect()
    try client.send("get a\nstatus\nget b\nsync\n")
    let lines = try client.text(endingIn: "ok\n").split(separator: "\n")
    #expect(lines.map(\.count) == [12, 3_000_000, 12, 2])
  }

  @Test func `a long reply is made only as it is read, and nobody waits for it`() throws {
    let rig = try ServerRig(limits: .init(backlog: 100_000, stall: .milliseconds(200)))
    rig.handler.allParts = 1_000_000
    let deaf = try rig.connect()
    let other = try rig.connect()
    try deaf.send("status\n")
    try rig.loop.turnWhileBusy()
    // What the kernel takes, and a quarter of the limit.
    #expect(rig.handler.parts < 400)
    try other.send("sync\n")
    #expect(try other.text(endingIn: "ok\n") == "ok\n")
    try rig.loop.turn { rig.server.counters.slowClients == 1 }
    #expect(rig.handler.parts < 400)
  }

  @Test func `what is pushed meanwhile comes after a long reply`() throws {
    let rig = try ServerRig()
    rig.handler.allParts = 2000
    var subscriber: ControlClient?
    rig.handler.onRequest = { _, client in subscriber = client }
    let client = try rig.connect()
    try client.send("status\nget a\n")
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.parts < 2000)
    subscriber?.push(Array("event".utf8))
    let lines = try client.text(endingIn: "}\n").split(separator: "\n")
    #expect(lines.map(\.count) == [2_000_000, 5, 12])
  }

  @Test func `a client that goes amid a long reply ends it`() throws {
    let rig = try ServerRig()
    rig.handler.allParts = 1_000_000
    let client = try rig.connect()
    try client.send("status\n")
    try rig.loop.turnWhileBusy()
    client.close()
    try rig.loop.turn { rig.handler.closed == 1 }
    #expect(rig.handler.parts < 1000)
  }

  @Test func `a client that reads slowly but steadily gets everything`() throws {
    let rig = try ServerRig(limits: .init(stall: .milliseconds(20)))
    rig.handler.list = [UInt8](repeating: 0x78, count: 1_000_000)
    let client = try rig.connect()
    try client.send("list\nsync\n")
    try rig.loop.turnWhileBusy()
    var buffer = [UInt8](repeating: 0, count: 20_000)
    var received = 0
    while received < 1_000_004, rig.server.clientCount == 1 {
      received += max(0, recv(client.fd, &buffer, buffer.count, 0))
      let end = EventLoop.clock().advanced(by: .milliseconds(5))
      while EventLoop.clock() < end { try rig.loop.runOnce(timeout: .milliseconds(1)) }
    }
    #expect(received == 1_000_004)
    #expect(rig.server.counters.slowClients == 0)
  }

  @Test func `an unread reply is no reason to end a subscription`() throws {
    let rig = try ServerRig(limits: .init(allBacklogs: 65_536))
    rig.handler.list = [UInt8](repeating: 0x78, count: 500_000)
    var subscriber: ControlClient?
    rig.handler.onRequest = { _, client in subscriber = client }
    let client = try rig.connect()
    try client.send("list\n")
    try rig.loop.turnWhileBusy()
    subscriber?.push(Array("event".utf8))
    #expect(rig.server.clientCount == 1)
    #expect(try client.text(endingIn: "event\n").utf8.count == 500_007)
    // What is pushed counts all the same.
    for _ in 0..<400 { subscriber?.push([UInt8](repeating: 0x78, count: 1000)) }
    #expect(rig.server.counters.slowClients == 1)
  }

  @Test func `who can be told nothing any more is no subscriber`() throws {
    let rig = try ServerRig()
    var subscriber: ControlClient?
    rig.handler.onRequest = { _, client in
      client.isSubscribed = true
      subscriber = client
    }
    let client = try rig.connect()
    try client.send("events\n")
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    #expect(shutdown(client.fd, Int32(SHUT_RD)) == 0)
    subscriber?.push(Array("event".utf8))
    #expect(subscriber?.isSubscribed == false)
    #expect(rig.handler.closed == 1)
    #expect(rig.server.clientCount == 1)
  }

  @Test func `those who go on in a turn have equal shares`() throws {
    let rig = try ServerRig()
    var shares: [ObjectIdentifier: Int] = [:]
    rig.handler.onRequest = { request, client in
      guard case .get = request else { return }
      shares[ObjectIdentifier(client), default: 0] += 1
      let end = EventLoop.clock().advanced(by: .microseconds(20))
      while EventLoop.clock() < end {}
    }
    let clients = try (0..<6).map { _ in try rig.connect() }
    for client in clients { try client.send(String(repeating: "get x\n", count: 600)) }
    try rig.loop.turn { shares.values.max() ?? 0 >= 300 }
    #expect(shares.count == 6)
    #expect(shares.values.min() ?? 0 > 150)
  }

  @Test func `another user is told so and refused`() throws {
    let rig = try ServerRig(permits: { _ in false })
    let client = try rig.connect()
    #expect(try client.textToEnd().hasPrefix("error: this soundd belongs to another user"))
    #expect(rig.server.counters.refusedPeers == 1)
    #expect(rig.server.clientCount == 0)
  }

  @Test func `a subscriber that has finished sending stays until it hangs up`() throws {
    let rig = try ServerRig()
    var subscriber: ControlClient?
    rig.handler.onRequest = { request, client in
      guard case .events = request else { return }
      client.isSubscribed = true
      subscriber = client
    }
    let client = try rig.connect()
    try client.send("events\n")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    try rig.loop.turnWhileBusy()
    subscriber?.push(Array("{}".utf8))
    #expect(try client.text(endingIn: "{}\n") == "ok\n{}\n")
    client.close()
    try rig.loop.turn { rig.handler.closed == 1 }
    #expect(subscriber?.isClosed == true)
    subscriber?.push(Array("{}".utf8))
  }

  @Test func `a handler may close the client whose line it handles`() throws {
    let rig = try ServerRig()
    rig.handler.onRequest = { request, client in if request == .sync { client.close() } }
    let client = try rig.connect()
    try client.send("a=1\nsync\na=2\n")
    #expect(try client.textToEnd() == "")
    #expect(rig.handler.values == ["a=1"])
  }

  @Test func `a server that closes ends its connections and takes its file along`() throws {
    let loop = try EventLoop()
    let folder = TemporaryFolder()
    let handler = RecordingHandler()
    var server: ControlServer? = try ControlServer(ListeningSocket(path: folder("s")), on: loop, handler: handler)
    let fd = clinux_unix_socket(1)
    defer { close(fd) }
    #expect(clinux_unix_connect(fd, folder("s")) == 0)
    try loop.turn { server?.clientCount == 1 }
    server = nil
    var byte: UInt8 = 0
    #expect(recv(fd, &byte, 1, 0) == 0)
    #expect(access(folder("s"), F_OK) < 0)
    #expect(handler.closed == 1)
  }
}
