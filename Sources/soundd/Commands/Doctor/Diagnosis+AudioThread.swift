import SoundTrigger
import SoundWire

/// For `--latency`: what the audio thread got, as `status` has it in `realtime` and `memory`.
extension Diagnosis {
  func audioThread(_ status: StatusMessage) -> [DoctorRow] {
    guard let thread = status.realTime, let memory = status.memory else { return [] }
    return [priority(thread, memory), runtime(thread), lockedMemory(memory), denormals(thread)]
  }

  func priority(_ realTime: RealTimeMessage, _ memory: LockedMemoryMessage) -> DoctorRow {
    let policy = Excerpt.escaping(realTime.policy)
    if policy != "other" {
      let grantor = realTime.way == "rtkit" ? "RealtimeKit" : "the kernel"
      return DoctorRow(
        "priority", .ok, "real-time priority \(realTime.priority) (\(policy)), from \(grantor)")
    }
    let limits = limitsRemedy(memory)
    let remedy =
      switch realTime.obstacle {
      case "not-permitted": "sudo apt install rtkit; or \(limits)"
      case "overran":
        "systemctl --user restart soundd; if it happens again, report it with 'journalctl --user -u soundd'"
      case "taken-away": "journalctl -u rtkit-daemon; then systemctl --user restart soundd"
      case "silent": "systemctl status rtkit-daemon; or \(limits)"
      default: limits
      }
    return DoctorRow(
      "priority", .note,
      "no real-time priority: \(realTime.reason ?? "neither the kernel nor RealtimeKit grants it")",
      remedy: remedy)
  }

  func runtime(_ realTime: RealTimeMessage) -> DoctorRow {
    guard let limit = realTime.runtimeLimit else {
      return DoctorRow(
        "runaway limit", .note,
        "RLIMIT_RTTIME is unlimited: nothing would stop a real-time thread that never sleeps",
        remedy: "systemctl --user edit soundd: [Service] LimitRTTIME=200ms")
    }
    return DoctorRow(
      "runaway limit", .ok,
      "after \(limit / 1000) ms without a sleep the audio thread loses its priority (RLIMIT_RTTIME)")
  }

  func lockedMemory(_ memory: LockedMemoryMessage) -> DoctorRow {
    let (wanted, locked) = (memory.wanted, memory.locked)
    let limit = memory.limit.map { "is \($0 >> 10) KiB" } ?? "is unlimited"
    if locked >= wanted {
      return DoctorRow("locked memory", .ok, "all \((wanted + 1023) >> 10) KiB (RLIMIT_MEMLOCK \(limit))")
    }
    return DoctorRow(
      "locked memory", .note, memory.reason ?? "RLIMIT_MEMLOCK \(limit)", remedy: limitsRemedy(memory))
  }

  func denormals(_ realTime: RealTimeMessage) -> DoctorRow {
    realTime.flushesDenormals
      ? DoctorRow("denormals", .ok, "denormal numbers count as zero")
      : DoctorRow("denormals", .note, "this processor computes with denormal numbers: fading tails cost more")
  }

  /// Both limits in one file: a program that may lock memory should have priority, and the other way round.
  private func limitsRemedy(_ memory: LockedMemoryMessage) -> String {
    // RLIMIT_MEMLOCK in KiB, as limits.conf has it: the unit's 256 MiB, or twice what is wanted if that is more.
    let limit = max(256 << 10, memory.wanted >> 9)
    return
      "printf '@audio - rtprio 20\\n@audio - memlock \(limit)\\n' | sudo tee /etc/security/limits.d/50-soundd.conf "
      + "&& sudo usermod -aG audio \(facts.user), then log in again"
  }
}
