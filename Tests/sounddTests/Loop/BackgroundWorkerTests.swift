import CLinux
import Foundation
import SoundTrigger
import Testing

@testable import soundd

@Suite struct BackgroundWorkerTests {
  @Test func `a job runs on another thread and its completion on the loop's`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    let here = clinux_thread_id()
    var there: pid_t?
    var completed: pid_t?
    worker.perform({ clinux_thread_id() }) {
      there = $0
      completed = clinux_thread_id()
    }
    try loop.turn { completed != nil }
    #expect(there != nil && there != here)
    #expect(completed == here)
  }

  @Test func `jobs and completions keep their order`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    let order = Guarded([Int]())
    var completed: [Int] = []
    for number in 0..<100 {
      worker.perform({ order.withLock { $0.append(number) } }) { completed.append(number) }
    }
    try loop.turn { completed.count == 100 }
    #expect(order.withLock { $0 } == Array(0..<100))
    #expect(completed == Array(0..<100))
  }

  @Test func `a completion may give the next job`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    var results: [Int] = []
    worker.perform({ 1 }) { first in
      results.append(first)
      worker.perform({ first + 1 }) { results.append($0) }
    }
    try loop.turn { results.count == 2 }
    #expect(results == [1, 2])
    #expect(!worker.isBusy)
  }

  @Test func `the loop goes on while a job is held up`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    let gate = try Pipe()
    let descriptor = gate.reading
    var isDone = false
    worker.perform({ Self.waitForByte(descriptor) }) { isDone = true }
    var hasFired = false
    let timer = EventLoop.Timer { hasFired = true }
    loop.schedule(timer, at: loop.now)
    try loop.turn { hasFired }
    #expect(worker.isBusy && !isDone)
    gate.write("x")
    try loop.turn { isDone }
    #expect(!worker.isBusy)
  }

  @Test func `stopping waits for no job, drops those that wait, and calls no completion`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    let gate = try Pipe()
    let descriptor = gate.reading
    let began = Guarded(false)
    let second = Guarded(false)
    let ended = Guarded(false)
    var completions = 0
    worker.perform({
      began.withLock { $0 = true }
      Self.waitForByte(descriptor)
      ended.withLock { $0 = true }
    }) { completions += 1 }
    worker.perform({ second.withLock { $0 = true } }) { completions += 1 }
    try loop.turn { began.withLock { $0 } }
    #expect(worker.stop())
    worker.perform({ second.withLock { $0 = true } }) { completions += 1 }
    gate.write("x")
    try loop.turn { ended.withLock { $0 } && !worker.stop() }
    try loop.turnWhileBusy()
    #expect(!second.withLock { $0 })
    #expect(completions == 0)
  }

  @Test func `a worker at rest leaves nothing behind when it stops`() throws {
    let worker = try BackgroundWorker(name: "test", on: try EventLoop())
    #expect(!worker.stop())
  }

  @Test func `a completion may stop the worker`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "test", on: loop)
    var completions = 0
    for _ in 0..<3 {
      worker.perform({}) {
        completions += 1
        worker.stop()
      }
    }
    try loop.turn { completions > 0 }
    try loop.turnWhileBusy()
    #expect(completions == 1)
  }

  @Test func `what a dropped worker has under way does no harm`() throws {
    let loop = try EventLoop()
    let gate = try Pipe()
    let descriptor = gate.reading
    let began = Guarded(false)
    let ended = Guarded(false)
    var worker: BackgroundWorker? = try BackgroundWorker(name: "test", on: loop)
    worker?.perform({
      began.withLock { $0 = true }
      Self.waitForByte(descriptor)
      ended.withLock { $0 = true }
    }) { Issue.record("it was dropped") }
    try loop.turn { began.withLock { $0 } }
    worker = nil
    gate.write("x")
    try loop.turn { ended.withLock { $0 } }
  }

  @Test func `the thread is an ordinary one, named, and no signal is delivered to it`() throws {
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "soundd-test", on: loop)
    var status: String?
    var policy: Int32?
    worker.perform({
      (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8), sched_getscheduler(0))
    }) { (status, policy) = $0 }
    try loop.turn { policy != nil }
    #expect(policy == SCHED_OTHER)
    let lines = try #require(status).split(separator: "\n")
    #expect(lines.contains("Name:\tsoundd-test"))
    let line = try #require(lines.first { $0.hasPrefix("SigBlk:") })
    let mask = try #require(UInt64(line.dropFirst("SigBlk:\t".count), radix: 16))
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1] {
      #expect(mask & (1 << UInt64(signal - 1)) != 0)
    }
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE] { #expect(mask & (1 << UInt64(fault - 1)) == 0) }
  }

  /// Blocks until something is written to the pipe.
  @Sendable private static func waitForByte(_ descriptor: Int32) {
    var byte: UInt8 = 0
    _ = read(descriptor, &byte, 1)
  }
}
