import CLinux
import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// What the kernel says of the audio thread.
struct AudioThreadTests {
  /// A field of proc(5)'s `stat`, counted from 1 as there.
  private func field(_ number: Int, of thread: Int32) throws -> Int {
    let stat = try textOfFile("/proc/self/task/\(thread)/stat")
    let afterName = try #require(stat.lastIndex(of: ")"))
    return try #require(Int(stat[afterName...].split(separator: " ")[number - 2]))
  }

  private func play(_ output: Output, times: Int) {
    let clip = Clip(stereo: noise(frames: 960, seed: 1), rate: output.rate)
    for _ in 0..<times {
      #expect(output.control.start(clip) != nil)
      output.wake()
      repeat {
        _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), -1)
        #expect(output.collect() == nil)
      } while !output.isSilent
    }
  }

  @Test(
    .disabled(if: isSanitized, "a sanitizer lets no memory be locked"),
    arguments: ["none", "null", "file:/dev/null,raw"])
  func `while it plays there are no page faults`(device: String) throws {
    let output = try Output(OutputSettings(device: device))
    // The code itself comes from a file, and is mapped when it runs for the first time.
    play(output, times: 1)
    let minor = try field(10, of: output.audioThread)
    let major = try field(12, of: output.audioThread)
    play(output, times: 5)
    #expect(try field(10, of: output.audioThread) == minor)
    #expect(try field(12, of: output.audioThread) == major)
  }

  @Test func `the code of a device's libraries is in memory once it is open`() throws {
    let opened = OpenedDevice.open(OutputSettings(device: "null"))
    #expect(opened.error == nil)
    // libasound alone has a megabyte.
    #expect(OpenedDevice.populateLibraries() > 500_000)
    var isInLibrary = false
    var (size, resident) = (0, 0)
    for line in try textOfFile("/proc/self/smaps").split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      if words[0].contains("-") { isInLibrary = line.contains("libasound.so") && words[1].hasPrefix("r-x") }
      if isInLibrary, words[0] == "Size:" { size += Int(words[1]) ?? 0 }
      if isInLibrary, words[0] == "Rss:" { resident += Int(words[1]) ?? 0 }
    }
    #expect(size > 0)
    #expect(resident == size)
  }

  @Test func `what it is said to have is what the kernel gives it`() throws {
    let output = try Output(OutputSettings(device: "none"))
    let priority = output.priority
    // sched(7): SCHED_FIFO is 1, SCHED_RR 2.
    #expect(
      try field(41, of: output.audioThread) == (priority.policy == .fifo ? 1 : priority.policy == .roundRobin ? 2 : 0))
    #expect(try field(40, of: output.audioThread) == priority.priority)
    #expect(priority.isRealTime == (priority.way != .none))
    #expect(priority.isRealTime == priority.reason.isEmpty)
  }

  @Test func `it takes denormal numbers for zero`() throws {
    #expect(try Output(OutputSettings(device: "none")).flushesDenormals)
  }

  @Test func `of the signals it takes but the one of a thread that runs on`() throws {
    let output = try Output(OutputSettings(device: "none"))
    let status = try textOfFile("/proc/self/task/\(output.audioThread)/status")
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
    let blocked = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGALRM, SIGPROF, SIGUSR1] {
      #expect(blocked & 1 << UInt64(signal - 1) != 0)
    }
    #expect(blocked & 1 << UInt64(SIGXCPU - 1) == 0)
  }

  // MARK: A thread that runs on

  /// Whether this process may make threads real-time, and has signals delivered while a thread runs on: ThreadSanitizer
  /// holds them back.
  private static let canRunAway: Bool = {
    let thread = ThreadRunner {
      RealtimePromotion.promote(clinux_thread_id(), priority: 1, mayLimitRuntime: true, patience: .zero)
    }
    return thread.result.way == .kernel && dlsym(nil, "__tsan_init") == nil
  }()

  @Test(.enabled(if: canRunAway, "it takes the right to real-time priority"))
  func `a thread that does not sleep loses its priority and is reported, and nothing else happens`() throws {
    let before = clinux_demotions()
    let report = clinux_eventfd()
    defer { close(report) }
    let runner = ThreadRunner {
      clinux_guard_realtime(report)
      let thread = clinux_thread_id()
      let granted = RealtimePromotion.promote(thread, priority: 1, mayLimitRuntime: true, patience: .zero)
      var now = granted
      // The kernel signals after 100 ms, and again a second later: five are far longer.
      let end = clinux_monotonic() + atMost(.seconds(5)).nanoseconds
      while now.isRealTime, clinux_monotonic() < end {
        now = granted.now(of: thread, demotionsBefore: before)
      }
      return now
    }
    #expect(runner.result.policy == .other)
    #expect(runner.result.problem == .overran)
    #expect(clinux_demotions() == before + 1)
    #expect(clinux_wait(report, Int16(POLLIN), 0) != 0)
  }
}

/// Runs something on a thread of its own and waits for its end.
private final class ThreadRunner {
  private(set) var result = ThreadPriority(policy: .other, priority: 0, way: .none)
  private let body: () -> ThreadPriority

  init(_ body: @escaping () -> ThreadPriority) {
    self.body = body
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let runner = Unmanaged<ThreadRunner>.fromOpaque(argument).takeUnretainedValue()
        runner.result = runner.body()
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    if error == 0 { pthread_join(thread, nil) }
  }
}
