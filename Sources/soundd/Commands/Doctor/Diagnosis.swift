import Glibc
import SoundTrigger

/// Judges what `Doctor` has found out: why nothing is heard, in the order in which a person would look. A missing
/// runtime folder comes first, because without it nothing finds the daemon.
///
/// Reads nothing but the facts.
struct Diagnosis {
  /// How many rows of a kind are shown.
  static let mostRows = 5

  let facts: DoctorFacts

  var rows: [DoctorRow] {
    runtimeFolder + [daemon] + configuration + [device] + server + cards + volume + [sounds] + triggers + sources
      + changes
      + stateFolder
  }

  // MARK: The daemon

  var daemon: DoctorRow {
    switch facts.daemon {
    case .none:
      return DoctorRow(
        "daemon", .problem,
        "none runs\(facts.socket.map { " on \($0)" } ?? ""): nothing plays when a value changes",
        remedy: "systemctl --user enable --now soundd.socket soundd.service; or in a terminal: soundd run")
    case .silent(let problem):
      return DoctorRow("daemon", .problem, problem, remedy: "systemctl --user restart soundd")
    case .running(let status):
      let place = facts.socket.map { " on \($0)" } ?? ""
      let version = status.daemonVersion
      if version != "version \(facts.version)" {
        return DoctorRow(
          "daemon", .note, "\(version) runs\(place); this command is \(facts.version)",
          remedy: "systemctl --user restart soundd")
      }
      let executable = status.text("executable") ?? ""
      if executable != facts.executable {
        return DoctorRow(
          "daemon", .note, "\(executable) runs\(place); this command is \(facts.executable)",
          remedy: "systemctl --user restart soundd; 'systemctl --user cat soundd' shows which program it starts")
      }
      let uptime = Duration.microseconds(status.number("uptime") ?? 0).rounded
      return DoctorRow("daemon", .ok, "\(version) has been running for \(uptime)\(place)")
    }
  }

  private var runtimeFolder: [DoctorRow] {
    if facts.runtimeFolder.isUsable { return [] }
    return [
      DoctorRow(
        "runtime folder", facts.status == nil ? .problem : .note,
        facts.runtimeFolder.path.map { "XDG_RUNTIME_DIR is \($0), which is no folder that this user may write in" }
          ?? "XDG_RUNTIME_DIR is not set: neither soundd's socket nor the sound server's is found",
        remedy: "log in through a login manager, ssh or 'machinectl shell', not with su or sudo")
    ]
  }

  private var stateFolder: [DoctorRow] {
    let loss = "a restart forgets volume, profile, throttles and what values held"
    guard let folder = facts.stateFolder.path else {
      return [
        DoctorRow(
          "state folder", .note, "neither XDG_STATE_HOME nor HOME is set to an absolute path: \(loss)",
          remedy: "export XDG_STATE_HOME=~/.local/state")
      ]
    }
    if facts.stateFolder.isUsable { return [] }
    return [
      DoctorRow(
        "state folder", .note, "this user may not write in \(folder): \(loss)",
        remedy: "mkdir -p \(Excerpt.shellWord(folder)); 'ls -ld' shows whose it is")
    ]
  }

  // MARK: The configuration

  var configuration: [DoctorRow] {
    let file = facts.configuration
    var rows: [DoctorRow] = []
    if let path = file.path {
      let use = facts.status == nil ? "" : "; the daemon continues with what it read before"
      let remedy = file.remedy ?? "soundd check \(Excerpt.shellWord(path: path))"
      rows = file.errors.map { DoctorRow("configuration", .problem, $0, remedy: remedy) }
      if let last = rows.indices.last { rows[last].finding += use }
      if rows.isEmpty, file.triggerCount > 0 {
        rows = [DoctorRow("configuration", .ok, "\(path), triggers: \(file.triggerCount)")]
      }
      // A warning says itself what to do.
      rows += file.warnings.map { DoctorRow("configuration", .note, $0) }
    } else {
      rows = [DoctorRow("configuration", .note, "there is none: nothing plays by itself", remedy: "soundd init")]
    }
    if let other = file.other {
      rows.append(
        DoctorRow(
          "configuration", .note, "the daemon does not use \(other)",
          remedy: "systemctl --user restart soundd; or edit \(file.path ?? "the daemon's file")"))
    }
    return rows
  }

  // MARK: Mute, volume and profile

  var volume: [DoctorRow] {
    guard let status = facts.status else { return [] }
    let level = status.volume ?? 1
    let volume =
      if level == 0 {
        DoctorRow("volume", .problem, "the volume is 0: sounds play unheard", remedy: "soundd volume 0dB")
      } else if level < 0.01 {
        DoctorRow("volume", .note, "\(VolumeText.text(level)) is hardly heard", remedy: "soundd volume 0dB")
      } else {
        DoctorRow("volume", .ok, VolumeText.text(level))
      }
    return [
      status.isMuted
        ? DoctorRow("mute", .problem, "soundd is muted: sounds play unheard", remedy: "soundd unmute")
        : DoctorRow("mute", .ok, "not muted"),
      volume, profile(status),
    ]
  }

  static let profileRemedy = "soundd profile full; or a higher 'importance' of the trigger"

  private func profile(_ status: JSONObject) -> DoctorRow {
    switch status.text("profile") {
    case "silent":
      DoctorRow(
        "profile", .problem, "silent: only sounds of critical importance play", remedy: "soundd profile full")
    case "quiet":
      DoctorRow(
        "profile", .note, "\(status.profile(now: facts.now)): only sounds of high or critical importance play",
        remedy: Self.profileRemedy)
    default: DoctorRow("profile", .ok, status.profile(now: facts.now))
    }
  }

  // MARK: Sounds

  var sounds: DoctorRow {
    if facts.soundFolders.isEmpty {
      return DoctorRow(
        "sounds", .note, "there is no folder of sounds: only a path finds a sound",
        remedy: "install soundd's sounds again")
    }
    return DoctorRow("sounds", .ok, facts.soundFolders.joined(separator: ", "))
  }

  /// The triggers that cannot play, and those that play unheard.
  var triggers: [DoctorRow] {
    let broken = facts.triggers.compactMap { trigger in
      trigger.problem.map {
        DoctorRow(
          "trigger", .problem, "'\(trigger.name)' cannot play: \($0)",
          remedy: "correct the name ('soundd sounds' lists all) or the file; then it plays at once")
      }
    }
    let unheard = facts.triggers.filter(\.isUnheard).map { trigger in
      let option = Self.option(trigger.name)
      return DoctorRow(
        "trigger", .note, "'\(trigger.name)' is muted or at volume 0",
        remedy: "soundd unmute \(option); soundd volume \(option) 0dB")
    }
    return Self.abridged(broken + unheard, "soundd status")
  }

  /// The option that names a trigger to a command.
  static func option(_ trigger: String) -> String {
    "--trigger\(trigger.hasPrefix("-") ? "=" : " ")\(Excerpt.shellWord(trigger))"
  }

  /// The command that explains a trigger.
  static func explanation(of trigger: String) -> String {
    "soundd explain \(trigger.hasPrefix("-") ? "-- " : "")\(Excerpt.shellWord(trigger))"
  }

  /// Names for a finding, but no more than `mostRows`.
  static func listed(_ names: [String]) -> String {
    let more = names.count > mostRows ? " and \(names.count - mostRows) more" : ""
    return names.prefix(mostRows).map { "'\($0)'" }.joined(separator: ", ") + more
  }

  /// At most `mostRows`, and a row that says how many more there are and what shows them.
  static func abridged(_ rows: [DoctorRow], _ command: String) -> [DoctorRow] {
    guard rows.count > mostRows, let first = rows.first else { return rows }
    let rest = rows.dropFirst(mostRows)
    let worst = rest.contains { $0.state == .problem } ? DoctorRow.State.problem : .note
    return rows.prefix(mostRows) + [DoctorRow(first.subject, worst, "\(rest.count) more", remedy: command)]
  }
}
