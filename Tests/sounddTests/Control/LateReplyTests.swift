import CLinux
import Glibc
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// Requests whose replies take a while; the handler of the rig answers `play` that way.
@Suite struct LateReplyTests {
  /// Collects the connections that wait for a reply.
  private func rigWithWaiting(
    limits: ControlServer.Limits = .init()
  ) throws -> (ServerRig, () -> [ClientConnection]) {
    let rig = try ServerRig(limits: limits)
    var waiting: [ClientConnection] = []
    rig.handler.onRequest = { request, client in
      if case .play = request { waiting.append(client) }
    }
    return (rig, { waiting })
  }

  @Test func `what a client sends after such a request waits for its reply`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("a=1\nplay x\na=2\nget a\nbad=3\n")
    try rig.loop.turn { waiting().count == 1 }
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.values == ["a=1"])
    client.receive()
    #expect(client.received.isEmpty)
    waiting()[0].reply(.error("no such sound", .unknown))
    #expect(
      try client.text(endingIn: "[refused]\n") == """
        error: line 2: no such sound [unknown]
        {"name":"a"}
        error: line 5: 'bad' cannot be set [refused]

        """)
    #expect(rig.handler.values == ["a=1", "a=2", "bad=3"])
  }

  @Test func `what comes in other packets waits too, and the connection goes on afterwards`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("play x\n")
    try rig.loop.turn { waiting().count == 1 }
    try client.send("a=1\nplay y\n")
    try client.send("sync\n")
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.values == [])
    waiting()[0].reply(.ok)
    try rig.loop.turn { waiting().count == 2 }
    #expect(rig.handler.values == ["a=1"])
    waiting()[1].reply(.error("not this one", .broken))
    let replies = "ok\nerror: line 3: not this one [broken]\nok\n"
    #expect(try client.text(endingIn: "[broken]\nok\n") == replies)
    try client.send("sync\n")
    #expect(try client.text(endingIn: "ok\nok\n") == replies + "ok\n")
  }

  @Test func `other clients are served meanwhile`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let slow = try rig.connect()
    let other = try rig.connect()
    try slow.send("play x\n")
    try rig.loop.turn { waiting().count == 1 }
    try other.send("sync\n")
    #expect(try other.text(endingIn: "\n") == "ok\n")
  }

  @Test func `a client that has finished sending gets its reply and then the end`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("play x\na=1\n")
    #expect(shutdown(client.fd, Int32(SHUT_WR)) == 0)
    try rig.loop.turn { waiting().count == 1 }
    try rig.loop.turnWhileBusy()
    #expect(rig.server.clientCount == 1)
    waiting()[0].reply(.ok)
    #expect(try client.textToEnd() == "ok\n")
    #expect(rig.handler.values == ["a=1"])
    try rig.loop.turn { rig.server.clientCount == 0 }
  }

  @Test func `a client that leaves costs nothing while it waits, and what it has sent is carried out`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("play x\na=1\n")
    try rig.loop.turn { waiting().count == 1 }
    client.close()
    // The loop would never rest if the hang-up were reported again and again.
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.values == [])
    waiting()[0].reply(.ok)
    try rig.loop.turn { rig.server.clientCount == 0 }
    #expect(rig.handler.values == ["a=1"])
    #expect(rig.handler.closed == 1)
  }

  @Test func `a client that leaves with events unread is none that does not read`() throws {
    let (rig, waiting) = try rigWithWaiting(limits: .init(stall: .milliseconds(20)))
    let client = try rig.connect()
    try client.send("play x\na=1\n")
    try rig.loop.turn { waiting().count == 1 }
    waiting()[0].push([UInt8](repeating: UInt8(ascii: "x"), count: 900_000))
    client.close()
    try rig.loop.turnWhileBusy()
    // Longer than a client that stays may read nothing.
    let end = EventLoop.clock().advanced(by: .milliseconds(60))
    try rig.loop.turn { EventLoop.clock() > end }
    waiting()[0].reply(.ok)
    try rig.loop.turn { rig.server.clientCount == 0 }
    #expect(rig.handler.values == ["a=1"])
    #expect(rig.server.counters.slowClients == 0)
  }

  @Test func `a reply to a connection that has ended, or that waits for none, is dropped`() throws {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("play x\n")
    try rig.loop.turn { waiting().count == 1 }
    waiting()[0].reply(.ok)
    waiting()[0].reply(.ok)
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    try client.send("play x\n")
    try rig.loop.turn { waiting().count == 2 }
    rig.server.close()
    waiting()[1].reply(.ok)
    #expect(try client.textToEnd() == "ok\nerror: line 2: soundd is about to end [ending]\n")
  }

  @Test
  func `a client that waits when the server closes learns that soundd ends, and its next lines are not carried out`()
    throws
  {
    let (rig, waiting) = try rigWithWaiting()
    let client = try rig.connect()
    try client.send("play x\na=1\n")
    try rig.loop.turn { waiting().count == 1 }
    rig.server.close()
    try rig.loop.turnWhileBusy()
    #expect(try client.textToEnd() == "error: line 1: soundd is about to end [ending]\n")
    #expect(rig.handler.values == [])
  }

  @Test func `a reply that comes before the handler returns is not lost`() throws {
    let rig = try ServerRig()
    rig.handler.onRequest = { request, client in
      if case .play = request { client.reply(.error("no voice is left", .crowded)) }
    }
    let client = try rig.connect()
    try client.send("play x\nplay y\nsync\n")
    #expect(
      try client.text(endingIn: "ok\n")
        == "error: line 1: no voice is left [crowded]\nerror: line 2: no voice is left [crowded]\nok\n")
  }

  @Test func `errors and replies that meet a full buffer come once the client reads`() throws {
    let rig = try ServerRig(limits: .init(allBacklogs: 65_536))
    rig.handler.onRequest = { request, client in
      if case .play = request { client.reply(.error("no voice is left", .crowded)) }
    }
    let client = try rig.connect()
    // More than the kernel and the server hold: the requests themselves wait, too.
    let round = "bad=1\nplay x\nnonsense\nsync\n"
    var (sent, rounds) = (0, 0)
    while rounds < 20_000 {
      let count = round.withCString { clinux_send(client.fd, $0, round.utf8.count) }
      if count == round.utf8.count { (sent, rounds) = (0, rounds + 1) }
      if count < 0 {
        try rig.loop.turnWhileBusy()
        if clinux_send(client.fd, "\n", 1) < 0 { break }
      } else if count < round.utf8.count {
        sent = count
        break
      }
    }
    try rig.loop.turnWhileBusy()
    #expect(rounds > 100)
    client.receive()
    let rest = String(round.utf8.dropFirst(sent)) ?? ""
    try client.send(rest + "get last\n")
    let text = try client.text(endingIn: "{\"name\":\"last\"}\n")
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasSuffix("[refused]") } == rounds + 1)
    #expect(lines.count { $0.hasSuffix("[crowded]") } == rounds + 1)
    #expect(lines.count { $0.hasSuffix("[unknown_request]") } == rounds + 1)
    #expect(lines.count { $0 == "ok" } == rounds + 1)
  }
}
