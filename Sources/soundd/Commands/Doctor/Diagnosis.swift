import Glibc
import SoundTrigger
import SoundWire

/// Judges what `Doctor` has found out: why nothing is heard, in the order in which a person would look. A missing
/// runtime folder comes first, because without it nothing finds the daemon.
///
/// Reads nothing but the facts.
struct Diagnosis {
  /// How many rows of a kind are shown.
  static let mostRows = 5

  let facts: DoctorFacts

  var rows: [DoctorRow] {
    facts.runtimeFolder + [daemon] + facts.configuration + [device] + server + plugin + cards + sink + stream
      + (volume + alarms).map(whileRunning) + [sounds] + triggers.map(whileRunning) + feeds + sources + unknown
      + changes
      + facts.state.leftovers + state
  }

  /// A row whose remedy only a running daemon can carry out, if none runs.
  private func whileRunning(_ row: DoctorRow) -> DoctorRow {
    guard facts.status == nil, let remedy = row.remedy, remedy.hasPrefix("soundd ") else { return row }
    var row = row
    row.remedy = "while a daemon runs: \(remedy)"
    return row
  }

  // MARK: The daemon

  static let startRemedy = "systemctl --user enable --now soundd.socket soundd.service; or in a terminal: soundd run"

  var daemon: DoctorRow {
    switch facts.daemon {
    case .none where facts.hasFailedUnit, .silent where facts.hasFailedUnit:
      // systemd refuses a start, until what has failed is forgotten.
      return DoctorRow(
        "daemon", .problem,
        "none runs\(facts.socket.map { " on \($0)" } ?? ""): systemd has given up starting it ('journalctl --user -u soundd' says "
          + "why it ended)",
        remedy: "systemctl --user reset-failed soundd.service soundd.socket; "
          + "systemctl --user start soundd.socket soundd.service")
    case .none:
      return DoctorRow(
        "daemon", .problem,
        "none runs\(facts.socket.map { " on \($0)" } ?? ""): nothing plays when a value changes",
        remedy: Self.startRemedy)
    case .silent(let problem):
      return DoctorRow("daemon", .problem, problem, remedy: "systemctl --user restart soundd")
    case .running(let status):
      let socket = facts.socket.map { " on \($0)" } ?? ""
      let version = status.daemonVersion
      if version != "version \(facts.version)" {
        return DoctorRow(
          "daemon", .note, "\(version) runs\(socket); this command is \(facts.version)",
          remedy: "systemctl --user restart soundd")
      }
      let executable = status.executable ?? ""
      if executable != facts.executable {
        return DoctorRow(
          "daemon", .note, "\(executable) runs\(socket); this command is \(facts.executable)",
          remedy: "systemctl --user restart soundd; 'systemctl --user cat soundd' shows which program it starts")
      }
      let uptime = status.uptime.rounded
      return DoctorRow("daemon", .ok, "\(version) has been running for \(uptime)\(socket)")
    }
  }

  // MARK: Mute, volume and profile

  static let volumeRemedy = "soundd volume 0dB"

  var volume: [DoctorRow] {
    guard let found = facts.level, let profile = facts.profile else { return [] }
    let level = found.volume
    let volume =
      if !PlayLevel.isAudible(level) {
        DoctorRow(
          "volume", .problem, "the volume is \(VolumeText.short(level)): sounds play unheard",
          remedy: Self.volumeRemedy)
      } else if level < 0.01 {
        DoctorRow("volume", .note, "\(VolumeText.text(level)) is hardly heard", remedy: Self.volumeRemedy)
      } else {
        DoctorRow("volume", .ok, VolumeText.text(level))
      }
    // A mute ends with the daemon.
    if facts.status == nil { return [volume, row(of: profile)] }
    return [
      found.isMuted
        ? DoctorRow("mute", .problem, "soundd is muted: sounds play unheard", remedy: "soundd unmute")
        : DoctorRow("mute", .ok, "not muted"),
      volume, row(of: profile),
    ]
  }

  /// What lets more sounds play.
  var profileRemedy: String {
    let importance = "a higher 'importance' of the trigger"
    guard let gate = facts.profile?.gate.map(NameEscape.original) else {
      return "soundd profile full; or \(importance)"
    }
    return "it ends when '\(gate)' is no longer true ([profile] in the configuration); or \(importance)"
  }

  private func row(of profile: ProfileMembers) -> DoctorRow {
    let text = profile.text(now: facts.now)
    return switch profile.profile.kind {
    case .silent:
      DoctorRow(
        "profile", .problem, "\(text): only sounds of critical importance play",
        remedy: profile.gate == nil ? "soundd profile full" : profileRemedy)
    case .quiet:
      DoctorRow(
        "profile", .note, "\(text): only sounds of high or critical importance play",
        remedy: profileRemedy)
    default: DoctorRow("profile", .ok, text)
    }
  }

  private var state: [DoctorRow] {
    guard let problem = facts.stateProblem else { return facts.state.folder }
    return [DoctorRow("state", .note, "\(problem); \(Self.stateLoss)", remedy: stateRemedy(problem))]
  }

  static let stateLoss = "a restart forgets volume, profile, alarms, throttles and what values held"

  private func stateRemedy(_ problem: String) -> String {
    guard let file = facts.state.path.map({ StateFile(path: $0) }) else { return "soundd status" }
    if facts.status?.warnings.contains(where: { $0.code?.kind == .stateLocked }) ?? false {
      return "end the other one: this one saves then; or start one of them with an XDG_STATE_HOME of its own"
    }
    let (path, folder) = (Excerpt.shellWord(path: file.path), Excerpt.shellWord(path: file.folder))
    if problem.hasPrefix(StateKeeper.failed) { return "df -h \(folder); ls -ld \(folder)" }
    return "start a soundd that can read it; or forget it: mv \(path) \(path).old && systemctl --user restart soundd"
  }

  // MARK: Sounds

  var sounds: DoctorRow {
    facts.sounds.areConfined
      ? DoctorRow("sounds", .ok, facts.sounds.folders.joined(separator: ", "))
      : DoctorRow(
        "sounds", .note, "the kernel cannot confine a decoder (seccomp), so a damaged sound file may harm soundd",
        remedy: "play only files that you trust")
  }

  static let soundRemedy = "correct the name ('soundd sounds' lists all) or the file; then it plays at once"

  private static let speechRemedy =
    "install the program, or try by hand what it writes for a text; or name another one: [speech] command"

  /// The triggers that cannot play, and those that play unheard.
  var triggers: [DoctorRow] {
    let broken = facts.triggers.compactMap { trigger in
      trigger.problem.map { problem in
        problem.hasPrefix(SoundError.speechFailed)
          ? DoctorRow(
            "trigger", .problem, "'\(NameEscape.original(trigger.name))' \(problem)", remedy: Self.speechRemedy)
          : DoctorRow(
            "trigger", .problem, "'\(NameEscape.original(trigger.name))' cannot play: \(problem)",
            remedy: Self.soundRemedy)
      }
    }
    let unheard = facts.triggers.filter { $0.level.isMuted || $0.level.isInaudible }.map { trigger in
      let option = Self.option(trigger.name)
      return DoctorRow(
        "trigger", .note, "'\(NameEscape.original(trigger.name))' is muted or at volume 0",
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
  static func listed(_ names: [String]) -> String { Excerpt.listing(names, atMost: mostRows) }

  /// At most `mostRows`, and a row that says how many more there are and what shows them.
  static func abridged(_ rows: [DoctorRow], _ command: String) -> [DoctorRow] {
    guard rows.count > mostRows, let first = rows.first else { return rows }
    let rest = rows.dropFirst(mostRows)
    let worst = rest.contains { $0.state == .problem } ? DoctorRow.State.problem : .note
    return rows.prefix(mostRows) + [DoctorRow(first.subject, worst, "\(rest.count) more", remedy: command)]
  }
}
