import SoundTrigger

/// For `--latency`: what the audio thread got, as `status` has it in `realtime` and `memory`.
extension Diagnosis {
  func audioThread(_ status: JSONObject) -> [DoctorRow] {
    if status["realtime"] == nil || status["memory"] == nil { return [] }
    return [priority(status), runtime(status), lockedMemory(status), denormals(status)]
  }

  func priority(_ status: JSONObject) -> DoctorRow {
    let realTime = status.object("realtime")
    let policy = realTime.shown("policy")
    if policy != "other" {
      let grantor = realTime.text("way") == "rtkit" ? "RealtimeKit" : "the kernel"
      return DoctorRow(
        "priority", .ok, "real-time priority \(realTime.shown("priority")) (\(policy)), from \(grantor)")
    }
    let limits = limitsRemedy(status)
    let remedy =
      switch realTime.text("obstacle") {
      case "not-permitted": "sudo apt install rtkit; or \(limits)"
      case "overran":
        "systemctl --user restart soundd; if it happens again, report it with 'journalctl --user -u soundd'"
      case "taken-away": "journalctl -u rtkit-daemon; then systemctl --user restart soundd"
      case "silent": "systemctl status rtkit-daemon; or \(limits)"
      default: limits
      }
    return DoctorRow(
      "priority", .note,
      "no real-time priority: \(realTime.text("reason") ?? "neither the kernel nor RealtimeKit grants it")",
      remedy: remedy)
  }

  func runtime(_ status: JSONObject) -> DoctorRow {
    let realTime = status.object("realtime")
    guard let limit = realTime.number("runtime_limit") else {
      return DoctorRow(
        "runaway limit", .note,
        "RLIMIT_RTTIME is unlimited: nothing would stop a real-time thread that never sleeps",
        remedy: "systemctl --user edit soundd: [Service] LimitRTTIME=200ms")
    }
    return DoctorRow(
      "runaway limit", .ok,
      "after \(limit / 1000) ms without a sleep the audio thread loses its priority (RLIMIT_RTTIME)")
  }

  func lockedMemory(_ status: JSONObject) -> DoctorRow {
    let memory = status.object("memory")
    let (wanted, locked) = (memory.number("wanted_bytes") ?? 0, memory.number("locked_bytes") ?? 0)
    let limit = memory.number("limit_bytes").map { "is \($0 >> 10) KiB" } ?? "is unlimited"
    if locked >= wanted {
      return DoctorRow("locked memory", .ok, "all \((wanted + 1023) >> 10) KiB (RLIMIT_MEMLOCK \(limit))")
    }
    return DoctorRow(
      "locked memory", .note, memory.text("reason") ?? "RLIMIT_MEMLOCK \(limit)", remedy: limitsRemedy(status))
  }

  func denormals(_ status: JSONObject) -> DoctorRow {
    status.object("realtime").text("flushes_denormals") == "true"
      ? DoctorRow("denormals", .ok, "denormal numbers count as zero")
      : DoctorRow("denormals", .note, "this processor computes with denormal numbers: fading tails cost more")
  }

  /// Both limits in one file: a program that may lock memory should have priority, and the other way round.
  private func limitsRemedy(_ status: JSONObject) -> String {
    // RLIMIT_MEMLOCK in KiB, as limits.conf has it: the unit's 256 MiB, or twice what is wanted if that is more.
    let memory = max(256 << 10, (status.object("memory").number("wanted_bytes") ?? 0) >> 9)
    return
      "printf '@audio - rtprio 20\\n@audio - memlock \(memory)\\n' | sudo tee /etc/security/limits.d/50-soundd.conf "
      + "&& sudo usermod -aG audio \(facts.user), then log in again"
  }
}
