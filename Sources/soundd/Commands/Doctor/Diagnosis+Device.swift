import Glibc
import SoundTrigger

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
      let since = device.since.map { "; missing since \(Table.localTime($0, now: facts.now))" } ?? ""
      return DoctorRow("device", .problem, "\(problem)\(since)", remedy: deviceRemedy)
    }
    let type = device.type.map { " (\($0))" } ?? ""
    return DoctorRow("device", .ok, "'\(device.name)'\(type): \(device.summary ?? "it opens")")
  }

  /// What helps if the device does not open.
  var deviceRemedy: String {
    switch facts.device.code {
    case EBUSY where isWithoutPlugin, ENOENT where isWithoutPlugin, ENXIO where isWithoutPlugin: Self.pluginRemedy
    case EBUSY:
      "'fuser -v /dev/snd/*' shows which program has it; or share it: [output] device = \"default\""
    case EACCES, EPERM: groupRemedy
    case ELIBACC: "sudo apt install libasound2"
    case ETIMEDOUT, EIO: facts.server == nil ? frozenRemedy : frozenServerRemedy
    case EHOSTDOWN, ECONNREFUSED: isWithoutSound ? noSoundRemedy : serverRemedy
    default:
      isWithoutSound
        ? noSoundRemedy
        : "'soundd devices' lists the devices; set one: [output] device = \"…\", then systemctl --user restart soundd"
    }
  }

  /// The devices that lead to PipeWire if its plugin is installed.
  private static let devicesOfPlugin = ["default", "sysdefault", "pipewire"]

  private static let pluginRemedy = "sudo apt install pipewire-alsa, then systemctl --user restart soundd"

  /// Whether the device would lead to PipeWire, which runs, if its plugin were installed. Without it `default` is a card, which one
  /// program at a time can have.
  private var isWithoutPlugin: Bool { facts.device.lacksPlugin && Self.devicesOfPlugin.contains(facts.device.name) }

  var plugin: [DoctorRow] {
    if !isWithoutPlugin { return [] }
    return [
      DoctorRow(
        "ALSA plugin", facts.device.problem == nil ? .note : .problem,
        "PipeWire runs, and ALSA has no plugin for it: '\(facts.device.name)' does not play through PipeWire",
        remedy: Self.pluginRemedy)
    ]
  }

  /// Whether there is neither a server nor a card.
  var isWithoutSound: Bool { facts.server == nil && facts.cards.count == 0 }

  /// What helps if there is neither.
  var noSoundRemedy: String {
    "sudo apt install pipewire pipewire-alsa wireplumber; systemctl --user start pipewire wireplumber"
  }

  private var serverRemedy: String {
    facts.server == .pulse
      ? "systemctl --user start pulseaudio" : "systemctl --user start pipewire wireplumber"
  }

  /// What helps if the device does not answer or stands still, and no server runs.
  private var frozenRemedy: String {
    "what plays behind the device hangs: end or restart it; or set another device ('soundd devices' lists them)"
  }

  /// What helps if a server runs and does not answer.
  private var frozenServerRemedy: String {
    facts.server == .pulse
      ? "systemctl --user restart pulseaudio" : "systemctl --user restart pipewire wireplumber"
  }

  private var groupRemedy: String { "sudo usermod -aG audio \(facts.user), then log in again" }

  var server: [DoctorRow] {
    if let server = facts.server { return [DoctorRow("sound server", .ok, server.rawValue)] }
    // A device that opens needs none.
    if facts.device.problem == nil { return [] }
    return [
      DoctorRow(
        "sound server", .note, "none runs for this user",
        remedy: isWithoutSound ? noSoundRemedy : "if you use PipeWire: systemctl --user start pipewire wireplumber")
    ]
  }

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
    guard let sink = facts.device.sink else {
      let programs = facts.server == nil ? "alsa-utils" : "wireplumber, or pulseaudio-utils"
      return [
        DoctorRow(
          "sink", .note, "not looked at whether it is muted: no program says so", remedy: "sudo apt install \(programs)"
        )
      ]
    }
    let mixer =
      switch facts.server {
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
    guard let sleeper = sink.sleeper, !facts.device.isWoken else { return [volume] }
    return [
      volume,
      DoctorRow(
        "wake", .note, "the sink is \(sleeper.rawValue), which may swallow the beginning of a sound after a pause",
        remedy: "[output] wake = \"\(sleeper.wake)\""),
    ]
  }

  /// What to try if a sound that the device accepted was not heard.
  var whatToTry: [String] {
    let mixer =
      switch facts.server {
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
