import Foundation
import SoundTrigger
import Testing

@testable import soundd

/// What the doctor concludes from facts, in the order of its report.
struct DiagnosisTests {
  private static let good = #"""
    {"version":"1.2.3","executable":"/usr/bin/soundd","uptime":90000000,"muted":false,"volume":0.5,"profile":"full",\#
    "profile_chosen":"full","device":{"name":"hw:0","state":"idle"}}
    """#

  /// A daemon with which all is well.
  private func running(_ status: String = good) throws -> DoctorFacts {
    var facts = DoctorFacts(version: "1.2.3", executable: "/usr/bin/soundd", user: "me", socket: "/run/s.sock")
    facts.daemon = .running(try JSONObject(Array(status.utf8)))
    facts.configuration = [DoctorRow("configuration", .ok, "/c.toml, triggers: 1")]
    facts.device = .init(name: "hw:0", summary: "S16", sink: .init(isMuted: false, percent: 60))
    facts.server = .pipewire
    facts.cards = .init(count: 1)
    facts.sounds.folders = ["/sounds"]
    facts.sources = [.init(value: "build", key: "file", path: "/build", hasContent: true)]
    facts.triggers = [
      .init(
        name: "build", values: "build", changes: 2, lastPlay: "2026-01-31T08:15:07.112204Z",
        lastChange: .init(at: "2026-01-31T08:15:07.112204Z", verdict: "played", reason: "played"))
    ]
    return facts
  }

  /// The rows about one thing.
  private func rows(_ subject: String, _ facts: DoctorFacts) -> [DoctorRow] {
    Diagnosis(facts: facts).rows.filter { $0.subject == subject }
  }

  private func row(_ subject: String, _ facts: DoctorFacts) throws -> DoctorRow {
    try #require(rows(subject, facts).first, "\(Diagnosis(facts: facts).rows)")
  }

  @Test func `if all is well every row is ok, and none has a remedy`() throws {
    let rows = Diagnosis(facts: try running()).rows
    #expect(
      rows.map(\.subject) == [
        "daemon", "configuration", "device", "sound server", "sound cards", "sink", "mute", "volume", "profile",
        "sounds", "sources", "last play",
      ])
    for row in rows {
      #expect(row.state == .ok, "\(row)")
      #expect(row.remedy == nil, "\(row)")
    }
    #expect(rows.first?.finding == "version 1.2.3 has been running for 1 min 30 s on /run/s.sock")
  }

  @Test(
    arguments: [
      // As wpctl, pactl and amixer print them.
      ("Volume: 0.40\n", 40, DoctorRow.State.ok), ("Volume: 0.40 [MUTED]\n", 40, .problem),
      ("Volume: 0.00\n", 0, .problem),
      ("Mute: no\nVolume: front-left: 26214 /  40% / -23.88 dB,   front-right: 26214 /  40% / -23.88 dB\n", 40, .ok),
      ("Mute: yes\nVolume: front-left: 26214 /  40% / -23.88 dB\n", 40, .problem),
      ("  Front Left: Playback 2 [3%] [-40.00dB] [on]\n", 3, .note), ("  Mono: Playback 9 [70%] [off]\n", 70, .problem),
    ] as [(String, Int, DoctorRow.State)])
  func `what the desktop silences is named, with the command that undoes it`(
    text: String, percent: Int, state: DoctorRow.State
  ) throws {
    var facts = try running()
    facts.device.sink = DoctorFacts.Sink(text)
    #expect(facts.device.sink?.percent == percent)
    let found = try row("sink", facts)
    #expect(found.state == state)
    #expect((found.remedy == nil) == (state == .ok))
    facts.device.sink = DoctorFacts.Sink("Connection refused")
    #expect(try row("sink", facts).finding == "not looked at whether it is muted: no program says so")
  }

  @Test(arguments: [
    ("  * node.name = \"bluez_output.AA_BB.1\"", "a Bluetooth device", "300 ms"),
    ("  * node.name = \"alsa_output.pci-0000_01_00.1.hdmi-stereo\"", "a screen", "150 ms"),
  ])
  func `a sink that swallows a beginning comes with the line that wakes it`(
    name: String, what: String, wake: String
  ) throws {
    var facts = try running()
    facts.device.sink = DoctorFacts.Sink("Volume: 0.40\n" + name)
    let found = try row("wake", facts)
    #expect(found.finding == "the sink is \(what), which may swallow the beginning of a sound after a pause")
    #expect(found.remedy == "[output] wake = \"\(wake)\"")
    facts.device.isWoken = true
    #expect(Diagnosis(facts: facts).rows.allSatisfy { $0.subject != "wake" })
  }

  @Test func `a kernel that cannot confine decoders is worth knowing`() throws {
    var facts = try running()
    facts.sounds.areConfined = false
    let found = try row("sounds", facts)
    #expect(found.state == .note && found.finding.contains("seccomp"))
    #expect(found.remedy == "play only files that you trust")
  }

  @Test func `a state that is not saved, and events without a change, are said`() throws {
    let unsaved =
      String(Self.good.dropLast()) + #","state_problem":"the state cannot be saved: write: No space left on device"}"#
    var facts = try running(unsaved)
    facts.state.path = "/my state/soundd/state"
    let full = try row("state", facts)
    #expect(full.finding.hasPrefix("the state cannot be saved: write: No space left"))
    #expect(full.finding.hasSuffix("a restart forgets volume, profile, alarms, throttles and what values held"))
    #expect(full.remedy == "df -h '/my state/soundd'; ls -ld '/my state/soundd'")
    facts.daemon = .running(
      try JSONObject(Array((String(Self.good.dropLast()) + #","state_problem":"/s is of a newer soundd"}"#).utf8)))
    #expect(try row("state", facts).remedy?.hasPrefix("start a soundd that can read it; or forget it: mv ") == true)
    facts = try running()
    facts.sources[0] = .init(value: "build", hasContent: false, isEvent: true)
    facts.triggers[0] = .init(name: "build", values: "build", changes: 0)
    #expect(try row("no change yet", facts).remedy == "send one (soundd set build=1), then run: soundd explain build")
  }

  @Test func `whatever is not ok comes with a remedy`() throws {
    var facts = try running()
    facts.device = .init(name: "hw:0", problem: "gone", code: ENOENT)
    (facts.server, facts.cards) = (nil, .init())
    facts.sources[0].isMissing = true
    facts.triggers[0] = .init(name: "build", values: "build", problem: "lost", changes: 0)
    let rows = Diagnosis(facts: facts).rows.filter { $0.state != .ok }
    #expect(rows.count == 5)
    for row in rows where row.subject != "sound cards" { #expect(row.remedy?.isEmpty == false, "\(row)") }
  }

  // MARK: The daemon

  @Test func `no daemon is a problem, and the remedy starts one`() throws {
    var facts = try running()
    facts.daemon = .none
    let row = try row("daemon", facts)
    #expect(row.state == .problem)
    #expect(row.finding == "none runs on /run/s.sock: nothing plays when a value changes")
    #expect(row.remedy?.contains("systemctl --user enable --now soundd.socket soundd.service") == true)
    #expect(rows("mute", facts) == [])
    facts.daemon = .silent("it stutters")
    #expect(try self.row("daemon", facts).state == .problem)
    #expect(try self.row("daemon", facts).finding == "it stutters")
  }

  @Test(arguments: [
    (
      #"{"version":"1.2.2","executable":"/usr/bin/soundd"}"#, "version 1.2.2 runs on /run/s.sock; this command is 1.2.3"
    ),
    (#"{}"#, "an older version runs on /run/s.sock; this command is 1.2.3"),
    (
      #"{"version":"1.2.3","executable":"/opt/soundd"}"#,
      "/opt/soundd runs on /run/s.sock; this command is /usr/bin/soundd"
    ),
  ])
  func `a daemon that is another program is worth knowing`(status: String, finding: String) throws {
    let row = try row("daemon", running(status))
    #expect(row.state == .note)
    #expect(row.finding == finding)
    #expect(row.remedy?.hasPrefix("systemctl --user restart soundd") == true)
  }

  @Test func `names in remedies are words of a shell`() throws {
    var facts = try running()
    facts.triggers = [.init(name: "it's on", values: "v", changes: 0, isUnheard: true)]
    #expect(
      try row("trigger", facts).remedy
        == #"soundd unmute --trigger 'it'\''s on'; soundd volume --trigger 'it'\''s on' 0dB"#)
    #expect(try row("no change yet", facts).remedy?.hasSuffix(#"soundd explain 'it'\''s on'"#) == true)
  }

  @Test func `a name that begins with a dash is not taken for an option`() throws {
    var facts = try running()
    facts.triggers = [.init(name: "-it's", values: "v", changes: 0, isUnheard: true)]
    #expect(
      try row("trigger", facts).remedy
        == #"soundd unmute --trigger='-it'\''s'; soundd volume --trigger='-it'\''s' 0dB"#)
    #expect(try row("no change yet", facts).remedy?.hasSuffix(#"soundd explain -- '-it'\''s'"#) == true)
    #expect(Diagnosis(facts: facts).remedy(for: "muted", of: "-x") == "soundd unmute; or soundd unmute --trigger=-x")
  }

  // MARK: Mute, volume and profile

  private func changed(_ member: String, _ replacement: String) throws -> DoctorFacts {
    try #require(Self.good.contains(member))
    return try running(Self.good.replacingOccurrences(of: member, with: replacement))
  }

  @Test func `muted, at volume 0 or silent nothing is heard`() throws {
    let muted = try row("mute", changed(#""muted":false"#, #""muted":true"#))
    #expect(muted == DoctorRow("mute", .problem, "soundd is muted: sounds play unheard", remedy: "soundd unmute"))
    let zero = try row("volume", changed(#""volume":0.5"#, #""volume":0"#))
    #expect(zero.state == .problem && zero.remedy == "soundd volume 0dB")
    #expect(try row("volume", changed(#""volume":0.5"#, #""volume":0.005"#)).state == .note)
    let silent = try row("profile", changed(#""profile":"full""#, #""profile":"silent""#))
    #expect(silent.state == .problem && silent.remedy == "soundd profile full")
    #expect(silent.finding == "silent: only sounds of critical importance play")
    #expect(try row("profile", changed(#""profile":"full""#, #""profile":"quiet""#)).state == .note)
    let gated = #""profile":"silent","profile_gate":"presenting","profile_then":"full""#
    let restricted = try row("profile", changed(#""profile":"full""#, gated))
    #expect(restricted.finding == "silent ('presenting' is true, then full): only sounds of critical importance play")
    #expect(restricted.remedy?.hasPrefix("it ends when 'presenting' is no longer true") == true)
  }

  // MARK: Alarms

  private static func alarm(
    _ name: String, _ silence: String, _ why: String, state: String = "suppressed", more: String = ""
  ) -> String {
    #"{"name":"\#(name)","state":"\#(state)","life":"active","silence":"\#(silence)","why":"\#(why)"\#(more)}"#
  }

  private func silenced(_ alarms: String...) throws -> [DoctorRow] {
    let status = String(Self.good.dropLast()) + #","alarms":[\#(alarms.joined(separator: ","))]}"#
    return rows("alarm", try running(status))
  }

  @Test(arguments: [
    ("snoozed", "soundd unsnooze a; or soundd ack a"),
    ("gate", "find out why the value is still true; or soundd ack a"),
    ("profile", "soundd profile full; or a higher 'importance' of the trigger"), ("muted", "soundd unmute"),
    ("volume", "soundd volume 0dB"), ("trigger_muted", "soundd unmute --trigger a"),
    ("trigger_volume", "soundd volume --trigger a 0dB"),
    ("crowded", "[limits] voices in the configuration; or soundd ack a"),
    ("broken", "correct the name ('soundd sounds' lists all) or the file; then it plays at once"),
  ])
  func `what silences an alarm decides the remedy`(silence: String, remedy: String) throws {
    #expect(try silenced(Self.alarm("a", silence, "because")).first?.remedy == remedy)
  }

  @Test func `alarms that one cause silences share a row`() throws {
    let found = try silenced(
      Self.alarm("a", "muted", "soundd is muted"), Self.alarm("z", "gate", "x is true (unless)"),
      Self.alarm("b", "muted", "soundd is muted"), Self.alarm("c", "muted", "soundd is muted"),
      Self.alarm("d", "muted", "soundd is muted"),
      #"{"name":"later","state":"normal","life":"normal","snoozed_until":"2026-01-31T08:15:07.112204Z"}"#)
    #expect(found.count == 3)
    #expect(found[0].finding == "4 alarms are silent: soundd is muted: 'a', 'b', 'c' and 1 more")
    #expect(found[1].finding == "'z' is silent: suppressed: x is true (unless) (active)")
    #expect(found[2].finding.hasPrefix("'later' would not sound: snoozed until "))
    #expect(found[2].state == .note && found[2].remedy == "soundd unsnooze later")
  }

  @Test func `a silence of an alarm that began more than a day ago is a problem, with its age`() throws {
    let status =
      #"{"alarms":[\#(Self.alarm("a", "gate", "x is true (unless)", more: #","since":"2026-01-29T08:15:07.112204Z""#))]}"#
    var facts = try running(status)
    facts.now = try #require(Timestamp("2026-01-31T10:15:07.112204Z"))
    let found = try row("alarm", facts)
    #expect(found.state == .problem && found.finding.hasSuffix(", 2 days 2 h ago)"), "\(found)")
  }

  // MARK: The device

  @Test(arguments: [
    (EBUSY, "hw:0", SoundServer.pulse, "fuser -v /dev/snd/*"),
    (EACCES, "hw:0", .pipewire, "usermod -aG audio me"),
    (EHOSTDOWN, "default", .pipewire, "start pipewire wireplumber"),
    (ECONNREFUSED, "default", .pulse, "systemctl --user start pulseaudio"),
    (ELIBACC, "default", .pipewire, "apt install libasound2"), (ENOENT, "hw:7", .pipewire, "'soundd devices'"),
  ])
  func `why a device does not open decides the remedy`(
    code: Int32, name: String, server: SoundServer, remedy: String
  ) throws {
    var facts = try running()
    facts.server = server
    facts.device = .init(name: name, problem: "cannot play", code: code, since: "2026-01-31T08:15:07.112204Z")
    let row = try row("device", facts)
    #expect(row.state == .problem)
    #expect(row.finding.hasPrefix("cannot play; missing since "))
    #expect(row.remedy?.contains(remedy) == true, "\(row)")
  }

  @Test func `PipeWire without its plugin for ALSA is named, with the package`() throws {
    let remedy = "sudo apt install pipewire-alsa, then systemctl --user restart soundd"
    var facts = try running()
    facts.device.lacksPlugin = true
    #expect(rows("ALSA plugin", facts) == [], "a device of the user's own choice needs none")
    facts.device.name = "default"
    #expect(try row("ALSA plugin", facts).state == .note, "the card plays, past PipeWire")
    for code in [EBUSY, ENOENT] {
      (facts.device.problem, facts.device.code) = ("cannot play", code)
      #expect(try row("ALSA plugin", facts).state == .problem)
      #expect(try row("ALSA plugin", facts).finding.contains("PipeWire runs, and ALSA has no plugin for it"))
      for subject in ["device", "ALSA plugin"] { #expect(try row(subject, facts).remedy == remedy) }
    }
    facts.programs = ["pulseaudio"]
    #expect(
      try row("ALSA plugin", facts).remedy?.contains("libasound2-plugins") == true, "the other would replace PulseAudio"
    )
    facts.device.code = ELIBACC
    #expect(try row("device", facts).remedy == "sudo apt install libasound2", "that comes first")
    facts.device.lacksPlugin = false
    #expect(rows("ALSA plugin", facts) == [])
  }

  @Test func `on a machine without a server and a card the remedy installs one`() throws {
    var facts = try running()
    (facts.server, facts.cards) = (nil, .init())
    #expect(rows("sound server", facts) == [], "a device that opens needs neither")
    facts.device = .init(name: "default", problem: "cannot play", code: ENOENT)
    #expect(try row("device", facts).remedy?.contains("sudo apt install pipewire pipewire-alsa") == true)
    #expect(try row("sound server", facts).state == .note)
    #expect(try row("sound cards", facts).state == .note)
    facts.device.code = EHOSTDOWN
    #expect(try row("device", facts).remedy == row("sound server", facts).remedy, "one remedy, not two")
  }

  // MARK: Which server is missing

  /// Facts of a device that does not open.
  private func silent(
    _ name: String, _ code: Int32, programs: Set<String>, servers: [SoundServer] = [], cards: Int = 0
  ) throws -> DoctorFacts {
    var facts = try running()
    facts.device = .init(name: name, problem: "cannot play", code: code)
    (facts.programs, facts.servers, facts.server) = (programs, servers, servers.first)
    facts.cards = .init(count: cards)
    return facts
  }

  @Test(
    arguments: [
      // PulseAudio is down: never a remedy that replaces it.
      ("default", ENOENT, ["pulseaudio"], [], 0, "systemctl --user start pulseaudio"),
      ("default", ENOENT, ["pulseaudio", "pipewire"], [], 1, "systemctl --user start pulseaudio"),
      ("pulse", ECONNREFUSED, ["pulseaudio", "pipewire"], [.pipewire], 1, "systemctl --user start pulseaudio"),
      ("default", EHOSTDOWN, ["pipewire"], [], 0, "systemctl --user start pipewire wireplumber"),
      ("default", EHOSTDOWN, ["pipewire", "pipewire-pulse"], [.pipewirePulse], 1, "start pipewire wireplumber"),
      // pipewire-pulse is down.
      ("pulse", ECONNREFUSED, ["pipewire", "pipewire-pulse"], [.pipewire], 1, "systemctl --user start pipewire-pulse"),
      ("pulse", ECONNREFUSED, ["pipewire", "pipewire-pulse"], [], 1, "start pipewire wireplumber pipewire-pulse"),
      ("pulse", ECONNREFUSED, ["pipewire"], [.pipewire], 1, "sudo apt install pipewire-pulse"),
      ("jack", ENOENT, ["jackd", "pipewire"], [.pipewire], 1, "start JACK"),
      ("jack:x", ENOENT, ["pipewire"], [.pipewire], 1, "sudo apt install jackd2"),
    ] as [(String, Int32, Set<String>, [SoundServer], Int, String)])
  func `the remedy starts the server that the device needs`(
    name: String, code: Int32, programs: Set<String>, servers: [SoundServer], cards: Int, remedy: String
  ) throws {
    let facts = try silent(name, code, programs: programs, servers: servers, cards: cards)
    let device = try row("device", facts)
    #expect(device.remedy?.contains(remedy) == true, "\(device)")
    let server = try row("sound server", facts)
    #expect(server.state == .note && server.remedy == device.remedy, "\(server)")
  }

  @Test func `the server that the daemon remembers is the one to start`() throws {
    var facts = try silent("default", EHOSTDOWN, programs: ["pipewire", "pulseaudio"], servers: [.pipewire], cards: 1)
    facts.device.server = .pulse
    #expect(try row("device", facts).remedy == "systemctl --user start pulseaudio")
    #expect(try row("sound server", facts).finding == "PulseAudio does not run, and 'default' plays through it")
    facts.isManaged = false
    #expect(try row("device", facts).remedy == "pulseaudio --start")
    facts.device.code = ETIMEDOUT
    #expect(try row("device", facts).remedy == "systemctl --user restart pulseaudio")
  }

  @Test func `a card that plays in the place of an installed server is worth knowing`() throws {
    var facts = try running()
    (facts.server, facts.programs) = (nil, ["pulseaudio"])
    #expect(rows("sound server", facts) == [], "hw:0 never leads to a server")
    facts.device.name = "default"
    let row = try row("sound server", facts)
    #expect(row.state == .note && row.remedy == "systemctl --user start pulseaudio")
    #expect(row.finding.hasPrefix("PulseAudio does not run: 'default' plays without it"))
  }

  @Test func `what ALSA says follows the problem`() throws {
    var facts = try silent("jack", ENOENT, programs: ["jackd"])
    facts.device.detail = "Cannot connect to server socket"
    #expect(try row("device", facts).finding == "cannot play; ALSA says: Cannot connect to server socket")
    #expect(try row("sound server", facts).finding == "JACK does not take connections")
  }

  @Test(
    arguments: [
      (SoundStream.Mixer.pactl, true, 100, DoctorRow.State.problem, "pactl set-sink-input-mute 3 0"),
      (.pactl, false, 0, .problem, "pactl set-sink-input-volume 3 100%"),
      (.wpctl, true, 50, .problem, "wpctl set-mute 3 0"), (.wpctl, false, 4, .note, "wpctl set-volume 3 100%"),
      (.wpctl, false, 100, .ok, nil),
    ] as [(SoundStream.Mixer, Bool, Int, DoctorRow.State, String?)])
  func `soundd's own row in a mixer may silence it`(
    mixer: SoundStream.Mixer, isMuted: Bool, percent: Int, state: DoctorRow.State, remedy: String?
  ) throws {
    var facts = try running()
    facts.device.stream = SoundStream(mixer: mixer, id: 3, isMuted: isMuted, percent: percent)
    let row = try row("stream", facts)
    #expect(row.state == state && row.remedy == remedy, "\(row)")
    facts.device.stream?.isTrial = true
    #expect(
      try self.row("stream", facts).remedy?.hasPrefix("soundd play tick; soundd doctor") ?? false == (remedy != nil))
    facts.device.problem = "cannot play"
    #expect(rows("stream", facts) == [], "the device comes first")
  }

  @Test func `a clock is no device`() throws {
    var facts = try running()
    facts.device = .init(name: "none", summary: "-")
    #expect(try row("device", facts).state == .problem)
    #expect(try row("device", facts).remedy?.contains("device = \"default\"") == true)
  }

  @Test func `cards that may not be opened matter only if the device needs them`() throws {
    var facts = try running()
    facts.cards = .init(count: 2, forbidden: 1)
    #expect(try row("sound cards", facts).state == .note)
    #expect(try row("sound cards", facts).remedy == "sudo usermod -aG audio me, then log in again")
    facts.device = .init(name: "hw:0", problem: "cannot play", code: EACCES)
    #expect(try row("sound cards", facts).state == .problem)
    facts.device.name = "default"
    #expect(try row("sound cards", facts).state == .note, "the server opens them")
  }

  @Test(arguments: [(SoundServer?.none, "alsamixer"), (.pipewire, "wpctl set-mute"), (.pulse, "pactl set-sink-mute")])
  func `after an unheard sound the mixer of this machine comes next`(server: SoundServer?, command: String) throws {
    var facts = try running()
    facts.server = server
    let steps = Diagnosis(facts: facts).whatToTry
    #expect(steps.count == 3)
    #expect(steps.contains { $0.contains(command) })
    #expect(steps.contains { $0.contains("soundd devices") })
    facts.device = .init(name: "none")
    #expect(Diagnosis(facts: facts).whatToTry.first?.hasPrefix("soundd itself: 'none' is a clock") == true)
  }

  // MARK: Sounds and sources

  @Test func `a broken trigger is a problem, an unheard one is worth knowing`() throws {
    var facts = try running()
    facts.triggers[0].problem = "no sound is called 'x'"
    facts.triggers.append(.init(name: "door", values: "door", changes: 1, isUnheard: true))
    #expect(rows("trigger", facts).map(\.state) == [.problem, .note])
    #expect(rows("trigger", facts)[0].finding == "'build' cannot play: no sound is called 'x'")
    #expect(rows("trigger", facts)[1].remedy?.hasPrefix("soundd unmute --trigger door;") == true)
    facts.triggers[0].problem = "\(SoundError.unspoken(text: "hi", reason: "there is no program 'x' in PATH"))"
    #expect(rows("trigger", facts)[0].finding == "'build' cannot say 'hi': there is no program 'x' in PATH")
    #expect(rows("trigger", facts)[0].remedy?.hasPrefix("install the program") == true)
  }

  @Test func `of many findings of a kind five are shown and the others counted`() throws {
    var facts = try running()
    facts.triggers = (1...8).map { .init(name: "t\($0)", values: "v", problem: "lost", changes: 1) }
    #expect(rows("trigger", facts).count == 6)
    #expect(rows("trigger", facts).last == DoctorRow("trigger", .problem, "3 more", remedy: "soundd status"))
  }

  @Test func `a source that this user may not read is a problem`() throws {
    var facts = try running()
    facts.sources[0].problem = PathProblem(finding: "this user may not read /build", remedy: "join", isThere: true)
    #expect(
      try row("source", facts)
        == DoctorRow("source", .problem, "'build': this user may not read /build", remedy: "join"))
    #expect(rows("sources", facts) == [])
    facts.sources[0].problem = PathProblem(finding: "the folder / does not exist", remedy: "create it")
    #expect(try row("source", facts).state == .note)
  }

  @Test func `a missing file says whether it was there`() throws {
    var facts = try running()
    facts.sources[0].isMissing = true
    #expect(try row("source", facts).finding == "'build': /build is not there; the last content stays")
    facts.sources[0].hasContent = false
    #expect(try row("source", facts).finding == "'build': /build does not exist yet")
    facts.sources[0].isMissing = false
    #expect(try row("source", facts).finding == "'build': /build is there, and the value has no content")
  }

  @Test func `refused contents and missing updates are worth knowing`() throws {
    var facts = try running()
    facts.sources[0].refusal = "refused 2, the last: 'x' is not a number"
    #expect(try row("source", facts).finding == "'build': updates refused 2, the last: 'x' is not a number")
    (facts.sources[0].refusal, facts.sources[0].isStale) = (nil, true)
    #expect(try row("source", facts).finding == "'build': overdue: no update came within 'expect_every'")
  }

  @Test func `values with the same problem share a row, and the worst comes first`() throws {
    var facts = try running()
    let gone = PathProblem(finding: "the folder /x does not exist", remedy: "create it")
    let folder = PathProblem(finding: "/log is a folder", remedy: "correct it", isThere: true)
    facts.sources += (1...7).map { .init(value: "v\($0)", key: "file", path: "/x/\($0)", problem: gone) }
    facts.sources.append(.init(value: "log", key: "lines", path: "/log", problem: folder))
    #expect(
      Diagnosis(facts: facts).sources == [
        DoctorRow("source", .problem, "'log': /log is a folder", remedy: "correct it"),
        DoctorRow(
          "source", .note, "'v1', 'v2', 'v3', 'v4', 'v5' and 2 more: the folder /x does not exist", remedy: "create it"),
        DoctorRow("sources", .ok, "files, folders and pipes that can be read: 1"),
      ])
  }

  // MARK: Changes

  @Test func `triggers without a change are named, with what to do`() throws {
    var facts = try running()
    facts.triggers[0].changes = 0
    // An alarm whose condition held at the first look has played without a change.
    #expect(rows("no change yet", facts).isEmpty)
    facts.triggers[0].lastPlay = nil
    #expect(
      try row("no change yet", facts)
        == DoctorRow(
          "no change yet", .note, "triggers that have seen none: 'build'",
          remedy: "change /build, then run: soundd explain build"))
    facts.sources = []
    #expect(try row("no change yet", facts).remedy?.hasPrefix("change build twice") == true)
    // Nobody can set a derived value.
    facts.sources = [.init(value: "build", base: "ci"), .init(value: "ci", base: "json"), .init(value: "json")]
    #expect(try row("no change yet", facts).remedy?.hasPrefix("change json twice") == true)
  }

  @Test func `the latest changes that were silent are shown, the last first, with the reason`() throws {
    var facts = try running()
    facts.triggers = (1...5).map { number in
      .init(
        name: "t\(number)", values: "v", changes: 1,
        lastChange: .init(at: "2026-01-31T08:15:0\(number).000000Z", verdict: "throttled", reason: "too soon"))
    }
    facts.triggers[4].lastChange?.verdict = "played"
    let rows = rows("last silence", facts)
    #expect(rows.count == 3)
    #expect(rows.first?.finding.hasSuffix("'t4': too soon") == true)
    #expect(rows.first?.remedy == "soundd explain t4")
  }

  @Test(arguments: [("muted", "soundd unmute"), ("profile", "soundd profile full"), ("crowded", "[limits] voices")])
  func `a silence that is not the trigger's own has its remedy`(verdict: String, remedy: String) throws {
    var facts = try running()
    facts.triggers[0].lastChange?.verdict = verdict
    #expect(try row("last silence", facts).remedy?.hasPrefix(remedy) == true)
  }

  @Test(arguments: ["played", "starting", "waiting", "delayed", "queued", "appeared"])
  func `what played, may yet play or is no change is no silence`(verdict: String) throws {
    var facts = try running()
    facts.triggers[0].lastChange?.verdict = verdict
    #expect(rows("last silence", facts) == [])
  }
}
