import CLinux
import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

@Suite struct ControlServerTests {
  @Test func `assignments are silent, requests are answered in order`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("a=1\r\n\n# comment\nget a\nbad=2\nnonsense\nexplain x\nsync\n")
    #expect(
      try client.text(endingIn: "ok\n") == """
        {"name":"a"}
        error: line 5: 'bad' cannot be set [refused]
        error: line 6: \(RequestRefusal.unknownCommand("nonsense")) [unknown_request]
        error: line 7: 'explain' is not supported by this version of soundd [unknown_request]
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
    #expect(try client.text(endingIn: "ok\n") == "error: line 1: \(RequestRefusal.lineTooLong) [too_long]\nok\n")
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

  @Test(arguments: [("a=2", ["a=1", "a=2"]), ("", ["a=1"]), ("# a", ["a=1"])])
  func `after a shutdown the last line counts without a line feed`(last: String, values: [String]) throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("a=1\n\(last)")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    #expect(try client.textToEnd() == "")
    #expect(rig.handler.values == values)
  }

  @Test func `the reply to a last line without a line feed arrives`() throws {
    let rig = try ServerRig()
    let client = try rig.connect()
    try client.send("get a")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    #expect(try client.textToEnd() == "{\"name\":\"a\"}\n")
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
    // The kernel's buffer and the limit bound the replies; the server carried out no request without a reply.
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
    var subscriber: ClientConnection?
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
    var subscribers: [ClientConnection] = []
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

  @Test func `a client that reads slowly but steadily gets everything`() throws {
    let rig = try ServerRig(limits: .init(stall: .milliseconds(100)))
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
    var subscriber: ClientConnection?
    rig.handler.onRequest = { _, client in subscriber = client }
    let client = try rig.connect()
    try client.send("list\n")
    try rig.loop.turnWhileBusy()
    subscriber?.push(Array("event\n".utf8))
    #expect(rig.server.clientCount == 1)
    #expect(try client.text(endingIn: "event\n").utf8.count == 500_007)
    // What is pushed counts all the same.
    for _ in 0..<400 { subscriber?.push([UInt8](repeating: 0x78, count: 1000)) }
    #expect(rig.server.counters.slowClients == 1)
  }

  @Test func `who can be told nothing any more is no subscriber`() throws {
    let rig = try ServerRig()
    var subscriber: ClientConnection?
    rig.handler.onRequest = { _, client in
      client.isSubscribed = true
      subscriber = client
    }
    let client = try rig.connect()
    try client.send("events\n")
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    #expect(shutdown(client.fd, Int32(SHUT_RD)) == 0)
    subscriber?.push(Array("event\n".utf8))
    #expect(subscriber?.isSubscribed == false)
    #expect(rig.handler.closed == 1)
    #expect(rig.server.clientCount == 1)
  }

  @Test func `another user is told so and refused`() throws {
    let rig = try ServerRig(permits: { _ in false })
    let client = try rig.connect()
    #expect(try client.textToEnd().hasPrefix("error: this soundd belongs to another user"))
    #expect(rig.server.counters.refusedPeers == 1)
    #expect(rig.handler.refusedPeers == [geteuid()])
    // The handler logs it, so that it hears of the next ones only a minute later.
    let other = try rig.connect()
    #expect(try other.textToEnd().hasPrefix("error: "))
    #expect(rig.server.counters.refusedPeers == 2)
    #expect(rig.handler.refusedPeers == [geteuid()])
    #expect(rig.server.clientCount == 0)
  }

  @Test func `a subscriber that has finished sending stays until it hangs up`() throws {
    let rig = try ServerRig()
    var subscriber: ClientConnection?
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
    subscriber?.push(Array("{}\n".utf8))
    #expect(try client.text(endingIn: "{}\n") == "ok\n{}\n")
    client.close()
    try rig.loop.turn { rig.handler.closed == 1 }
    #expect(subscriber?.isClosed == true)
    subscriber?.push(Array("{}\n".utf8))
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
