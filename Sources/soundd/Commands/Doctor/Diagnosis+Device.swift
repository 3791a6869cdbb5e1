import Glibc
import SoundTrigger
import SoundWire

/// The device, the sound server and the cards.
extension Diagnosis {
  var device: DoctorRow {
    let device = facts.device
    if device.name == OutputSettings.noDevice {
      return DoctorRow(
        "device", .problem, "'none' is a clock and no device: sounds play unheard",
        remedy: "[output] device = \"default\" in the configuration; then start soundd again, without '--device none'")
    }
    if let problem = device.problem {
      let since = device.since.map { "; missing since \($0.localTime(at: facts.now))" } ?? ""
      let detail = device.detail.map { "; ALSA says: \($0)" } ?? ""
      return DoctorRow("device", .problem, "\(problem)\(since)\(detail)", remedy: deviceRemedy)
    }
    let type = facts.deviceType.map { " (\($0))" } ?? ""
    return DoctorRow("device", .ok, "'\(device.name)'\(type): \(device.summary ?? "it opens")")
  }

  /// What helps if the device does not open.
  var deviceRemedy: String {
    switch Int32(clamping: facts.device.errno ?? 0) {
    case EBUSY where isWithoutPlugin, ENOENT where isWithoutPlugin, ENXIO where isWithoutPlugin: pluginRemedy
    case EBUSY:
      "'fuser -v /dev/snd/*' shows which program has it; or share it: [output] device = \"default\""
    case EACCES, EPERM: groupRemedy
    case ELIBACC: "sudo apt install libasound2"
    case _ where isJack: jackRemedy
    case ETIMEDOUT, EIO: wantedServer.map(restart) ?? frozenRemedy
    case EHOSTDOWN, ECONNREFUSED: isWithoutSound ? noSoundRemedy : start(wantedServer ?? .pipewire)
    default:
      if isWithoutSound {
        noSoundRemedy
      } else if let server = wantedServer, !runs(server) {
        start(server)
      } else {
        "'soundd devices' lists the devices; set one: [output] device = \"…\", then systemctl --user restart soundd"
      }
    }
  }

  // MARK: The sound server

  /// The device's name without its parameters.
  private var deviceKind: Substring { facts.device.name.prefix { $0 != ":" } }

  /// Whether ALSA's plugin for JACK plays the device, as far as its name says.
  private var isJack: Bool { deviceKind == "jack" }

  /// The server that plays the device, would play it, or played it before it ended; `nil` if none does, as far as is known.
  var wantedServer: SoundServer? {
    let device = facts.device
    if let server = device.soundServer { return server }
    let hasPulse = facts.programs.contains("pulseaudio")
    if deviceKind == "pulse" {
      return facts.servers.first { $0 != .pipewire }
        ?? (!hasPulse && facts.programs.contains("pipewire") ? .pipewirePulse : .pulse)
    }
    if deviceKind == "pipewire" { return .pipewire }
    if !SoundServer.mayPlay(device.name) { return nil }
    // PipeWire's plugin says this, even if PulseAudio's socket is there.
    if device.errno == Int(EHOSTDOWN), facts.programs.contains("pipewire") { return .pipewire }
    return facts.server ?? (hasPulse ? .pulse : facts.programs.contains("pipewire") ? .pipewire : nil)
  }

  /// Whether a server takes connections. PulseAudio and pipewire-pulse do so on the same socket.
  private func runs(_ server: SoundServer) -> Bool {
    (facts.servers + [facts.server].compactMap { $0 }).contains { ($0 == .pipewire) == (server == .pipewire) }
  }

  /// The command that starts a server, or installs what is missing of it. It removes no other package.
  private func start(_ server: SoundServer) -> String {
    if server == .pipewirePulse, !facts.programs.isEmpty, !facts.programs.contains("pipewire-pulse") {
      return "sudo apt install pipewire-pulse; or [output] device = \"default\""
    }
    let units = units(of: server)
    if facts.isManaged { return "systemctl --user start \(units.joined(separator: " "))" }
    return server == .pulse ? "pulseaudio --start" : units.map { "\($0) &" }.joined(separator: " ")
  }

  /// The command that restarts a server that does not answer.
  private func restart(_ server: SoundServer) -> String {
    "systemctl --user restart \(units(of: server).joined(separator: " "))"
  }

  private func units(of server: SoundServer) -> [String] {
    switch server {
    case .pulse: ["pulseaudio"]
    case .pipewire: ["pipewire", "wireplumber"]
    case .pipewirePulse: (runs(.pipewire) ? [] : ["pipewire", "wireplumber"]) + ["pipewire-pulse"]
    }
  }

  private var jackRemedy: String {
    facts.programs.isDisjoint(with: ["jackd", "jackdbus"])
      ? "sudo apt install jackd2, and start it; or [output] device = \"default\""
      : "start JACK, for example with qjackctl or: jackd -d alsa"
  }

  /// The devices that lead to the server if its plugin is installed.
  private static let devicesOfPlugin = ["default", "sysdefault", "pipewire", "pulse"]

  /// The command that installs the plugin. PipeWire's plugin would replace PulseAudio.
  private var pluginRemedy: String {
    let isPulse = facts.programs.contains("pulseaudio") || facts.server == .pulse || deviceKind == "pulse"
    return "sudo apt install \(isPulse ? "libasound2-plugins" : "pipewire-alsa"), then systemctl --user restart soundd"
  }

  /// Whether the device would lead to the server, which runs, if its plugin were installed. Without it `default` is a card, which one
  /// program at a time can have.
  private var isWithoutPlugin: Bool { facts.lacksPlugin && Self.devicesOfPlugin.contains(facts.device.name) }

  var plugin: [DoctorRow] {
    if !isWithoutPlugin { return [] }
    let server = facts.server ?? .pipewire
    return [
      DoctorRow(
        "ALSA plugin", facts.device.problem == nil ? .note : .problem,
        "\(server.rawValue) runs, and ALSA has no plugin for it: '\(facts.device.name)' does not play through \(server.rawValue)",
        remedy: pluginRemedy)
    ]
  }

  /// Whether there is neither a server nor a card.
  var isWithoutSound: Bool { facts.server == nil && facts.cards.count == 0 }

  /// What helps if there is neither.
  var noSoundRemedy: String {
    if isJack { return jackRemedy }
    return wantedServer.map(start)
      ?? "sudo apt install pipewire pipewire-alsa wireplumber; systemctl --user start pipewire wireplumber"
  }

  /// What helps if the device does not answer or stands still, and no server runs.
  private var frozenRemedy: String {
    "what plays behind the device hangs: end or restart it; or set another device ('soundd devices' lists them)"
  }

  private var groupRemedy: String { "sudo usermod -aG audio \(facts.user), then log in again" }

  var server: [DoctorRow] {
    let running = facts.server.map { [DoctorRow("sound server", .ok, $0.rawValue)] } ?? []
    let (device, name) = (facts.device, facts.device.name)
    if isJack {
      return device.problem == nil
        ? running : [DoctorRow("sound server", .note, "JACK does not take connections", remedy: jackRemedy)] + running
    }
    if let wanted = wantedServer, !runs(wanted) {
      let server = wanted.rawValue
      let finding =
        device.problem == nil && device.server == nil
        ? "\(server) does not run: '\(name)' plays without it, so other programs may find the card busy"
        : "\(server) does not run, and '\(name)' plays through it"
      return [DoctorRow("sound server", .note, finding, remedy: start(wanted))] + running
    }
    // A device that opens needs none.
    if !running.isEmpty || device.problem == nil { return running }
    return [
      DoctorRow(
        "sound server", .note, "none runs for this user",
        remedy: isWithoutSound ? noSoundRemedy : "if you use PipeWire: systemctl --user start pipewire wireplumber")
    ]
  }

  // MARK: Loudness outside soundd

  var cards: [DoctorRow] {
    let cards = facts.cards
    if cards.count == 0 {
      return facts.device.problem == nil ? [] : [DoctorRow("sound cards", .note, "there is none below /dev/snd")]
    }
    if cards.forbidden == 0 { return [DoctorRow("sound cards", .ok, "\(cards.count) to play on")] }
    // A server that runs as another user, or has its access from the seat, may play all the same.
    let isNeeded = facts.device.problem != nil && (facts.server == nil || facts.device.name.contains("hw:"))
    return [
      DoctorRow(
        "sound cards", isNeeded ? .problem : .note,
        "this user may not open \(cards.forbidden) of \(cards.count) below /dev/snd", remedy: groupRemedy)
    ]
  }

  /// What silences every program. Only a device that opens has a sink.
  var sink: [DoctorRow] {
    let isNeeded = facts.device.problem == nil && facts.device.name != OutputSettings.noDevice
    if !isNeeded || isWithoutSound { return [] }
    guard let sink = facts.sink else {
      let programs =
        (facts.device.soundServer ?? facts.server) == nil ? "alsa-utils" : "wireplumber, or pulseaudio-utils"
      return [
        DoctorRow(
          "sink", .note, "not looked at whether it is muted: no program says so", remedy: "sudo apt install \(programs)"
        )
      ]
    }
    let mixer =
      switch facts.device.soundServer ?? facts.server {
      case .pipewire, .pipewirePulse:
        ("wpctl set-mute @DEFAULT_AUDIO_SINK@ 0", "wpctl set-volume @DEFAULT_AUDIO_SINK@ 60%")
      case .pulse: ("pactl set-sink-mute @DEFAULT_SINK@ 0", "pactl set-sink-volume @DEFAULT_SINK@ 60%")
      case nil: ("amixer set Master unmute", "amixer set Master 60%")
      }
    if sink.isMuted {
      return [DoctorRow("sink", .problem, "the desktop has muted it: nothing is heard", remedy: mixer.0)]
    }
    if sink.percent < 5 {
      return [
        DoctorRow(
          "sink", sink.percent == 0 ? .problem : .note, "its volume is \(sink.percent) %: nothing is heard, or hardly",
          remedy: mixer.1)
      ]
    }
    let volume = DoctorRow("sink", .ok, "not muted, volume \(sink.percent) %")
    guard let sleeper = sink.sleeper, !facts.isWoken else { return [volume] }
    return [
      volume,
      DoctorRow(
        "wake", .note, "the sink is \(sleeper.rawValue), which may swallow the beginning of a sound after a pause",
        remedy: "[output] wake = \"\(sleeper.wake)\""),
    ]
  }

  /// Mute and volume of soundd's own stream, which a desktop's mixer shows for soundd or for all notifications.
  var stream: [DoctorRow] {
    guard let stream = facts.stream, facts.device.problem == nil else { return [] }
    let place = "in the sound server's mixer, which keeps that for all notifications, over restarts"
    if stream.isMuted {
      return [DoctorRow("stream", .problem, "soundd is muted \(place)", remedy: stream.remedies.mute)]
    }
    if stream.percent < 5 {
      return [
        DoctorRow(
          "stream", stream.percent == 0 ? .problem : .note, "soundd's volume is \(stream.percent) % \(place)",
          remedy: stream.remedies.volume)
      ]
    }
    return [DoctorRow("stream", .ok, "soundd is not muted in the sound server's mixer, volume \(stream.percent) %")]
  }

  /// What to try if a sound that the device accepted was not heard.
  var whatToTry: [String] {
    let mixer =
      switch facts.device.soundServer ?? facts.server {
      case .pipewire, .pipewirePulse:
        "PipeWire's output and volume: wpctl status; then wpctl set-mute @DEFAULT_AUDIO_SINK@ 0 and "
          + "wpctl set-volume @DEFAULT_AUDIO_SINK@ 60%"
      case .pulse:
        "PulseAudio's output and volume: pactl list short sinks; then pactl set-sink-mute @DEFAULT_SINK@ 0 and "
          + "pactl set-sink-volume @DEFAULT_SINK@ 60%"
      case nil: "The card's volume: alsamixer; M switches mute, F6 chooses the card (sudo apt install alsa-utils)"
      }
    let own: String? =
      if let row = (volume + [device]).first(where: { $0.state == .problem }), let remedy = row.remedy {
        "soundd itself: \(row.finding): \(remedy)"
      } else {
        nil
      }
    return [own].compactMap { $0 } + [
      "Loudspeakers or headphones: are they switched on, plugged in and turned up?",
      mixer,
      "Another device: soundd devices; try one with soundd play success --local --device NAME",
    ]
  }
}
