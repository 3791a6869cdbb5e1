import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// A pipe whose ends are closed with it.
final class Pipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  func write(_ text: String) { _ = Glibc.write(writing, text, text.utf8.count) }
}

@Suite struct EventLoopTests {
  @Test func `a readable descriptor calls its handler until it is read`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var reports: [EventLoop.Readiness] = []
    let token = try loop.add(pipe.reading, .readable) { reports.append($0) }
    #expect(try !loop.runOnce(timeout: .zero))
    pipe.write("x")
    #expect(try loop.runOnce(timeout: atMost(.seconds(5))))
    #expect(try loop.runOnce(timeout: atMost(.seconds(5))))
    #expect(reports == [.readable, .readable])
    loop.remove(token)
    #expect(try !loop.runOnce(timeout: .zero))
  }

  @Test func `a handler that removes another one keeps its fetched report from it`() throws {
    let loop = try EventLoop()
    let pipes = [try Pipe(), try Pipe()]
    var tokens: [EventLoop.Token] = []
    var calls = 0
    for pipe in pipes {
      tokens.append(
        try loop.add(pipe.reading, .readable) { _ in
          calls += 1
          for token in tokens { loop.remove(token) }
        })
    }
    for pipe in pipes { pipe.write("x") }
    _ = try loop.runOnce(timeout: atMost(.seconds(5)))
    #expect(calls == 1)
  }

  @Test func `a stale report does not reach the new owner of a descriptor's number`() throws {
    let loop = try EventLoop()
    let pipes = [try Pipe(), try Pipe()]
    var tokens: [EventLoop.Token] = []
    var newOwnerCalls = 0
    var first = true
    for pipe in pipes {
      tokens.append(
        try loop.add(pipe.reading, .readable) { _ in
          guard first else { return }
          first = false
          // Both are removed and added again under the same numbers while the second report is already fetched.
          for token in tokens { loop.remove(token) }
          for pipe in pipes {
            var byte: UInt8 = 0
            _ = read(pipe.reading, &byte, 1)
            _ = try? loop.add(pipe.reading, .readable) { _ in newOwnerCalls += 1 }
          }
        })
    }
    for pipe in pipes { pipe.write("x") }
    _ = try loop.runOnce(timeout: atMost(.seconds(5)))
    #expect(!first)
    #expect(newOwnerCalls == 0)
    pipes[1].write("y")
    _ = try loop.runOnce(timeout: atMost(.seconds(5)))
    #expect(newOwnerCalls == 1)
  }

  @Test func `a token that was removed neither changes nor removes a later registration`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    let old = try loop.add(pipe.reading, .readable) { _ in }
    loop.remove(old)
    var calls = 0
    _ = try loop.add(pipe.reading, .readable) { _ in calls += 1 }
    try loop.modify(old, [])
    loop.remove(old)
    pipe.write("x")
    _ = try loop.runOnce(timeout: atMost(.seconds(5)))
    #expect(calls == 1)
  }

  @Test func `modify changes what is reported`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var reports: [EventLoop.Readiness] = []
    let token = try loop.add(pipe.writing, []) { reports.append($0) }
    #expect(try !loop.runOnce(timeout: .zero))
    try loop.modify(token, .writable)
    _ = try loop.runOnce(timeout: atMost(.seconds(5)))
    #expect(reports == [.writable])
  }

  @Test(arguments: ["/dev/null", "/etc/passwd"])
  func `what is always ready is refused with EPERM`(path: String) throws {
    let loop = try EventLoop()
    let fd = open(path, O_RDONLY)
    defer { close(fd) }
    #expect {
      _ = try loop.add(fd, .readable) { _ in }
    } throws: {
      ($0 as? SystemError)?.code == EPERM
    }
  }

  @Test func `timers fire in the order of their deadlines, each once`() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    let start = loop.now
    let timers = [3, 1, 2].map { number in EventLoop.Timer { fired.append(number) } }
    for (timer, milliseconds) in zip(timers, [3, 1, 2]) {
      loop.schedule(timer, at: start.advanced(by: .milliseconds(milliseconds)))
    }
    try loop.turn { fired.count == 3 }
    #expect(fired == [1, 2, 3])
    #expect(loop.now >= start.advanced(by: .milliseconds(3)))
    #expect(try !loop.runOnce(timeout: .zero))
    #expect(timers.allSatisfy { !$0.isScheduled })
  }

  @Test func `a timer may be moved, and called off by one that is due in the same turn`() throws {
    let loop = try EventLoop()
    var fired: [String] = []
    let victim = EventLoop.Timer { fired.append("victim") }
    let moved = EventLoop.Timer { fired.append("moved") }
    let killer = EventLoop.Timer {
      fired.append("killer")
      loop.cancel(victim)
    }
    let past = loop.now
    loop.schedule(victim, at: past)
    loop.schedule(killer, at: past.advanced(by: .seconds(-1)))
    loop.schedule(moved, at: past.advanced(by: .seconds(3600)))
    loop.schedule(moved, at: past.advanced(by: .milliseconds(1)))
    try loop.turn { fired.contains("moved") }
    #expect(fired == ["killer", "moved"])
  }

  @Test func `a timer that is always due does not starve the descriptors`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var turns = 0
    var timer: EventLoop.Timer?
    timer = EventLoop.Timer {
      turns += 1
      if let timer { loop.schedule(timer, at: loop.now) }
    }
    if let timer { loop.schedule(timer, at: loop.now) }
    var wasRead = false
    _ = try loop.add(pipe.reading, .readable) { _ in wasRead = true }
    pipe.write("x")
    try loop.turn { wasRead }
    #expect(turns <= 2)
    timer = nil
  }

  @Test func `many timers at once do not starve the descriptors, and fire in their order`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var fired: [Int] = []
    var firedBefore: [Int] = []
    _ = try loop.add(pipe.reading, .readable) { _ in firedBefore.append(fired.count) }
    pipe.write("x")
    let timers = (0..<100).map { number in
      EventLoop.Timer {
        // Work that takes its time.
        let end = EventLoop.clock().advanced(by: .microseconds(200))
        while EventLoop.clock() < end {}
        fired.append(number)
      }
    }
    for (number, timer) in timers.enumerated() {
      loop.schedule(timer, at: loop.now.advanced(by: .nanoseconds(number / 10 - 10)))
    }
    while fired.count < 100 { try loop.runOnce(timeout: atMost(.seconds(5))) }
    #expect(fired.map { $0 / 10 } == (0..<100).map { $0 / 10 })
    #expect(Set(fired).count == 100)
    // At most as many as fit into a millisecond, and the one that goes beyond it.
    let most = zip(firedBefore.dropFirst(), firedBefore).map { $0 - $1 }.max()
    #expect((1...6).contains(most ?? 0))
  }

  @Test func `after stop no handler is called, neither in this turn nor in the next`() throws {
    let loop = try EventLoop()
    var fired = 0
    for _ in 0..<3 {
      let timer = EventLoop.Timer {
        fired += 1
        loop.stop()
      }
      loop.schedule(timer, at: loop.now)
    }
    #expect(!loop.isStopping)
    try loop.runOnce()
    #expect(loop.isStopping)
    try loop.runOnce(timeout: .zero)
    #expect(fired == 1)
  }

  @Test func `a loop at rest does not wake up`() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    _ = try loop.add(pipe.reading, .readable) { _ in }
    let timer = EventLoop.Timer {}
    loop.schedule(timer, at: loop.now.advanced(by: .milliseconds(1)))
    loop.schedule(timer, at: loop.now.advanced(by: .seconds(3600)))
    let start = EventLoop.clock()
    try loop.runOnce(timeout: .milliseconds(20))
    // It came back for the time limit, not for the first schedule of the timer.
    #expect(start.duration(to: EventLoop.clock()) >= .milliseconds(20))
  }

  @Test func `timers come by their deadlines, whatever is inserted, moved and removed`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var heap = EventLoop.ScheduledTimers()
      var expected: [ObjectIdentifier: Int64] = [:]
      let timers = (0..<60).map { _ in EventLoop.Timer {} }
      for _ in 0..<300 {
        guard let timer = timers.randomElement(using: &generator) else { continue }
        if Bool.random(using: &generator) {
          let deadline = Int64.random(in: -50...50, using: &generator)
          heap.insert(timer, at: Instant(nanoseconds: deadline))
          expected[ObjectIdentifier(timer)] = deadline
        } else {
          heap.remove(timer)
          expected[ObjectIdentifier(timer)] = nil
        }
        #expect(heap.first?.deadline.nanoseconds == expected.values.min())
      }
      var deadlines: [Int64] = []
      while let timer = heap.first {
        deadlines.append(timer.deadline.nanoseconds)
        heap.remove(timer)
      }
      #expect(deadlines == expected.values.sorted())
    }
  }

  @Test func `signals arrive as events`() throws {
    let loop = try EventLoop()
    var signals: [Int32] = []
    _ = try SignalSource([SIGUSR1, SIGUSR2], on: loop) { signals.append($0) }
    raise(SIGUSR1)
    raise(SIGUSR2)
    try loop.turn { signals.count == 2 }
    #expect(signals == [SIGUSR1, SIGUSR2])
  }
}
