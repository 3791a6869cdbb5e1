import CLinux
import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// Replies that are made while they are read.
struct LongReplyTests {
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
    var subscriber: ClientConnection?
    rig.handler.onRequest = { _, client in subscriber = client }
    let client = try rig.connect()
    try client.send("status\nget a\n")
    try rig.loop.turnWhileBusy()
    #expect(rig.handler.parts < 2000)
    subscriber?.push(Array("event\n".utf8))
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
}
