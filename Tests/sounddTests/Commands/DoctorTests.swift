import Foundation
import Testing

@testable import soundd

/// The judgement alone, on findings that were made up.
struct DoctorTests {
  /// A machine with nothing amiss.
  private static let healthy = DoctorFindings(
    user: "ada", socket: "/run/user/1000/soundd.sock", daemon: .running, runtimeFolder: .good("/run/user/1000"),
    stateFolder: .good("/home/ada/.local/state/soundd"),
    configuration: .good(file: "/home/ada/.config/soundd/config.toml"),
    sounds: .init(folders: ["/usr/share/soundd/sounds"], complaints: []),
    device: .init(name: "default", kind: "IOPLUG", state: .opens("float32, 48000 Hz")), server: .pipewire,
    cards: .init(count: 2, accessible: 2),
    realTime: .init(
      policy: "rr", priority: 10, way: "rtkit", obstacle: nil, reason: nil, priorityLimit: 0,
      runtimeLimit: .milliseconds(100), flushesDenormals: true),
    memory: .init(wanted: 4 << 20, locked: 4 << 20, limit: 8 << 20, reason: nil),
    kernel: .init(version: "#1 SMP PREEMPT_RT Debian", isRealTime: true, commandLine: "quiet threadirqs"),
    processor: .init(governors: ["performance"], driver: "acpi-cpufreq"),
    clock: .init(current: "tsc", available: ["tsc", "hpet"]))

  private func row(_ subject: String, _ change: (inout DoctorFindings) -> Void) throws -> DoctorRow {
    var findings = Self.healthy
    change(&findings)
    return try #require(Doctor(findings: findings).rows.first { $0.subject == subject })
  }

  @Test func `on a machine with nothing amiss every row is ok and wants nothing`() {
    let rows = Doctor(findings: Self.healthy).rows
    for row in rows {
      #expect(row.state == .ok, "\(row)")
      #expect(row.remedy == nil, "\(row)")
      #expect(!row.finding.isEmpty)
    }
    #expect(Set(rows.map(\.subject)).count == rows.count)
  }

  @Test func `where no state can be kept it says what is lost`() throws {
    let unset = try row("state folder") { $0.stateFolder = .unset }
    let unusable = try row("state folder") { $0.stateFolder = .unusable("/home/ada/.local/state/soundd") }
    for row in [unset, unusable] {
      #expect(row.state == .warning)
      #expect(row.finding.hasSuffix("volume, profile, throttles and what values held are forgotten at a restart"))
    }
    #expect(unset.remedy == "export XDG_STATE_HOME=~/.local/state")
    #expect(unusable.remedy?.contains("ls -ld '/home/ada/.local/state/soundd'") == true)
  }

  // MARK: The audio thread

  @Test(arguments: [
    ("not-permitted", ["apt install rtkit", "@audio - rtprio 20", "usermod -aG audio ada"]),
    ("refused", ["@audio - rtprio 20", "usermod -aG audio ada"]), ("failed", ["@audio - rtprio 20"]),
    ("silent", ["systemctl status rtkit-daemon", "@audio - rtprio 20"]),
    ("overran", ["systemctl --user restart soundd"]),
    ("taken-away", ["journalctl -u rtkit-daemon"]),
  ])
  func `without real-time priority the reason is told and what helps against it`(
    obstacle: String, remedies: [String]
  ) throws {
    let row = try row("priority") {
      $0.realTime = .init(
        policy: "other", priority: 0, way: "none", obstacle: obstacle, reason: "RLIMIT_RTPRIO is 0", priorityLimit: 0,
        runtimeLimit: nil, flushesDenormals: true)
    }
    #expect(row.state == .warning)
    #expect(row.finding == "no real-time priority: RLIMIT_RTPRIO is 0")
    for remedy in remedies { #expect(row.remedy?.contains(remedy) == true) }
  }

  @Test(arguments: [("rtkit", "rr", "RealtimeKit"), ("kernel", "fifo", "the kernel")])
  func `the way by which priority was had is told`(way: String, policy: String, words: String) throws {
    let row = try row("priority") {
      $0.realTime?.way = way
      $0.realTime?.policy = policy
    }
    #expect(row.finding == "real-time priority 10 (\(policy)), from \(words)")
  }

  @Test func `a real-time thread without a limit is a danger, an ordinary one is none`() throws {
    let danger = try row("runaway limit") { $0.realTime?.runtimeLimit = nil }
    #expect(danger.state == .warning)
    #expect(danger.remedy?.contains("LimitRTTIME=200ms") == true)
    let ordinary = try row("runaway limit") {
      $0.realTime?.runtimeLimit = nil
      $0.realTime?.policy = "other"
    }
    #expect(ordinary.state == .note)
  }

  @Test func `memory that may be swapped out is told with the line that lets it be locked`() throws {
    let some = try row("locked memory") {
      $0.memory = .init(wanted: 9 << 20, locked: 8 << 20, limit: 8 << 20, reason: "1024 of 9216 KiB may be swapped out")
    }
    #expect(some.state == .warning)
    #expect(some.finding == "1024 of 9216 KiB may be swapped out")
    // limits.conf(5): memlock is in KiB. 256 MiB, or twice what is wanted.
    #expect(some.remedy?.contains("@audio - memlock 262144\\n") == true)
    let much = try row("locked memory") { $0.memory = .init(wanted: 1 << 30, locked: 0, limit: 0, reason: "all of it") }
    #expect(much.remedy?.contains("@audio - memlock 2097152\\n") == true)
    let unlimited = try row("locked memory") { $0.memory?.limit = nil }
    #expect(unlimited.finding == "all 4096 KiB (RLIMIT_MEMLOCK is unlimited)")
  }

  @Test(arguments: ["priority", "runaway limit", "locked memory", "denormals"])
  func `a daemon that does not tell is to be restarted`(subject: String) throws {
    let row = try row(subject) {
      $0.realTime = nil
      $0.memory = nil
    }
    #expect(row.state == .warning)
    #expect(row.remedy == "systemctl --user restart soundd")
  }

  @Test func `a processor that computes with denormals is worth knowing`() throws {
    #expect(try row("denormals") { $0.realTime?.flushesDenormals = false }.state == .note)
  }

  // MARK: The device

  @Test(arguments: [
    (EBUSY, "fuser"), (EACCES, "usermod -aG audio ada"), (EHOSTDOWN, "systemctl --user start pipewire"),
    (ECONNREFUSED, "systemctl --user start pipewire"), (ELIBACC, "apt install libasound2"), (ENOENT, "aplay -L"),
  ])
  func `a device that does not open is an error, and its reason decides the remedy`(code: Int32, remedy: String) throws
  {
    let row = try row("device") { $0.device.state = .fails("cannot play", code: -code) }
    #expect(row.state == .error)
    #expect(row.finding == "cannot play")
    #expect(row.remedy?.contains(remedy) == true)
  }

  @Test func `no device by the configuration's wish is worth knowing`() throws {
    #expect(try row("device") { $0.device.state = .clock }.state == .note)
  }

  @Test(arguments: [
    (DoctorFindings.Server?.some(.pipewire), "default", DoctorRow.State.note), (.some(.pipewire), "hw:0", .warning),
    (.some(.pulse), "plughw:1", .warning), (nil, "default", .warning),
  ])
  func `cards that may not be opened matter only if no server does it`(
    server: DoctorFindings.Server?, device: String, state: DoctorRow.State
  ) throws {
    let row = try row("sound cards") {
      $0.cards = .init(count: 2, accessible: 0)
      $0.server = server
      $0.device.name = device
    }
    #expect(row.state == state)
    #expect(row.remedy == "sudo usermod -aG audio ada, then log in again")
  }

  @Test func `the sound server is named`() throws {
    #expect(try row("sound server") { $0.server = .pulse }.finding.hasPrefix("PulseAudio"))
    #expect(try row("sound server") { $0.server = nil }.state == .note)
    #expect(try row("sound cards") { $0.cards = .init(count: 0, accessible: 0) }.state == .note)
  }

  // MARK: The machine

  @Test(arguments: [
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "quiet", false, "PREEMPT_DYNAMIC", DoctorRow.State.note),
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "quiet preempt=full threadirqs", false, "preempt=full", .ok),
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "preempt=voluntary", false, "preempt=voluntary", .note),
    ("#1 SMP PREEMPT Fri", "", false, "PREEMPT", .ok), ("#1 SMP Fri", "", false, "no preemption", .note),
    ("#1 SMP PREEMPT_RT Fri", "", false, "PREEMPT_RT", .ok), ("#1 SMP Fri", "", true, "PREEMPT_RT", .ok),
  ])
  func `how the kernel lets itself be interrupted`(
    version: String, commandLine: String, isRealTime: Bool, model: String, state: DoctorRow.State
  ) throws {
    let row = try row("kernel") {
      $0.kernel = .init(version: version, isRealTime: isRealTime, commandLine: commandLine)
    }
    #expect(row.state == state)
    #expect(row.finding.hasPrefix(model))
    #expect(row.finding.contains("interrupts in threads") == commandLine.contains("threadirqs"))
    #expect((row.remedy == nil) == (state == .ok))
  }

  @Test(
    arguments: [
      (["performance"], "acpi-cpufreq", DoctorRow.State.ok), (["schedutil"], "acpi-cpufreq", .ok),
      (["powersave"], "intel_pstate", .ok), (["powersave"], "acpi-cpufreq", .warning),
      (["ondemand", "performance"], "cppc_cpufreq", .warning), ([], nil, .note),
    ] as [([String], String?, DoctorRow.State)])
  func `a processor that sleeps too deep is told`(governors: [String], driver: String?, state: DoctorRow.State) throws {
    let row = try row("processor") { $0.processor = .init(governors: governors, driver: driver) }
    #expect(row.state == state)
    #expect((row.remedy != nil) == (state == .warning))
  }

  @Test func `a slow clock is told, with the fast one if there is one`() throws {
    let slow = try row("clock") { $0.clock = .init(current: "hpet", available: ["tsc", "hpet"]) }
    #expect(slow.state == .warning)
    #expect(slow.remedy?.hasPrefix("echo tsc | sudo tee /sys/") == true)
    #expect(try row("clock") { $0.clock = .init(current: "acpi_pm", available: ["acpi_pm"]) }.remedy == nil)
    #expect(try row("clock") { $0.clock = .init(current: "kvm-clock", available: ["kvm-clock"]) }.state == .ok)
    #expect(try row("clock") { $0.clock = .init(current: nil, available: []) }.state == .note)
  }

  // MARK: The program

  @Test func `where no daemon runs that is no fault, and one that gives no answer is`() throws {
    #expect(try row("daemon") { $0.daemon = .none }.state == .note)
    let mute = try row("daemon") { $0.daemon = .unreachable("soundd on /x does not answer") }
    #expect(mute.state == .warning)
    #expect(mute.finding == "soundd on /x does not answer")
  }

  @Test(arguments: [DoctorFindings.RuntimeFolder.unset, .unusable("/nowhere")])
  func `without a runtime folder nothing is found`(folder: DoctorFindings.RuntimeFolder) throws {
    let row = try row("runtime folder") { $0.runtimeFolder = folder }
    #expect(row.state == .warning)
    #expect(row.remedy?.contains("XDG_RUNTIME_DIR=/run/user/") == true)
  }

  @Test func `a wrong configuration and sounds that are missing are errors on one line`() throws {
    let wrong = try row("configuration") { $0.configuration = .bad("c.toml:1:1: a\nc.toml:2:1: b") }
    #expect(wrong.state == .error)
    #expect(wrong.finding == "c.toml:1:1: a; c.toml:2:1: b")
    #expect(try row("configuration") { $0.configuration = .missing("none") }.state == .note)
    #expect(try row("sounds") { $0.sounds.complaints = ["x is missing"] }.state == .error)
    #expect(try row("sounds") { $0.sounds.folders = [] }.state == .warning)
  }

  // MARK: What is printed

  private let rows = [
    DoctorRow("device", .ok, "opens"), DoctorRow("locked memory", .warning, "some", remedy: "lock \"all\""),
  ]

  @Test func `people get columns, and the remedy below its row`() {
    #expect(
      DoctorRow.text(rows) == """
        ok       device         opens
        warning  locked memory  some
                                → lock "all"
        """)
  }

  @Test func `programs get an object with the worst state and a check for every row`() throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(DoctorRow.json(rows))) as? [String: Any])
    #expect(object["state"] as? String == "warning")
    let checks = try #require(object["checks"] as? [[String: Any]])
    #expect(checks.map { $0["subject"] as? String } == ["device", "locked memory"])
    #expect(checks[0]["remedy"] is NSNull)
    #expect(checks[1]["remedy"] as? String == "lock \"all\"")
    #expect(Set(checks[1].keys) == ["subject", "state", "finding", "remedy"])
  }
}
