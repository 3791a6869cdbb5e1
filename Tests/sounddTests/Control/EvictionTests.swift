import CLinux
import Glibc
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// Clients that stay for nothing make room for others when their limit is reached.
@Suite struct EvictionTests {
  /// A server with room for these clients and no more.
  private func rig(room: Int = 3, idle: Duration = .zero) throws -> ServerRig {
    try ServerRig(limits: ControlServer.Limits(clients: room, idle: idle, pause: .milliseconds(20)))
  }

  /// Connects and lets the server answer.
  private func connect(_ rig: ServerRig) throws -> RawClient {
    let client = try rig.connect()
    try client.send("sync\n")
    #expect(try client.text(endingIn: "ok\n") == "ok\n")
    return client
  }

  @Test func `the client that is idle for longest is closed for the next one, and learns why`() throws {
    let rig = try rig()
    let clients = try (0..<3).map { _ in try connect(rig) }
    try clients[0].send("sync\n")
    #expect(try clients[0].text(endingIn: "ok\nok\n") == "ok\nok\n")
    _ = try connect(rig)
    #expect(try clients[1].textToEnd().hasSuffix(" [busy]\n"))
    #expect(rig.server.clientCount == 3)
    #expect(rig.server.counters.evictedClients == 1)
    #expect(rig.handler.idleTimes.count == 1)
    try clients[2].send("sync\n")
    #expect(try clients[2].text(endingIn: "ok\nok\n") == "ok\nok\n")
  }

  @Test func `one client that takes every place, with half a line or none, does not lock the others out`() throws {
    let rig = try rig()
    let greedy = try (0..<20).map { number in
      let client = try rig.connect()
      try client.send(number % 2 == 0 ? "a=" : "")
      return client
    }
    try rig.loop.turnWhileBusy()
    _ = try connect(rig)
    #expect(rig.server.counters.evictedClients == 18)
    #expect(rig.handler.values.isEmpty)
    for client in greedy { client.close() }
  }

  @Test func `a client that follows events, waits for a reply or has one to read stays`() throws {
    let rig = try rig()
    rig.handler.list = [UInt8](repeating: 0x78, count: 900_000)
    rig.handler.onRequest = { request, client in
      if case .events = request { client.isSubscribed = true }
    }
    let (follower, player, reader) = (try connect(rig), try connect(rig), try connect(rig))
    try follower.send("events\n")
    try player.send("play x\n")
    try reader.send("list\n")
    try rig.loop.turnWhileBusy()
    let late = try rig.connect()
    try late.send("sync\n")
    try rig.loop.turn { rig.handler.waits > 0 }
    #expect(rig.server.counters.evictedClients == 0)
    // Once the reply is read its client is idle.
    #expect(try reader.text(endingIn: "x\n").utf8.count == 900_004)
    #expect(try late.text(endingIn: "ok\n") == "ok\n")
    #expect(try reader.textToEnd().hasSuffix(" [busy]\n"))
    #expect(rig.server.counters.evictedClients == 1)
  }

  @Test func `a client that has just connected is about to send, and is not closed`() throws {
    let rig = try rig(idle: .seconds(3600))
    let clients = try (0..<3).map { _ in try connect(rig) }
    let late = try rig.connect()
    try late.send("sync\n")
    try rig.loop.turn { rig.handler.waits > 0 }
    #expect(rig.server.counters.evictedClients == 0)
    clients[0].close()
    #expect(try late.text(endingIn: "ok\n") == "ok\n")
  }
}
