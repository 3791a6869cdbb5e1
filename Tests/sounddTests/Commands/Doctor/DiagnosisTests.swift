import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// What the doctor concludes from facts, in the order of its report.
struct DiagnosisTests {
  private static let time = Timestamp(seconds: 1_769_847_307, nanoseconds: 112_204_000)

  /// The status of a daemon with which all is well.
  private static var good: StatusMessage {
    var status = StatusMessage()
    (status.version, status.executable, status.uptime) = ("1.2.3", "/usr/bin/soundd", .seconds(90))
    (status.device.name, status.device.state) = ("hw:0", Word(.idle))
    status.level.volume = 0.5
    return status
  }

  /// A daemon with which all is well, except what `change` does to its status.
  private func running(_ change: (inout StatusMessage) -> Void = { _ in }) throws -> DoctorFacts {
    var facts = DoctorFacts(version: "1.2.3", executable: "/usr/bin/soundd", user: "me", socket: "/run/s.sock")
    var status = Self.good
    change(&status)
    // As the doctor reads it.
    facts.daemon = .running(try StatusMessage(status.json))
    facts.configuration = [DoctorRow("configuration", .ok, "/c.toml, triggers: 1")]
    facts.device = status.device
    facts.sink = .init(isMuted: false, percent: 60)
    facts.server = .pipewire
    facts.cards = .init(count: 1)
    facts.sounds.folders = ["/sounds"]
    facts.sources = [Self.source("build", "file /build", hasContent: true)]
    facts.triggers = [Self.trigger("build", values: "build", changes: 2)]
    facts.triggers[0].last = Self.time
    facts.triggers[0].lastChange = Self.change(.played, "played")
    return facts
  }

  private static func source(
    _ name: String, _ source: String, hasContent: Bool = false, problem: PathProblem? = nil
  ) -> DoctorFacts.Source {
    var value = ValueMessage()
    (value.name, value.source) = (name, source)
    if hasContent { value.value = RawJSON { $0.string("passed") } }
    var found = DoctorFacts.Source(value)
    found.problem = problem
    return found
  }

  private static func trigger(
    _ name: String, values: String = "v", changes: Int = 0, problem: String? = nil, isMuted: Bool = false
  ) -> TriggerMessage {
    var trigger = TriggerMessage()
    (trigger.name, trigger.value, trigger.changes) = (name, values, changes)
    (trigger.problem, trigger.level.isMuted) = (problem, isMuted)
    return trigger
  }

  private static func change(_ verdict: VerdictWord, _ reason: String, at time: Timestamp = time) -> VerdictMessage {
    var change = VerdictMessage()
    (change.at, change.judged.verdict, change.judged.reason) = (time, Word(verdict), reason)
    return change
  }

  /// A device; a `problem` says that it is missing.
  private static func device(_ name: String, problem: String? = nil, errno: Int32? = nil) -> DeviceMessage {
    var device = DeviceMessage()
    (device.name, device.problem, device.errno) = (name, problem, errno.map { Int($0) })
    device.state = Word(problem == nil ? .idle : .missing)
    return device
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
    facts.sink = DoctorFacts.Sink(text)
    #expect(facts.sink?.percent == percent)
    let found = try row("sink", facts)
    #expect(found.state == state)
    #expect((found.remedy == nil) == (state == .ok))
    facts.sink = DoctorFacts.Sink("Connection refused")
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
    facts.sink = DoctorFacts.Sink("Volume: 0.40\n" + name)
    let found = try row("wake", facts)
    #expect(found.finding == "the sink is \(what), which may swallow the beginning of a sound after a pause")
    #expect(found.remedy == "[output] wake = \"\(wake)\"")
    facts.isWoken = true
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
    var facts = try running { $0.stateProblem = "the state cannot be saved: write: No space left on device" }
    facts.state.path = "/my state/soundd/state"
    let full = try row("state", facts)
    #expect(full.finding.hasPrefix("the state cannot be saved: write: No space left"))
    #expect(full.finding.hasSuffix("a restart forgets volume, profile, alarms, throttles and what values held"))
    #expect(full.remedy == "df -h '/my state/soundd'; ls -ld '/my state/soundd'")
    facts.daemon = try running { $0.stateProblem = "/s is of a newer soundd" }.daemon
    #expect(try row("state", facts).remedy?.hasPrefix("start a soundd that can read it; or forget it: mv ") == true)
    facts = try running()
    facts.sources[0] = Self.source("build", "socket")
    facts.sources[0].value.type = "event"
    facts.triggers[0] = Self.trigger("build", values: "build")
    #expect(try row("no change yet", facts).remedy == "send one (soundd set build=1), then run: soundd explain build")
  }

  @Test func `whatever is not ok comes with a remedy`() throws {
    var facts = try running()
    facts.device = Self.device("hw:0", problem: "gone", errno: ENOENT)
    (facts.server, facts.cards) = (nil, .init())
    facts.sources[0].isMissing = true
    facts.triggers[0] = Self.trigger("build", values: "build", problem: "lost")
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
    ("1.2.2", "/usr/bin/soundd", "version 1.2.2 runs on /run/s.sock; this command is 1.2.3"),
    (nil, nil, "an older version runs on /run/s.sock; this command is 1.2.3"),
    ("1.2.3", "/opt/soundd", "/opt/soundd runs on /run/s.sock; this command is /usr/bin/soundd"),
  ])
  func `a daemon that is another program is worth knowing`(
    version: String?, executable: String?, finding: String
  ) throws {
    let row = try row("daemon", running { ($0.version, $0.executable) = (version, executable) })
    #expect(row.state == .note)
    #expect(row.finding == finding)
    #expect(row.remedy?.hasPrefix("systemctl --user restart soundd") == true)
  }

  @Test func `names in remedies are words of a shell`() throws {
    var facts = try running()
    facts.triggers = [Self.trigger("it's on", isMuted: true)]
    #expect(
      try row("trigger", facts).remedy
        == #"soundd unmute --trigger 'it'\''s on'; soundd volume --trigger 'it'\''s on' 0dB"#)
    #expect(try row("no change yet", facts).remedy?.hasSuffix(#"soundd explain 'it'\''s on'"#) == true)
  }

  @Test func `a name that begins with a dash is not taken for an option`() throws {
    var facts = try running()
    facts.triggers = [Self.trigger("-it's", isMuted: true)]
    #expect(
      try row("trigger", facts).remedy
        == #"soundd unmute --trigger='-it'\''s'; soundd volume --trigger='-it'\''s' 0dB"#)
    #expect(try row("no change yet", facts).remedy?.hasSuffix(#"soundd explain -- '-it'\''s'"#) == true)
    #expect(
      Diagnosis(facts: facts).remedy(for: Word(.muted), of: "-x") == "soundd unmute; or soundd unmute --trigger=-x")
  }

  // MARK: Mute, volume and profile

  @Test func `muted, at volume 0 or silent nothing is heard`() throws {
    let muted = try row("mute", running { $0.level.isMuted = true })
    #expect(muted == DoctorRow("mute", .problem, "soundd is muted: sounds play unheard", remedy: "soundd unmute"))
    let zero = try row("volume", running { $0.level.volume = 0 })
    #expect(zero.state == .problem && zero.remedy == "soundd volume 0dB")
    #expect(try row("volume", running { $0.level.volume = 0.005 }).state == .note)
    let silent = try row("profile", running { $0.profile.profile = Word(.silent) })
    #expect(silent.state == .problem && silent.remedy == "soundd profile full")
    #expect(silent.finding == "silent: only sounds of critical importance play")
    #expect(try row("profile", running { $0.profile.profile = Word(.quiet) }).state == .note)
    let restricted = try row(
      "profile",
      running {
        ($0.profile.profile, $0.profile.gate, $0.profile.then) = (Word(.silent), "presenting", Word(.full))
      })
    #expect(restricted.finding == "silent ('presenting' is true, then full): only sounds of critical importance play")
    #expect(restricted.remedy?.hasPrefix("it ends when 'presenting' is no longer true") == true)
  }

  // MARK: Alarms

  /// An alarm that would sound.
  private static func alarm(_ name: String, _ silence: SilenceCause, _ why: String) -> AlarmMessage {
    var alarm = AlarmMessage()
    (alarm.name, alarm.state, alarm.life) = (name, Word(.suppressed), Word(.active))
    (alarm.silence, alarm.why) = (Word(silence), why)
    return alarm
  }

  /// Facts of `now`, of a daemon with these alarms.
  private func running(_ alarms: [AlarmMessage], now: Timestamp = .now()) throws -> DoctorFacts {
    var facts = try running { status in
      status.alarms = alarms
      for index in alarms.indices { status.alarms[index].makeSentence(now: now) }
    }
    facts.now = now
    return facts
  }

  private func silenced(_ alarms: AlarmMessage...) throws -> [DoctorRow] { rows("alarm", try running(alarms)) }

  @Test(arguments: [
    (SilenceCause.snoozed, "soundd unsnooze a; or soundd ack a"),
    (.gate, "find out why the value is still true; or soundd ack a"),
    (.profile, "soundd profile full; or a higher 'importance' of the trigger"), (.muted, "soundd unmute"),
    (.volume, "soundd volume 0dB"), (.triggerMuted, "soundd unmute --trigger a"),
    (.triggerVolume, "soundd volume --trigger a 0dB"),
    (.crowded, "[limits] voices in the configuration; or soundd ack a"),
    (.broken, "correct the name ('soundd sounds' lists all) or the file; then it plays at once"),
  ])
  func `what silences an alarm decides the remedy`(silence: SilenceCause, remedy: String) throws {
    #expect(try silenced(Self.alarm("a", silence, "because")).first?.remedy == remedy)
  }

  @Test func `alarms that one cause silences share a row`() throws {
    var later = AlarmMessage()
    (later.name, later.snoozedUntil) = ("later", Self.time)
    let found = try silenced(
      Self.alarm("a", .muted, "soundd is muted"), Self.alarm("z", .gate, "x is true (unless)"),
      Self.alarm("b", .muted, "soundd is muted"), Self.alarm("c", .muted, "soundd is muted"),
      Self.alarm("d", .muted, "soundd is muted"), later)
    #expect(found.count == 3)
    #expect(found[0].finding == "4 alarms are silent: soundd is muted: 'a', 'b', 'c' and 1 more")
    #expect(found[1].finding == "'z' is silent: suppressed: x is true (unless) (active)")
    #expect(found[2].finding.hasPrefix("'later' would not sound: snoozed until "))
    #expect(found[2].state == .note && found[2].remedy == "soundd unsnooze later")
  }

  @Test func `a silence of an alarm that began more than a day ago is a problem, with its age`() throws {
    var alarm = Self.alarm("a", .gate, "x is true (unless)")
    alarm.since = Timestamp(seconds: Self.time.seconds - 2 * 86_400)
    let found = try row("alarm", running([alarm], now: Timestamp(seconds: Self.time.seconds + 2 * 3600)))
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
    facts.device = Self.device(name, problem: "cannot play", errno: code)
    facts.device.since = Self.time
    let row = try row("device", facts)
    #expect(row.state == .problem)
    #expect(row.finding.hasPrefix("cannot play; missing since "))
    #expect(row.remedy?.contains(remedy) == true, "\(row)")
  }

  @Test func `PipeWire without its plugin for ALSA is named, with the package`() throws {
    let remedy = "sudo apt install pipewire-alsa, then systemctl --user restart soundd"
    var facts = try running()
    facts.lacksPlugin = true
    #expect(rows("ALSA plugin", facts) == [], "a device of the user's own choice needs none")
    facts.device.name = "default"
    #expect(try row("ALSA plugin", facts).state == .note, "the card plays, past PipeWire")
    for code in [EBUSY, ENOENT] {
      (facts.device.problem, facts.device.errno) = ("cannot play", Int(code))
      #expect(try row("ALSA plugin", facts).state == .problem)
      #expect(try row("ALSA plugin", facts).finding.contains("PipeWire runs, and ALSA has no plugin for it"))
      for subject in ["device", "ALSA plugin"] { #expect(try row(subject, facts).remedy == remedy) }
    }
    facts.programs = ["pulseaudio"]
    #expect(
      try row("ALSA plugin", facts).remedy?.contains("libasound2-plugins") == true, "the other would replace PulseAudio"
    )
    facts.device.errno = Int(ELIBACC)
    #expect(try row("device", facts).remedy == "sudo apt install libasound2", "that comes first")
    facts.lacksPlugin = false
    #expect(rows("ALSA plugin", facts) == [])
  }

  @Test func `on a machine without a server and a card the remedy installs one`() throws {
    var facts = try running()
    (facts.server, facts.cards) = (nil, .init())
    #expect(rows("sound server", facts) == [], "a device that opens needs neither")
    facts.device = Self.device("default", problem: "cannot play", errno: ENOENT)
    #expect(try row("device", facts).remedy?.contains("sudo apt install pipewire pipewire-alsa") == true)
    #expect(try row("sound server", facts).state == .note)
    #expect(try row("sound cards", facts).state == .note)
    facts.device.errno = Int(EHOSTDOWN)
    #expect(try row("device", facts).remedy == row("sound server", facts).remedy, "one remedy, not two")
  }

  // MARK: Which server is missing

  /// Facts of a device that does not open.
  private func silent(
    _ name: String, _ code: Int32, programs: Set<String>, servers: [SoundServer] = [], cards: Int = 0
  ) throws -> DoctorFacts {
    var facts = try running()
    facts.device = Self.device(name, problem: "cannot play", errno: code)
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
    facts.device.server = "PulseAudio"
    #expect(try row("device", facts).remedy == "systemctl --user start pulseaudio")
    #expect(try row("sound server", facts).finding == "PulseAudio does not run, and 'default' plays through it")
    facts.isManaged = false
    #expect(try row("device", facts).remedy == "pulseaudio --start")
    facts.device.errno = Int(ETIMEDOUT)
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
    facts.stream = SoundStream(mixer: mixer, id: 3, isMuted: isMuted, percent: percent)
    let row = try row("stream", facts)
    #expect(row.state == state && row.remedy == remedy, "\(row)")
    facts.stream?.isTrial = true
    #expect(
      try self.row("stream", facts).remedy?.hasPrefix("soundd play tick; soundd doctor") ?? false == (remedy != nil))
    facts.device.problem = "cannot play"
    #expect(rows("stream", facts) == [], "the device comes first")
  }

  @Test func `a clock is no device`() throws {
    var facts = try running()
    facts.device = Self.device("none")
    #expect(try row("device", facts).state == .problem)
    #expect(try row("device", facts).remedy?.contains("device = \"default\"") == true)
  }

  @Test func `cards that may not be opened matter only if the device needs them`() throws {
    var facts = try running()
    facts.cards = .init(count: 2, forbidden: 1)
    #expect(try row("sound cards", facts).state == .note)
    #expect(try row("sound cards", facts).remedy == "sudo usermod -aG audio me, then log in again")
    facts.device = Self.device("hw:0", problem: "cannot play", errno: EACCES)
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
    facts.device = Self.device("none")
    #expect(Diagnosis(facts: facts).whatToTry.first?.hasPrefix("soundd itself: 'none' is a clock") == true)
  }

  // MARK: Sounds and sources

  @Test func `a broken trigger is a problem, an unheard one is worth knowing`() throws {
    var facts = try running()
    facts.triggers[0].problem = "no sound is called 'x'"
    facts.triggers.append(Self.trigger("door", values: "door", changes: 1, isMuted: true))
    #expect(rows("trigger", facts).map(\.state) == [.problem, .note])
    #expect(rows("trigger", facts)[0].finding == "'build' cannot play: no sound is called 'x'")
    #expect(rows("trigger", facts)[1].remedy?.hasPrefix("soundd unmute --trigger door;") == true)
    facts.triggers[0].problem = "\(SoundError.unspoken(text: "hi", reason: "there is no program 'x' in PATH"))"
    #expect(rows("trigger", facts)[0].finding == "'build' cannot say 'hi': there is no program 'x' in PATH")
    #expect(rows("trigger", facts)[0].remedy?.hasPrefix("install the program") == true)
  }

  @Test func `of many findings of a kind five are shown and the others counted`() throws {
    var facts = try running()
    facts.triggers = (1...8).map { Self.trigger("t\($0)", changes: 1, problem: "lost") }
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
    facts.sources[0].value.value = nil
    #expect(try row("source", facts).finding == "'build': /build does not exist yet")
    facts.sources[0].isMissing = false
    #expect(try row("source", facts).finding == "'build': /build is there, and the value has no content")
  }

  @Test func `refused contents and missing updates are worth knowing`() throws {
    var facts = try running()
    facts.sources[0].value.refusals = RefusalMembers(count: 2, last: "'x' is not a number")
    #expect(try row("source", facts).finding == "'build': updates refused 2, the last: 'x' is not a number")
    (facts.sources[0].value.refusals, facts.sources[0].value.stale) = (RefusalMembers(count: 0), true)
    #expect(try row("source", facts).finding == "'build': overdue: no update came within 'expect_every'")
  }

  @Test func `values with the same problem share a row, and the worst comes first`() throws {
    var facts = try running()
    let gone = PathProblem(finding: "the folder /x does not exist", remedy: "create it")
    let folder = PathProblem(finding: "/log is a folder", remedy: "correct it", isThere: true)
    facts.sources += (1...7).map { Self.source("v\($0)", "file /x/\($0)", problem: gone) }
    facts.sources.append(Self.source("log", "lines /log", problem: folder))
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
    facts.triggers[0].last = nil
    #expect(
      try row("no change yet", facts)
        == DoctorRow(
          "no change yet", .note, "triggers that have seen none: 'build'",
          remedy: "change /build, then run: soundd explain build"))
    facts.sources = []
    #expect(try row("no change yet", facts).remedy?.hasPrefix("change build twice") == true)
    // Nobody can set a derived value.
    facts.sources = [Self.source("build", "of ci"), Self.source("ci", "of json"), Self.source("json", "socket")]
    #expect(try row("no change yet", facts).remedy?.hasPrefix("change json twice") == true)
  }

  @Test func `the latest changes that were silent are shown, the last first, with the reason`() throws {
    var facts = try running()
    facts.triggers = (1...5).map { number in
      var trigger = Self.trigger("t\(number)", changes: 1)
      trigger.lastChange = Self.change(.throttled, "too soon", at: Timestamp(seconds: Int64(number)))
      return trigger
    }
    facts.triggers[4].lastChange?.judged.verdict = Word(.played)
    let rows = rows("last silence", facts)
    #expect(rows.count == 3)
    #expect(rows.first?.finding.hasSuffix("'t4': too soon") == true)
    #expect(rows.first?.remedy == "soundd explain t4")
  }

  @Test(arguments: [
    (VerdictWord.muted, "soundd unmute"), (.profile, "soundd profile full"), (.crowded, "[limits] voices"),
  ])
  func `a silence that is not the trigger's own has its remedy`(verdict: VerdictWord, remedy: String) throws {
    var facts = try running()
    facts.triggers[0].lastChange?.judged.verdict = Word(verdict)
    #expect(try row("last silence", facts).remedy?.hasPrefix(remedy) == true)
  }

  @Test(arguments: [VerdictWord.played, .starting, .waiting, .delayed, .queued, .appeared])
  func `what played, may yet play or is no change is no silence`(verdict: VerdictWord) throws {
    var facts = try running()
    facts.triggers[0].lastChange?.judged.verdict = Word(verdict)
    #expect(rows("last silence", facts) == [])
  }
}
