import Foundation
import SoundTrigger
import Testing

/// How the daemon comes by real-time priority where the kernel does not give it at once.
struct PriorityTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Runs a program without the right to real-time priority.
  private static let unprivileged =
    ["prlimit", "--rtprio=0:0"]
    + (getuid() == 0 ? ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"] : [])

  /// The daemon's `realtime`, once it is ready.
  private func realTime(
    through wrapper: [String] = unprivileged, environment: [String: String] = [:]
  ) throws -> [String: Any] {
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    let daemon = try home.start(["run", "--device", "none"], environment: environment, through: wrapper)
    try daemon.waitForErrors("soundd: ready: ")
    let status = try home.status()
    guard let realTime = status["realtime"] as? [String: Any] else {
      throw TimedOut(description: "no 'realtime' in \(status)")
    }
    if realTime["way"] as? String == "none" {
      #expect(realTime["policy"] as? String == "other")
      #expect(realTime["priority"] as? Int == 0)
      #expect(daemon.errors.contains("no real-time priority: RLIMIT_RTPRIO is 0; "))
      #expect(daemon.errors.contains("soundd doctor"))
    } else {
      try expectKernelAgrees(realTime, daemon.pid)
    }
    return realTime
  }

  /// Compares with proc(5): the fields rt_priority and policy of the audio thread.
  private func expectKernelAgrees(_ realTime: [String: Any], _ pid: pid_t) throws {
    let tasks = "/proc/\(pid)/task"
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      let stat = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
      guard stat.contains("(soundd-audio)"), let name = stat.lastIndex(of: ")") else { continue }
      let fields = stat[name...].split(separator: " ")
      #expect(Int(fields[38]) == realTime["priority"] as? Int)
      #expect(fields[39] == (realTime["policy"] as? String == "fifo" ? "1" : "2"))
      return
    }
    Issue.record("there is no thread 'soundd-audio'")
  }

  @Test func `without a bus it plays with ordinary priority and says why`() throws {
    let realTime = try realTime()
    #expect(realTime["way"] as? String == "none")
    #expect(realTime["obstacle"] as? String == "not-permitted")
    #expect((realTime["reason"] as? String)?.contains("no system bus") == true)
    #expect(realTime["priority_limit"] as? Int == 0)
  }

  @Test func `who only tries 'watch' is not told of priorities`() throws {
    let watch = try home.start(
      ["watch", "tick", "--device", "none"], input: .text("a\nb\n"), through: Self.unprivileged)
    #expect(try watch.wait() == .exit(0))
    #expect(!watch.errors.contains("real-time"))
    #expect(watch.errors.contains("soundd: ready: "))
  }

  @Test func `on a bus without RealtimeKit it says that it is not installed`() throws {
    let bus = try PrivateBus(in: home)
    let realTime = try realTime(environment: bus.environment)
    #expect(realTime["obstacle"] as? String == "not-permitted")
    #expect((realTime["reason"] as? String)?.contains("RealtimeKit is not installed") == true)
  }

  @Test func `a bus that never answers does not hold it up for long`() throws {
    let silent = try home.start(program: "socat", ["-u", "UNIX-LISTEN:\(home("run/bus")),fork", "OPEN:/dev/null"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: home("run/bus")) }
    let realTime = try realTime(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(home("run/bus"))"])
    #expect(realTime["obstacle"] as? String == "silent")
    silent.send(signal: SIGTERM)
  }

  @Test(.enabled(if: PrivateBus.hasRealtimeKit, "it takes root and the packages rtkit and polkitd"))
  func `RealtimeKit gives what the kernel does not`() throws {
    let bus = try PrivateBus(in: home)
    try bus.startPolkit()
    try bus.startRealtimeKit()
    let realTime = try realTime(environment: bus.environment)
    #expect(realTime["way"] as? String == "rtkit")
    #expect(realTime["policy"] as? String == "rr")
    #expect(realTime["priority"] as? Int == 10)
    #expect(realTime["obstacle"] is NSNull)
  }

  @Test(.enabled(if: PrivateBus.hasRealtimeKit, "it takes root and the packages rtkit and polkitd"))
  func `RealtimeKit's limits are respected`() throws {
    let bus = try PrivateBus(in: home)
    try bus.startPolkit()
    try bus.startRealtimeKit("--max-realtime-priority=4", "--rttime-usec-max=80000", "--scheduling-policy=FIFO")
    let realTime = try realTime(environment: bus.environment)
    #expect(realTime["way"] as? String == "rtkit")
    #expect(realTime["policy"] as? String == "fifo")
    #expect(realTime["priority"] as? Int == 4)
    // Half of it, so that there is a warning before the kernel's end.
    #expect(realTime["runtime_limit"] as? Int == 40_000)
  }

  @Test(.enabled(if: PrivateBus.hasRealtimeKit, "it takes root and the packages rtkit and polkitd"))
  func `what RealtimeKit refuses is told`() throws {
    let bus = try PrivateBus(in: home, denied: ("org.freedesktop.RealtimeKit1", "MakeThreadRealtime"))
    try bus.startRealtimeKit()
    let realTime = try realTime(environment: bus.environment)
    #expect(realTime["way"] as? String == "none")
    #expect(realTime["obstacle"] as? String == "refused")
  }

  /// Whether the limit can be set that the test below needs.
  private static let mayRaiseLimit = ResourceLimit(.realTimePriority).hard >= 3

  @Test(.enabled(if: mayRaiseLimit, "it takes a hard RLIMIT_RTPRIO of 3 at least"))
  func `within RLIMIT_RTPRIO the kernel gives it, as much as it may`() throws {
    let limited = ["prlimit", "--rtprio=3:3"] + Self.unprivileged.dropFirst(2)
    let realTime = try realTime(through: Array(limited))
    #expect(realTime["way"] as? String == "kernel")
    #expect(realTime["policy"] as? String == "fifo")
    #expect(realTime["priority"] as? Int == 3)
    #expect(realTime["priority_limit"] as? Int == 3)
  }
}
