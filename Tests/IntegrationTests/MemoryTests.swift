import Foundation
import TestSupport
import Testing

/// What a daemon's memory holds, what it refuses, and what it gives back.
struct MemoryTests {
  private let home: Home

  init() throws { home = try Home() }

  /// The resident memory of a process in bytes (status of proc(5)).
  private func resident(_ program: Program) throws -> Int {
    let line = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("VmRSS:") }
    return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
  }

  /// The processor time of a process in seconds (stat of proc(5)).
  private func processorTime(_ program: Program) throws -> Double {
    let words = try String(contentsOfFile: "/proc/\(program.pid)/stat", encoding: .utf8).split(separator: " ")
    return Double((Int(words[13]) ?? 0) + (Int(words[14]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  @Test(.disabled(if: isSanitized, "a sanitizer keeps freed memory"))
  func `the memory of contents that are gone goes back to the system`() throws {
    let daemon = try home.daemon("[limits]\nmemory = \"1 GiB\"", "--device", "none")
    let client = try home.connect()
    let start = try resident(daemon)
    let content = String(repeating: "x", count: 60_000)
    for number in 0..<2000 { try client.send(line: "n\(number)=\(content)") }
    #expect(try client.ask("sync") == "ok")
    #expect(try resident(daemon) - start > 110_000_000)
    for number in 0..<2000 { try client.send(line: "n\(number)=") }
    #expect(try client.ask("sync") == "ok")
    let end = try resident(daemon) - start
    #expect(end < 30_000_000, "\(end >> 20) MiB are left")
  }

  @Test(.disabled(if: isSanitized, "a sanitizer keeps freed memory"))
  func `a member of a pattern takes at most 1 kB at rest`() throws {
    let daemon = try home.daemon(
      "[value.\"agent/*\"]\n[[trigger]]\nvalue=\"agent/*\"\nto=\"failed\"\nsound=\"error\"", "--device", "none")
    let client = try home.connect()
    func fill(_ numbers: Range<Int>) throws -> Int {
      for number in numbers { try client.send(line: "agent/\(number)=ok") }
      #expect(try client.ask("sync") == "ok")
      return try resident(daemon)
    }
    let start = try fill(0..<2000)
    #expect(try (fill(2000..<10_000) - start) / 8000 <= 1000)
  }

  @Test func `beyond the limit undeclared values and sounds by hand are refused, and declared values are not`() throws {
    _ = try home.daemon(
      "[limits]\nmemory = \"192 KiB\"\n[value.declared]\n[[trigger]]\nvalue=\"declared\"\nto=\"x\"\nsound=\"tick\"",
      "--device", "none")
    let use = try #require(try home.status()["memory_use"] as? [String: Any])
    let clips = try #require(use["clip_bytes"] as? Int)
    #expect(use["limit_bytes"] as? Int == 192 << 10)
    #expect(clips > 10_000)
    let client = try home.connect()
    let content = String(repeating: "x", count: (192 << 10) - clips - 1000)
    let parts = stride(from: 0, to: content.count, by: 50_000).map { content.dropFirst($0).prefix(50_000) }
    for (number, part) in parts.enumerated() { try client.send(line: "n\(number)=\(part)") }
    #expect(try client.ask("sync") == "ok")
    #expect(try client.ask("more=\(content.prefix(2000))").contains("limits.memory"))
    #expect(try client.ask("play success").contains("limits.memory"))
    try client.send(line: "declared=\(content.prefix(50_000))")
    #expect(try client.ask("sync") == "ok")
    #expect(try home.status()["refused"] as? Int == 2)
    #expect(try home.run("unset", "n0").wait() == .exit(0))
    #expect(try home.run("play", "tick").wait() == .exit(0))
  }

  @Test func `sounds that alone are too large get a warning`() throws {
    let daemon = try home.daemon(
      "[limits]\nmemory = \"1 KiB\"\n[[trigger]]\nvalue=\"a\"\nsound=\"tick\"", "--device", "none")
    try daemon.waitForErrors("limits.memory is 1 KiB")
    let check = try home.run("check")
    #expect(try check.wait() == .exit(0))
    #expect(check.errors.contains("warning: ") && check.errors.contains("limits.memory"))
  }

  @Test func `a sound whose file was cut off gets a warning`() throws {
    let bytes = WAVBuilder.int16([Int16](repeating: 9, count: 64), channels: 1, rate: 48_000)
    try Data(bytes.dropLast(40)).write(to: URL(fileURLWithPath: home.path + "/cut.wav"))
    let daemon = try home.daemon("[[trigger]]\nvalue=\"a\"\nsound=\"\(home.path)/cut.wav\"", "--device", "none")
    try daemon.waitForErrors("it was cut off: \(bytes.count) bytes are promised")
    #expect(try home.run("check").wait() == .exit(0))
  }

  @Test func `unset forgets a value, and says why not`() throws {
    _ = try home.daemon("[value.level]\n[[trigger]]\nvalue=\"level\"\nsound=\"tick\"", "--device", "none")
    #expect(try home.run("set", "a=1", "b=2").wait() == .exit(0))
    let events = try home.connect()
    #expect(try events.ask("events") == "ok")
    #expect(try home.run("unset", "a", "b").wait() == .exit(0))
    #expect(try JSON.object(try events.line())["event"] as? String == "unset")
    let list = try home.run("list").text
    #expect(!list.contains("a=") && !list.contains("b="))
    let unknown = try home.run("unset", "a")
    #expect(try unknown.wait() == .exit(66))
    #expect(unknown.errors.contains("there is no value 'a'"))
    let declared = try home.run("unset", "level")
    #expect(try declared.wait() == .exit(77))
    #expect(declared.errors.contains("config.toml:1:1"))
    #expect(try home.run("unset").wait() == .exit(64))
  }

  @Test(.disabled(if: isSanitized, "a sanitizer takes all addresses"))
  func `a sound for which there is no memory is broken, and soundd runs on`() throws {
    // 60 s of stereo at 48 kHz take 23 MB, and as much again while they are decoded.
    let samples = [Int16](repeating: 100, count: 2 * 48_000 * 60)
    try home.write("data/soundd/long.wav", WAVBuilder.int16(samples, channels: 2, rate: 48_000))
    try home.write(
      "config/soundd/config.toml",
      "[[trigger]]\nvalue=\"a\"\nsound=\"\(home("data/soundd/long.wav"))\"\n[[trigger]]\nvalue=\"b\"\nsound=\"tick\"")
    // Each further arena of malloc would take addresses that it can do without.
    let environment = ["MALLOC_ARENA_MAX": "1"]
    let probe = try home.start(["run", "--device", "none"], environment: environment)
    try probe.waitForErrors("soundd: ready: ")
    let line = try String(contentsOfFile: "/proc/\(probe.pid)/status", encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("VmPeak:") }
    let peak = try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    kill(probe.pid, SIGTERM)
    try probe.wait()
    let daemon = try home.start(
      ["run", "--device", "none"], environment: environment, through: ["prlimit", "--as=\(peak - 30_000_000)"])
    try daemon.waitForErrors("soundd: ready: ")
    #expect(daemon.errors.contains("cannot load the sound"))
    #expect(daemon.errors.contains("no memory for"))
    #expect(try home.trigger("a")["state"] as? String == "broken")
    #expect(try home.run("set", "b=1").wait() == .exit(0))
  }

  @Test(.slow, arguments: [200, 1000])
  func `costly expressions delay neither a neighbour nor the end`(count: Int) throws {
    let triggers = (0..<count).map { "[[trigger]]\nname=\"t\($0)\"\nvalue=\"a\"\nmatches='(a+)+$'\nsound=\"tick\"" }
    let daemon = try home.daemon(triggers.joined(separator: "\n"), "--device", "none")
    let (client, neighbour) = (try home.connect(), try home.connect())
    let content = String(repeating: "a", count: 60_000) + "b"
    try client.send(line: "a=x")
    #expect(try client.ask("sync") == "ok")
    // The daemon's own time, because the machine may have much else to do.
    let before = try processorTime(daemon)
    for number in 0..<10 { try client.send(line: "a=\(content)\(number)") }
    #expect(try client.ask("sync") == "ok")
    let time = try processorTime(daemon) - before
    #expect(time / 10 < atMost(0.1), "\(time / 10) s for each line")
    let verdicts = try home.verdicts("t\(count - 1)")
    #expect(verdicts.contains { $0.hasSuffix(" over_budget") }, "\(verdicts)")
    for number in 0..<10 { try client.send(line: "a=\(content)\(number)") }
    // Between two lines the neighbour has its turn, and so has the signal.
    #expect(try neighbour.ask("sync") == "ok")
    kill(daemon.pid, SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }
}
