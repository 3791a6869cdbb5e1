import Foundation
import SoundTrigger
import SoundWire
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
      (["powersave"], "intel_pstate", .ok), (["powersave"], "acpi-cpufreq", .note),
      (["ondemand", "performance"], "cppc_cpufreq", .note), ([], nil, .note),
    ] as [([String], String?, DoctorRow.State)])
  func `a processor that may be slow is a warning`(governors: [String], driver: String?, state: DoctorRow.State) {
    for (number, governor) in governors.enumerated() {
      let policy = "sys/devices/system/cpu/cpufreq/policy\(number)"
      folder.write("\(policy)/scaling_governor", governor + "\n")
      if let driver { folder.write("\(policy)/scaling_driver", driver + "\n") }
    }
    let row = doctor().processor
    #expect(row.state == state)
    #expect((row.remedy != nil) == (state == .note && driver != nil))
    if let driver { #expect(row.finding.hasPrefix("\(governors.joined(separator: ", ")) (\(driver))")) }
  }

  /// As pw-metadata prints the settings.
  private static func settings(forced: Int) -> String {
    "Found \"settings\" metadata 30\nupdate: id:0 key:'clock.rate' value:'48000' type:''\n"
      + "update: id:0 key:'clock.quantum' value:'1024' type:''\n"
      + "update: id:0 key:'clock.force-quantum' value:'\(forced)' type:''\n"
  }

  @Test(
    arguments: [
      ("", "", DoctorRow.State.note, "PipeWire does not say how often it works"),
      (
        settings(forced: 0), "", .ok,
        "1024 frames (21 ms) while nothing asks for less; soundd asks for less while it plays"
      ),
      (settings(forced: 256), "", .note, "the settings force PipeWire to 256 frames (5 ms), also while soundd plays"),
      (
        settings(forced: 0),
        "\"node.name\": \"sink\"\n\"node.force-quantum\": 4096\n\"node.name\": \"studio\"\n\"node.name\": \"other\"",
        .note,
        "'studio' forces PipeWire to 4096 frames (85 ms), also while soundd plays"
      ),
    ])
  func `what forces PipeWire's quantum is named`(
    settings: String, nodes: String, state: DoctorRow.State, finding: String
  ) {
    let row = Doctor.quantum(settings: settings, nodes: nodes)
    #expect(row.state == state)
    #expect(row.finding == finding)
    #expect((row.remedy == nil) == (state == .ok))
  }

  @Test func `a slow clock is a warning, with the fast one if there is one`() {
    func row(_ current: String, _ available: String) -> DoctorRow {
      folder.write("sys/devices/system/clocksource/clocksource0/current_clocksource", current + "\n")
      folder.write("sys/devices/system/clocksource/clocksource0/available_clocksource", available + "\n")
      return doctor().clock
    }
    #expect(doctor().clock.state == .note)
    let slow = row("hpet", "tsc hpet")
    #expect(slow.state == .note)
    #expect(slow.remedy?.hasPrefix("echo tsc | sudo tee /sys/") == true)
    #expect(row("acpi_pm", "acpi_pm").remedy == nil)
    #expect(row("kvm-clock", "kvm-clock").state == .ok)
  }

  // MARK: Collecting

  private static let withoutDevice = "[output]\ndevice = \"none\"\n"

  private func facts(_ configuration: String = withoutDevice, socket: String? = nil) throws -> DoctorFacts {
    try doctor().facts(configuration: folder.write("c.toml", configuration), socket: socket).facts
  }

  @Test func `a socket on which nobody listens is no daemon, and a path that no socket can have is refused`() throws {
    if case .none = try facts(socket: folder("no.sock")).daemon {} else { Issue.record("somebody answered") }
    // The path of a socket has at most 107 bytes.
    let long = folder("") + String(repeating: "x", count: 90)
    #expect(throws: SocketPath.Problem.self) { try facts(socket: long) }
  }

  @Test func `the folders of the runtime and of the state are looked at`() throws {
    let missing = try #require(try facts().runtimeFolder.first)
    #expect(missing.state == .problem)
    let uid = geteuid()
    #expect(
      missing.finding
        == "XDG_RUNTIME_DIR is \(folder("run")), which is not a folder, and /run/user/\(uid) is missing: neither soundd's "
        + "socket nor the sound server's is found")
    folder.write("run/x", "")
    #expect(try facts().runtimeFolder == [] && facts().state.folder == [])
    folder.write("home", "a file in the place of the folder")
    #expect(
      try facts().state.folder.first?.finding
        == "this user may not write in \(folder("home/.local/state/soundd")): a restart forgets volume, profile, alarms, "
        + "throttles and what values held")
    let file = folder.write("c.toml", Self.withoutDevice)
    let bare = try doctor(["HOME": "", "XDG_RUNTIME_DIR": ""]).facts(configuration: file, socket: nil).facts
    #expect(bare.socket == nil)
    #expect(bare.runtimeFolder.first?.finding.hasPrefix("XDG_RUNTIME_DIR is not set, and /run/user/\(uid) is") == true)
    #expect(bare.state.folder.first?.remedy == "export XDG_STATE_HOME=~/.local/state")
    #expect(Diagnosis(facts: bare).daemon.finding == "none runs: nothing plays when a value changes")
    folder.write("run/user/\(uid)/x", "")
    let found = try #require(
      doctor(["XDG_RUNTIME_DIR": ""]).facts(configuration: file, socket: nil).facts.runtimeFolder.first)
    #expect(found.finding.hasPrefix("XDG_RUNTIME_DIR is not set: soundd's socket is found in /run/user/\(uid), but "))
    #expect(found.remedy == "export XDG_RUNTIME_DIR=/run/user/\(uid)")
  }

  @Test func `the sound server is the one that listens, PipeWire before PulseAudio`() throws {
    #expect(try facts().server == nil)
    try FileManager.default.createDirectory(atPath: folder("run/pulse"), withIntermediateDirectories: true)
    let pulse = try ListeningSocket(path: folder("run/pulse/native"))
    #expect(try facts().server == .pulse && facts().servers == [.pulse])
    do {
      let pipewire = try ListeningSocket(path: folder("run/pipewire-0"))
      #expect(try facts().server == .pipewire && facts().servers == [.pipewire, .pulse])
      _ = consume pipewire
    }
    // As a server leaves it that was killed.
    folder.write("run/pipewire-0", "")
    #expect(try facts().server == .pulse)
    _ = consume pulse
  }

  @Test func `PipeWire without ALSA's plugin for it is found, and the plugin of either server will do`() throws {
    folder.write("run/x", "")
    #expect(try !facts().lacksPlugin)
    let pipewire = try ListeningSocket(path: folder("run/pipewire-0"))
    #expect(try facts().lacksPlugin)
    for server in ["pipewire", "pulse"] {
      let plugin = folder.write("usr/lib/x86_64-linux-gnu/alsa-lib/libasound_module_pcm_\(server).so", "")
      #expect(try facts().lacksPlugin, "its configuration is missing")
      let configuration = folder.write("usr/share/alsa/alsa.conf.d/50-\(server).conf", "")
      #expect(try !facts().lacksPlugin)
      unlink(plugin)
      #expect(try facts().lacksPlugin, "its library is missing")
      unlink(configuration)
    }
    folder.write("usr/lib64/alsa-lib/libasound_module_pcm_pipewire.so", "")
    folder.write("etc/alsa/conf.d/50-pipewire.conf", "")
    #expect(try !facts().lacksPlugin)
    _ = consume pipewire
  }

  @Test func `cards are counted, with those that may not be opened`() throws {
    #expect(try facts().cards == DoctorFacts.Cards(count: 0, forbidden: 0))
    folder.write("dev/snd/pcmC0D0p", "")
    folder.write("dev/snd/pcmC0D0c", "")
    // No user may open a name that leads nowhere.
    symlink("/nowhere", folder("dev/snd/pcmC1D0p"))
    #expect(try facts().cards == DoctorFacts.Cards(count: 2, forbidden: 1))
  }

  /// The rows about a configuration; `status` is that of a running daemon.
  private func configurationRows(_ file: String?, status: StatusMessage? = nil) throws -> [DoctorRow] {
    var facts = DoctorFacts()
    if let status { facts.daemon = .running(status) }
    _ = doctor().read(file, &facts)
    return facts.configuration
  }

  @Test func `without a configuration nothing plays by itself`() throws {
    let finding = "there is none: nothing plays by itself"
    #expect(try configurationRows(nil) == [DoctorRow("configuration", .note, finding, remedy: "soundd init")])
  }

  @Test func `each error of the configuration is a problem, and the daemon continues`() throws {
    let file = folder.write("my files/c.toml", "[outputt]\n[limitss]\n")
    let rows = try configurationRows(file, status: StatusMessage())
    #expect(
      rows.map(\.finding) == [
        "\(file):1:2: outputt: unknown key (did you mean 'output'?)",
        "\(file):2:2: limitss: unknown key (did you mean 'limits'?); the daemon continues with what it read before",
      ])
    #expect(rows.allSatisfy { $0.state == .problem && $0.remedy == "soundd check '\(file)'" })
    #expect(try configurationRows(file).last?.finding.hasSuffix("?)") == true)
  }

  @Test func `a file that cannot be read has a remedy of its own`() throws {
    let file = folder("missing.toml")
    #expect(
      try configurationRows(file) == [
        DoctorRow(
          "configuration", .problem, "cannot read \(file): No such file or directory",
          remedy: "restore it, or write a first one: soundd init")
      ])
  }

  @Test func `what can never sound is worth knowing`() throws {
    let trigger = "[[trigger]]\nvalue = 'a'\nsound = 'tick'\n"
    let rows = try configurationRows(folder.write("unused.toml", "[value.mail]\n" + trigger))
    #expect(rows.map(\.state) == [.ok, .note])
    let empty = try facts()
    #expect(empty.configuration.map(\.state) == [.note])
    #expect(empty.configuration.first?.finding.contains("there is no [[trigger]]") == true)
    #expect(empty.device.name == "none" && empty.device.problem == nil)
  }

  @Test func `without a daemon it says what would be heard, silent or unknown`() throws {
    var saved = SavedState(volume: 0)
    saved.profile = ProfileChoice(profile: .silent)
    let text = """
      [value.disk]
      file = "\(folder.write("disk", "97"))"
      type = "number"
      [value.build]
      command = "make"
      every = "1 h"
      [[trigger]]
      value = "disk"
      above = 90
      loop = true
      sound = "alarm"
      importance = "critical"
      """
    func rows(_ subject: String) throws -> [DoctorRow] {
      Diagnosis(facts: try facts(text)).rows.filter { $0.subject == subject }
    }
    #expect(try rows("alarm").map(\.finding) == ["'disk' would ring: disk is 97"])
    #expect(try rows("values").first?.finding.hasSuffix(": 'build'") == true)
    #expect(try rows("volume").map(\.state) == [.ok])
    try StateFile(path: folder("home/.local/state/soundd/state")).write(saved.bytes)
    #expect(try rows("volume").map(\.remedy) == ["while a daemon runs: soundd volume 0dB"])
    #expect(try rows("profile").map(\.state) == [.problem])
    #expect(try rows("alarm").first?.finding.hasPrefix("'disk' would be silent: ") == true)
    #expect(try rows("mute").isEmpty)
  }

  @Test func `while a daemon runs, its warnings are shown, and no others`() throws {
    let text = "[value.mail]\n[[trigger]]\nvalue = 'a'\nsound = 'tick'\n"
    let file = folder.write("c.toml", text)
    let configuration = try ConfigurationText(file: file, bytes: Array(text.utf8)).configuration(doctor().environment)
    let location = try #require(configuration.ownWarnings.first?.position?.location)
    let reply = """
      [{"code":"unused","message":"in other words","line":\(location.line),"column":\(location.column),\
      "key":"value.mail"},{"code":"not_reloaded","message":"an old error"},{"code":"unchecked","message":"some paths"},\
      {"code":"more","message":"3 more"},{"code":"misspelt","message":"a name","value":"levl"},{"code":"new","message":"x"}]
      """
    var status = StatusMessage()
    status.warnings = try .read(Array(reply.utf8))
    func warnings(of file: String) throws -> [String] {
      try configurationRows(file, status: status).filter { $0.state == .note }.map(\.finding)
    }
    #expect(try warnings(of: file) == ["in other words", "an old error", "a name", "x"])
    // The errors of the file say it already.
    let wrong = folder.write("wrong.toml", "wrong = 1\n[[trigger]]\nvalue = 'a'\nsound = 'tick'\n")
    #expect(try !warnings(of: wrong).contains("an old error"))
  }

  @Test func `what stands in the way of each path is found without a daemon`() throws {
    folder.write("there/file", "x")
    folder.write("there/sub/x", "")
    let sources = try facts(
      """
      [output]
      device = "none"
      [value.good]
      file = "there/file"
      [value.late]
      file = "there/late"
      [value.astray]
      file = "misspelt/file"
      [value.folder]
      lines = "there/sub"
      [value.entries]
      count = "there/file"
      [value.sign]
      exists = "there/late"
      [value.pipe]
      fifo = "there/file"
      [value.new]
      fifo = "there/pipe"
      [value.set]
      [[trigger]]
      value = ["good", "late", "astray", "folder", "entries", "sign", "pipe", "new", "set"]
      sound = "nothing"
      """
    )
    #expect(sources.triggers.first?.problem?.contains("no sound is called 'nothing'") == true)
    #expect(sources.sources.filter(\.isMissing).map(\.value.name) == ["late"])
    let problems = Dictionary(uniqueKeysWithValues: sources.sources.map { ($0.value.name, $0.problem) })
      .compactMapValues(\.self)
    #expect(
      problems.mapValues(\.finding) == [
        "astray": "the folder \(folder("misspelt")) does not exist",
        "entries": "\(folder("there/file")) is no folder", "folder": "\(folder("there/sub")) is a folder",
        "pipe": "\(folder("there/file")) is a file, not a named pipe",
      ])
    #expect(problems["folder"]?.isThere == true && problems["pipe"]?.isThere == true)
    // The path stands there once.
    #expect(sources.configuration.allSatisfy { !$0.finding.contains("misspelt") })
  }

  // MARK: What is printed

  private let rows = [
    DoctorRow("device", .ok, "opens"), DoctorRow("locked memory", .note, "some", remedy: "lock \"all\""),
  ]

  @Test func `people get columns, and the remedy below its row`() {
    #expect(
      DoctorRow.text(rows) == """
        ok       device         opens
        note     locked memory  some
                                → lock "all"
        """)
  }

  @Test func `a finding is broken between words at the width of the terminal, and a remedy never`() {
    let rows = [
      DoctorRow("sounds", .problem, "one two three four five six\nseven", remedy: "a b c d e f g h i j k l m")
    ]
    // The columns take 17 characters, and a finding gets 20 at least.
    #expect(
      DoctorRow.text(rows, width: 10) == """
        problem  sounds  one two three four
                         five six
                         seven
                         → a b c d e f g h i j k l m
        """)
  }

  @Test func `problems come before notes, and notes before what is well; otherwise the order stays`() {
    let rows = [
      DoctorRow("a", .ok, "1"), DoctorRow("b", .note, "2"), DoctorRow("c", .problem, "3"), DoctorRow("d", .note, "4"),
      DoctorRow("e", .problem, "5"), DoctorRow("f", .ok, "6"),
    ]
    #expect(DoctorRow.worstFirst(rows).map(\.subject) == ["c", "e", "b", "d", "a", "f"])
  }

  @Test func `a remedy that helps with several is shown once`() {
    let rows = [
      DoctorRow("a", .problem, "1", remedy: "check"), DoctorRow("a", .problem, "2", remedy: "check"),
      DoctorRow("b", .problem, "3", remedy: "other"), DoctorRow("b", .note, "4", remedy: "other"),
      DoctorRow("c", .note, "5", remedy: "check"),
    ]
    #expect(
      DoctorRow.text(rows) == """
        problem  a  1
        problem  a  2
                    → check
        problem  b  3
                    → other
        note     b  4
        note     c  5
        """)
  }

  @Test func `only the state is coloured`() {
    let lines = DoctorRow.text(
      [DoctorRow("a", .ok, "x"), DoctorRow("b", .note, "y"), DoctorRow("c", .problem, "z")], inColour: true)
    #expect(
      lines == "\u{1B}[32mok     \u{1B}[0m  a  x\n\u{1B}[33mnote   \u{1B}[0m  b  y\n\u{1B}[31mproblem\u{1B}[0m  c  z")
  }

  @Test func `programs get an object with the worst state and a check for every row`() throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(DoctorRow.json(rows))) as? [String: Any])
    #expect(object["state"] as? String == "note")
    let checks = try #require(object["checks"] as? [[String: Any]])
    #expect(checks.map { $0["subject"] as? String } == ["device", "locked memory"])
    #expect(checks[0]["remedy"] is NSNull)
    #expect(checks[1]["remedy"] as? String == "lock \"all\"")
    #expect(Set(checks[1].keys) == ["subject", "state", "finding", "remedy"])
  }
}
