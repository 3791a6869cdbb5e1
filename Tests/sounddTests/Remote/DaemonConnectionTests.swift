import CLinux
import Foundation
import SoundTrigger
import SoundWire
import TestSupport
import Synchronization
import Testing

@testable import soundd

/// A flag that one thread sets and another reads.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

@Suite struct DaemonConnectionTests {
  /// Runs a server on a thread of its own until the body returns.
  private func withServer(_ body: (_ path: String) throws -> Void) throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    let isReady = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let mayStop = Flag()
    let thread = Thread {
      do {
        let loop = try EventLoop()
        let handler = RecordingHandler()
        // A sanitizer on a busy machine may take long between two reads.
        let limits = ControlServer.Limits(stall: .seconds(120))
        let server = try ControlServer(ListeningSocket(path: path), on: loop, handler: handler, limits: limits)
        isReady.signal()
        while !mayStop.isSet { try loop.runOnce(timeout: .milliseconds(10)) }
        server.close()
      } catch {
        Issue.record(error)
        isReady.signal()
      }
      isDone.signal()
    }
    thread.start()
    isReady.wait()
    defer {
      mayStop.set()
      isDone.wait()
    }
    try body(path)
  }

  private func problem(_ body: () throws -> Void) -> DaemonConnection.Problem? {
    do {
      try body()
      return nil
    } catch {
      return error as? DaemonConnection.Problem
    }
  }

  @Test func `sync returns the errors of what was sent before it`() throws {
    try withServer { path in
      let client = try DaemonConnection(path: path)
      try client.send(line: "a=1")
      #expect(try client.sync() == [])
      try client.send(Array("bad=1\na=2\n-x=3\n".utf8).span)
      #expect(
        try client.sync() == [
          DaemonRefusal(line: 3, .refused, "'bad' cannot be set"),
          DaemonRefusal(line: 5, .invalid, RequestRefusal.badName("-x").description),
        ])
      #expect(try client.request("get a") == .line(Array(#"{"name":"a"}"#.utf8)))
      #expect(
        try client.request("nonsense")
          == .refused(
            DaemonRefusal(line: 8, .unknownRequest, RequestRefusal.unknownCommand("nonsense").description)))
    }
  }

  @Test func `more errors than the socket's buffers hold do not lock both sides up`() throws {
    try withServer { path in
      let client = try DaemonConnection(path: path)
      try client.send(Array(String(repeating: "bad=1\n", count: 30_000).utf8).span)
      #expect(try client.sync().count == 30_000)
    }
  }

  @Test(arguments: ["missing.sock", "missing/s.sock", "stale.sock", "file"])
  func `without a daemon the message names the socket and how to start one`(name: String) throws {
    let folder = TemporaryFolder()
    let dead = clinux_unix_socket(0)
    #expect(clinux_unix_bind(dead, folder("stale.sock")) == 0)
    close(dead)
    close(open(folder("file"), O_CREAT | O_WRONLY, 0o600))
    let problem = problem { _ = try DaemonConnection(path: folder(name)) }
    guard case .noDaemon(folder(name), _)? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(problem?.description.contains("soundd run") == true)
    #expect(problem?.description.contains(folder(name)) == true)
  }

  @Test func `a daemon that does not answer is given up`() throws {
    let folder = TemporaryFolder()
    let listener = clinux_unix_socket(0)
    defer { close(listener) }
    #expect(clinux_unix_bind(listener, folder("s")) == 0 && listen(listener, 5) == 0)
    let client = try DaemonConnection(path: folder("s"), timeout: .milliseconds(20))
    #expect(problem { _ = try client.sync() } == .timedOut(path: folder("s")))
    // It reads nothing either: sending ends too.
    let flood = [UInt8](repeating: 0x0A, count: 4 << 20)
    #expect(problem { try client.send(flood.span) } == .timedOut(path: folder("s")))
  }

  /// A listener without a server, and a client that is connected to it.
  private func withListener(queue: Int32 = 5, _ body: (_ path: String, _ listener: Int32) throws -> Void) throws {
    let folder = TemporaryFolder()
    let listener = clinux_unix_socket(0)
    defer { close(listener) }
    #expect(clinux_unix_bind(listener, folder("s")) == 0 && listen(listener, queue) == 0)
    try body(folder("s"), listener)
  }

  @Test func `a daemon that accepts nobody is given up`() throws {
    try withListener(queue: 0) { path, _ in
      var others: [Int32] = []
      defer { for other in others { close(other) } }
      var isFull = false
      while !isFull, others.count < 100 {
        let other = clinux_unix_socket(1)
        others.append(other)
        isFull = clinux_unix_connect(other, path) != 0 && errno == EAGAIN
      }
      #expect(isFull)
      #expect(problem { _ = try DaemonConnection(path: path, timeout: .milliseconds(20)) } == .timedOut(path: path))
    }
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "{}\n", "okay\n", "\n", "\u{1B}[2J\n"])
  func `an answer that is none of ours is said to be another program's`(answer: String) throws {
    try withListener { path, listener in
      let client = try DaemonConnection(path: path)
      let peer = clinux_accept(listener)
      defer { close(peer) }
      #expect(clinux_send(peer, answer, answer.utf8.count) == answer.utf8.count)
      let problem = problem { _ = try client.sync(after: "a=1") }
      guard case .notUnderstood(path, _)? = problem else {
        Issue.record("\(String(describing: problem))")
        return
      }
      #expect(problem?.description.contains("another version") == true)
      #expect(problem?.description.unicodeScalars.contains { $0.value < 32 } == false)
    }
  }

  @Test func `half an answer is given up like none`() throws {
    try withListener { path, listener in
      let client = try DaemonConnection(path: path, timeout: .milliseconds(20))
      let peer = clinux_accept(listener)
      defer { close(peer) }
      #expect(clinux_send(peer, "o", 1) == 1)
      #expect(problem { _ = try client.sync() } == .timedOut(path: path))
    }
    try withListener { path, listener in
      let client = try DaemonConnection(path: path)
      let peer = clinux_accept(listener)
      #expect(clinux_send(peer, "ok", 2) == 2)
      close(peer)
      #expect(problem { _ = try client.sync() } == .closed(path: path, said: nil))
    }
  }

  @Test func `lines that come in pieces are handed out whole, until the end`() throws {
    try withListener { path, listener in
      let client = try DaemonConnection(path: path)
      let peer = clinux_accept(listener)
      #expect(clinux_send(peer, "one\ntwo\nth", 10) == 10)
      #expect(try client.readLines(whileRead: -1) == Array("one\ntwo\n".utf8))
      #expect(clinux_send(peer, "ree\nfour", 8) == 8)
      #expect(try client.readLines(whileRead: -1) == Array("three\n".utf8))
      close(peer)
      #expect(try client.readLines(whileRead: -1) == nil)
    }
  }

  @Test func `a request that loads sounds is given up as early as any other if the daemon is dead`() throws {
    try withListener { path, listener in
      let client = try DaemonConnection(path: path, timeout: .milliseconds(20))
      let peer = clinux_accept(listener)
      defer { close(peer) }
      #expect(problem { _ = try client.request("play x", loadsSounds: true) } == .timedOut(path: path))
    }
    try withListener { path, listener in
      // The daemon says that it is there, and then takes five times as long.
      let client = try DaemonConnection(path: path, timeout: .milliseconds(20))
      let peer = clinux_accept(listener)
      defer { close(peer) }
      #expect(clinux_send(peer, "ok\n", 3) == 3)
      let thread = Thread {
        usleep(100_000)
        _ = clinux_send(peer, "ok\n", 3)
      }
      thread.start()
      #expect(try client.request("play x", loadsSounds: true) == .line(Array("ok".utf8)))
    }
  }

  @Test func `it is noticed that nobody reads what is followed`() throws {
    try withListener { path, _ in
      let client = try DaemonConnection(path: path)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      close(ends[0])
      #expect(try client.readLines(whileRead: ends[1]) == [])
      close(ends[1])
    }
  }

  @Test func `a daemon that goes is noticed while nothing is sent`() throws {
    try withListener { path, listener in
      let client = try DaemonConnection(path: path)
      let peer = clinux_accept(listener)
      close(peer)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let ready = client.wait(forInput: ends[0])
      #expect(ready.hasReply && !ready.hasInput)
      #expect(problem { try client.takeErrors { _ in } } == .closed(path: path, said: nil))
      for end in ends { close(end) }
    }
  }

  @Test func `a connection that is refused tells what the daemon said`() throws {
    let folder = TemporaryFolder()
    let listener = clinux_unix_socket(0)
    defer { close(listener) }
    #expect(clinux_unix_bind(listener, folder("s")) == 0 && listen(listener, 5) == 0)
    let client = try DaemonConnection(path: folder("s"))
    let peer = clinux_accept(listener)
    let words = Array("error: go away [not_permitted]\n".utf8)
    #expect(clinux_send(peer, words, words.count) == words.count)
    close(peer)
    #expect(
      problem { _ = try client.sync() } == .closed(path: folder("s"), said: DaemonRefusal(.notPermitted, "go away")))
  }
}
