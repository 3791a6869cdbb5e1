import Glibc
import SoundTrigger

/// Judges findings: what is as low latency needs it, what stands in its way, and what to do. Pure.
struct Doctor {
  let findings: DoctorFindings

  /// All of it, what everything else depends on first.
  var rows: [DoctorRow] {
    [
      daemon, runtimeFolder, stateFolder, configuration, sounds, device, server, cards, priority, runtime, memory,
      denormals, kernel,
      processor, clock,
    ]
  }

  // MARK: The program

  private var daemon: DoctorRow {
    let place = findings.socket.map { "on \($0)" } ?? "that could be asked"
    switch findings.daemon {
    case .running: return DoctorRow("daemon", .ok, "one runs \(place): the device, priority and memory are its own")
    case .none:
      return DoctorRow(
        "daemon", .note, "none runs \(place): the device, priority and memory are those of this command",
        remedy: "systemctl --user start soundd")
    case .unreachable(let reason):
      return DoctorRow("daemon", .warning, reason, remedy: "systemctl --user status soundd")
    }
  }

  private var runtimeFolder: DoctorRow {
    let subject = "runtime folder"
    let remedy =
      "log in through PAM (a login manager, ssh, 'machinectl shell'), or export XDG_RUNTIME_DIR=/run/user/$(id -u)"
    switch findings.runtimeFolder {
    case .good(let path): return DoctorRow(subject, .ok, path)
    case .unset:
      return DoctorRow(
        subject, .warning, "XDG_RUNTIME_DIR is not set: neither soundd's socket nor the sound server's is found",
        remedy: remedy)
    case .unusable(let path):
      return DoctorRow(
        subject, .warning, "XDG_RUNTIME_DIR is \(path), which is no folder that this user may write in", remedy: remedy)
    }
  }

  private var stateFolder: DoctorRow {
    let subject = "state folder"
    let loss = "volume, profile, throttles and what values held are forgotten at a restart"
    switch findings.stateFolder {
    case .good(let path): return DoctorRow(subject, .ok, path)
    case .unset:
      return DoctorRow(
        subject, .warning, "neither XDG_STATE_HOME nor HOME is set to an absolute path: \(loss)",
        remedy: "export XDG_STATE_HOME=~/.local/state")
    case .unusable(let path):
      return DoctorRow(
        subject, .warning, "this user may not write in \(path): \(loss)",
        remedy: "mkdir -p '\(path)' && ls -ld '\(path)'; or export XDG_STATE_HOME=…")
    }
  }

  private var configuration: DoctorRow {
    switch findings.configuration {
    case .good(let file): DoctorRow("configuration", .ok, file)
    case .missing(let text): DoctorRow("configuration", .note, text)
    case .bad(let text):
      DoctorRow("configuration", .error, text.split(separator: "\n").joined(separator: "; "), remedy: "soundd check")
    }
  }

  private var sounds: DoctorRow {
    if !findings.sounds.complaints.isEmpty {
      return DoctorRow(
        "sounds", .error, findings.sounds.complaints.joined(separator: "; "), remedy: "soundd check")
    }
    if findings.sounds.folders.isEmpty {
      return DoctorRow(
        "sounds", .warning, "there is no folder of sounds: sounds are found by their paths alone",
        remedy: "make install")
    }
    return DoctorRow("sounds", .ok, findings.sounds.folders.joined(separator: ", "))
  }

  // MARK: The audio thread

  private var priority: DoctorRow {
    guard let realTime = findings.realTime else { return unknown("priority") }
    if realTime.policy != "other" {
      let who = realTime.way == "rtkit" ? "RealtimeKit" : "the kernel"
      return DoctorRow("priority", .ok, "real-time priority \(realTime.priority) (\(realTime.policy)), from \(who)")
    }
    let reason = realTime.reason ?? "nobody granted it"
    return DoctorRow(
      "priority", .warning, "no real-time priority: \(reason)", remedy: priorityRemedy(realTime.obstacle))
  }

  private func priorityRemedy(_ obstacle: String?) -> String {
    switch obstacle {
    case "not-permitted": "sudo apt install rtkit; or \(limitsRemedy)"
    case "overran":
      "systemctl --user restart soundd; if it comes again, 'journalctl --user -u soundd' belongs in a bug report"
    case "taken-away": "journalctl -u rtkit-daemon; then systemctl --user restart soundd"
    case "silent": "systemctl status rtkit-daemon; or \(limitsRemedy)"
    default: limitsRemedy
    }
  }

  /// Both limits in one file: who may lock memory should have priority, and the other way round.
  private var limitsRemedy: String {
    "printf '@audio - rtprio 20\\n@audio - memlock \(memoryLimit)\\n' | sudo tee /etc/security/limits.d/50-soundd.conf "
      + "&& sudo usermod -aG audio \(findings.user), then log in again"
  }

  /// RLIMIT_MEMLOCK in KiB, as limits.conf has it: the unit's 256 MiB, or twice what is wanted if that is more.
  private var memoryLimit: Int { max(256 << 10, (findings.memory?.wanted ?? 0) >> 9) }

  private var runtime: DoctorRow {
    guard let realTime = findings.realTime else { return unknown("runaway limit") }
    guard let limit = realTime.runtimeLimit else {
      let state: DoctorRow.State = realTime.policy == "other" ? .note : .warning
      return DoctorRow(
        "runaway limit", state, "RLIMIT_RTTIME is unlimited: nothing would stop a real-time thread that never sleeps",
        remedy: "systemctl --user edit soundd: [Service] LimitRTTIME=200ms")
    }
    return DoctorRow(
      "runaway limit", .ok,
      "after \(limit.milliseconds) ms without a sleep the audio thread loses its priority (RLIMIT_RTTIME)")
  }

  private var memory: DoctorRow {
    guard let memory = findings.memory else { return unknown("locked memory") }
    let limit = memory.limit.map { "RLIMIT_MEMLOCK is \($0 >> 10) KiB" } ?? "RLIMIT_MEMLOCK is unlimited"
    if memory.locked >= memory.wanted {
      return DoctorRow("locked memory", .ok, "all \((memory.wanted + 1023) >> 10) KiB (\(limit))")
    }
    return DoctorRow("locked memory", .warning, memory.reason ?? limit, remedy: limitsRemedy)
  }

  private var denormals: DoctorRow {
    guard let realTime = findings.realTime else { return unknown("denormals") }
    return realTime.flushesDenormals
      ? DoctorRow("denormals", .ok, "denormal numbers count as zero")
      : DoctorRow("denormals", .note, "this processor computes with denormal numbers: fading tails cost more")
  }

  private func unknown(_ subject: String) -> DoctorRow {
    DoctorRow(
      subject, .warning, "the daemon does not tell: it is older than this command",
      remedy: "systemctl --user restart soundd")
  }
}

extension Duration {
  /// Whole milliseconds.
  fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
