import CLinux
import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// What a client that has much to do leaves to the others.
struct TurnShareTests {
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
}
