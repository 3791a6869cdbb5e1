import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Each check on a machine that was made up: a folder with its `/proc`, `/sys` and `/dev`, and a status.
struct DoctorTests {
  private let folder = TemporaryFolder()

  private func doctor(_ variables: [String: String] = [:]) -> Doctor {
    var all = ["HOME": folder("home"), "XDG_RUNTIME_DIR": folder("run")]
    all.merge(variables) { $1 }
    return Doctor(
      environment: SystemEnvironment(variables: all, workingDirectory: folder.path),
      root: folder.path)
  }

  private func status(_ json: String) throws -> JSONObject { try JSONObject(Array(json.utf8)) }

  private var user: String { doctor().user }

  // MARK: The audio thread

  private static let good = """
    {"realtime":{"policy":"rr","priority":10,"way":"rtkit","runtime_limit":100000,"flushes_denormals":true},\
    "memory":{"wanted_bytes":4194304,"locked_bytes":4194304,"limit_bytes":8388608}}
    """

  @Test func `a daemon that got everything has nothing to mend`() throws {
    let rows = doctor().audioThread(try status(Self.good))
    #expect(rows.map(\.subject) == ["priority", "runaway limit", "locked memory", "denormals"])
    for row in rows {
      #expect(row.state == .ok, "\(row)")
      #expect(row.remedy == nil, "\(row)")
      #expect(!row.finding.isEmpty)
    }
  }

  @Test(arguments: [
    ("not-permitted", ["apt install rtkit", "@audio - rtprio 20", "usermod -aG audio"]),
    ("refused", ["@audio - rtprio 20", "usermod -aG audio"]), ("failed", ["@audio - rtprio 20"]),
    ("silent", ["systemctl status rtkit-daemon", "@audio - rtprio 20"]),
    ("overran", ["systemctl --user restart soundd"]),
    ("taken-away", ["journalctl -u rtkit-daemon"]),
  ])
  func `without real-time priority the row has the reason and what helps against it`(
    obstacle: String, remedies: [String]
  ) throws {
    let row = doctor().priority(
      try status(
        #"{"realtime":{"policy":"other","obstacle":"\#(obstacle)","reason":"RLIMIT_RTPRIO is 0"}}"#))
    #expect(row.state == .warning)
    #expect(row.finding == "no real-time priority: RLIMIT_RTPRIO is 0")
    for remedy in remedies { #expect(row.remedy?.contains(remedy) == true) }
  }

  @Test(arguments: [("rtkit", "rr", "RealtimeKit"), ("kernel", "fifo", "the kernel")])
  func `the row says who granted priority`(way: String, policy: String, words: String) throws {
    let row = doctor().priority(try status(#"{"realtime":{"policy":"\#(policy)","priority":10,"way":"\#(way)"}}"#))
    #expect(row.finding == "real-time priority 10 (\(policy)), from \(words)")
  }

  @Test func `a real-time thread without a limit is a danger, an ordinary one is none`() throws {
    let danger = doctor().runtime(try status(#"{"realtime":{"policy":"fifo"}}"#))
    #expect(danger.state == .warning)
    #expect(danger.remedy?.contains("LimitRTTIME=200ms") == true)
    #expect(doctor().runtime(try status(#"{"realtime":{"policy":"other"}}"#)).state == .note)
  }

  @Test func `memory that may be swapped out has the line that lets it be locked`() throws {
    let some = doctor().lockedMemory(
      try status(#"{"memory":{"wanted_bytes":9437184,"locked_bytes":8388608,"reason":"1024 of 9216 KiB"}}"#))
    #expect(some.state == .warning)
    #expect(some.finding == "1024 of 9216 KiB")
    // limits.conf(5): memlock is in KiB. 256 MiB, or twice what is wanted.
    #expect(some.remedy?.contains("@audio - memlock 262144\\n") == true)
    let much = doctor().lockedMemory(try status(#"{"memory":{"wanted_bytes":1073741824,"locked_bytes":0}}"#))
    #expect(much.remedy?.contains("@audio - memlock 2097152\\n") == true)
    let unlimited = doctor().lockedMemory(try status(#"{"memory":{"wanted_bytes":4194304,"locked_bytes":4194304}}"#))
    #expect(unlimited.finding == "all 4096 KiB (RLIMIT_MEMLOCK is unlimited)")
  }

  @Test func `a daemon that does not say is to be restarted`() throws {
    for row in doctor().audioThread(try status("{}")) {
      #expect(row.state == .warning)
      #expect(row.remedy == "systemctl --user restart soundd")
    }
  }

  @Test func `a processor that computes with denormals is worth knowing`() throws {
    #expect(doctor().denormals(try status(#"{"realtime":{"flushes_denormals":false}}"#)).state == .note)
  }

  // MARK: The device

  @Test(arguments: [
    (EBUSY, "fuser"), (EACCES, "usermod -aG audio"), (EHOSTDOWN, "systemctl --user start pipewire"),
    (ECONNREFUSED, "systemctl --user start pipewire"), (ELIBACC, "apt install libasound2"), (ENOENT, "aplay -L"),
  ])
  func `why a device does not open decides the remedy`(code: Int32, remedy: String) {
    #expect(doctor().remedy(forDevice: -code).contains(remedy))
  }

  @Test func `the daemon's device is a row`() throws {
    let device = doctor().device(
      try status(
        #"{"name":"hw:0","state":"idle","format":"S16","rate":48000,"channels":2,"buffer_frames":480,"period_frames":240}"#
      ))
    #expect(device.state == .ok)
    #expect(device.finding == "'hw:0': S16, 48000 Hz, 2 channels, buffer 480 frames, period 240")
    let missing = doctor().device(try status(#"{"name":"hw:31","state":"missing"}"#))
    #expect(missing.state == .error)
    #expect(missing.remedy?.contains("aplay -L") == true)
    #expect(doctor().device(try status(#"{"name":"none","state":"clock"}"#)).state == .note)
  }

  @Test func `the sound server is named`() {
    #expect(doctor().server.state == .note)
    folder.write("run/pulse/native", "")
    #expect(doctor().server.finding.hasPrefix("PulseAudio"))
    folder.write("run/pipewire-0", "")
    #expect(doctor().server.state == .ok)
    #expect(doctor().server.finding.hasPrefix("PipeWire"))
  }

  @Test func `cards that may not be opened matter only if no server does it`() {
    #expect(doctor().cards(device: "default").state == .note)
    folder.write("dev/snd/pcmC0D0p", "")
    folder.write("dev/snd/pcmC0D0c", "")
    folder.write("dev/snd/pcmC1D0p", "")
    #expect(doctor().cards(device: "default") == DoctorRow("sound cards", .ok, "2 to play on below /dev/snd"))
    // A name that leads nowhere may not be opened, whoever asks.
    unlink(folder("dev/snd/pcmC1D0p"))
    symlink("/nowhere", folder("dev/snd/pcmC1D0p"))
    let row = doctor().cards(device: "default")
    #expect(row.state == .warning)
    #expect(row.finding == "this user may not open 1 of 2 below /dev/snd")
    #expect(row.remedy == "sudo usermod -aG audio \(user), then log in again")
    folder.write("run/pipewire-0", "")
    #expect(doctor().cards(device: "default").state == .note)
    #expect(doctor().cards(device: "plughw:1").state == .warning)
  }

  // MARK: The machine

  @Test(arguments: [
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "quiet", false, "PREEMPT_DYNAMIC", DoctorRow.State.note),
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "quiet preempt=full threadirqs", false, "preempt=full", .ok),
    ("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "preempt=voluntary", false, "preempt=voluntary", .note),
    ("#1 SMP PREEMPT Fri", "", false, "PREEMPT", .ok), ("#1 SMP Fri", "", false, "no preemption", .note),
    ("#1 SMP PREEMPT_RT Fri", "", false, "PREEMPT_RT", .ok), ("#1 SMP Fri", "", true, "PREEMPT_RT", .ok),
  ])
  func `whether drivers can be interrupted decides the row of the kernel`(
    version: String, commandLine: String, isRealTime: Bool, model: String, state: DoctorRow.State
  ) {
    folder.write("proc/sys/kernel/version", version + "\n")
    folder.write("proc/cmdline", commandLine + "\n")
    if isRealTime { folder.write("sys/kernel/realtime", "1\n") }
    let row = doctor().kernel
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
  func `a processor that may be slow is a warning`(governors: [String], driver: String?, state: DoctorRow.State) {
    for (number, governor) in governors.enumerated() {
      let policy = "sys/devices/system/cpu/cpufreq/policy\(number)"
      folder.write("\(policy)/scaling_governor", governor + "\n")
      if let driver { folder.write("\(policy)/scaling_driver", driver + "\n") }
    }
    let row = doctor().processor
    #expect(row.state == state)
    #expect((row.remedy != nil) == (state == .warning))
    if let driver { #expect(row.finding.hasPrefix("\(governors.joined(separator: ", ")) (\(driver))")) }
  }

  @Test func `a slow clock is a warning, with the fast one if there is one`() {
    func row(_ current: String, _ available: String) -> DoctorRow {
      folder.write("sys/devices/system/clocksource/clocksource0/current_clocksource", current + "\n")
      folder.write("sys/devices/system/clocksource/clocksource0/available_clocksource", available + "\n")
      return doctor().clock
    }
    #expect(doctor().clock.state == .note)
    let slow = row("hpet", "tsc hpet")
    #expect(slow.state == .warning)
    #expect(slow.remedy?.hasPrefix("echo tsc | sudo tee /sys/") == true)
    #expect(row("acpi_pm", "acpi_pm").remedy == nil)
    #expect(row("kvm-clock", "kvm-clock").state == .ok)
  }

  // MARK: The program

  @Test func `where no daemon runs that is no fault, and one that gives no answer is`() throws {
    #expect(doctor().askDaemon(nil).row.state == .note)
    #expect(doctor().askDaemon(folder("no.sock")).row.state == .note)
    // A socket's path that leads through a file cannot be asked at all.
    let long = doctor().askDaemon(folder("") + String(repeating: "x", count: 200))
    #expect(long.status == nil)
    #expect(long.row.state == .warning)
  }

  @Test func `without a runtime folder no socket is found`() {
    #expect(doctor(["XDG_RUNTIME_DIR": ""]).runtimeFolder.state == .warning)
    let missing = doctor().runtimeFolder
    #expect(missing.state == .warning)
    #expect(missing.remedy?.contains("XDG_RUNTIME_DIR=/run/user/") == true)
    folder.write("run/x", "")
    #expect(doctor().runtimeFolder == DoctorRow("runtime folder", .ok, folder("run")))
  }

  @Test func `where no state can be kept the row says what is lost`() {
    let unset = doctor(["HOME": ""]).stateFolder
    folder.write("home", "a file in the place of the folder")
    let unusable = doctor().stateFolder
    for row in [unset, unusable] {
      #expect(row.state == .warning)
      #expect(row.finding.hasSuffix("a restart forgets volume, profile, throttles and what values held"))
    }
    #expect(unset.remedy == "export XDG_STATE_HOME=~/.local/state")
    #expect(unusable.remedy?.contains("ls -ld '\(folder("home/.local/state/soundd"))'") == true)
    #expect(doctor(["XDG_STATE_HOME": folder("state")]).stateFolder.state == .ok)
  }

  @Test func `a wrong configuration is an error on one line, a missing one is not`() {
    #expect(doctor(["XDG_CONFIG_DIRS": folder("none")]).readConfiguration(nil).row.state == .note)
    let file = folder.write("c.toml", "[outputt]\n[limitss]\n")
    let wrong = doctor().readConfiguration(file)
    #expect(wrong.row.state == .error)
    #expect(wrong.row.finding.contains("c.toml:1:2: outputt: unknown key"))
    #expect(wrong.row.finding.contains("; \(file):2:2: limitss: unknown key"))
    folder.write("c.toml", "[output]\ndevice = \"hw:0\"\n")
    let good = doctor().readConfiguration(file)
    #expect(good.row == DoctorRow("configuration", .ok, file))
    #expect(good.settings.output.device == "hw:0")
  }

  @Test func `sounds that cannot be played are an error, no folder of sounds a warning`() throws {
    #expect(doctor().sounds(["/a", "/b"], []) == DoctorRow("sounds", .ok, "/a, /b"))
    #expect(doctor().sounds(["/a"], ["x is missing", "y"]).state == .error)
    #expect(doctor().sounds(["/a"], ["x is missing", "y"]).finding == "x is missing; y")
    #expect(doctor().sounds([], []).state == .warning)
    let broken = doctor().brokenTriggers(
      try status(#"{"triggers":[{"name":"a","sound":"x","state":"broken"},{"name":"b","sound":"y","state":"ok"}]}"#))
    #expect(broken == ["trigger 'a' cannot play 'x'"])
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
