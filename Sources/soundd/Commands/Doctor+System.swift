import Glibc

/// The device and the machine.
extension Doctor {
  var device: DoctorRow {
    let device = findings.device
    let name = device.kind.map { "'\(device.name)' (\($0))" } ?? "'\(device.name)'"
    switch device.state {
    case .opens(let format): return DoctorRow("device", .ok, "\(name): \(format)")
    case .clock: return DoctorRow("device", .note, "'none': a clock and no card, by the configuration's wish")
    case .fails(let reason, let code):
      return DoctorRow("device", .error, reason, remedy: deviceRemedy(code))
    }
  }

  private func deviceRemedy(_ code: Int32?) -> String {
    switch code.map(abs) {
    case EBUSY: "fuser -v /dev/snd/* tells who has it; or share it: [output] device = \"default\""
    case EACCES, EPERM: groupRemedy
    case ELIBACC: "sudo apt install libasound2"
    case EHOSTDOWN, ECONNREFUSED: "systemctl --user start pipewire wireplumber"
    default: "aplay -L lists the devices: [output] device = \"…\"; or play on none: [output] device = \"none\""
    }
  }

  private var groupRemedy: String { "sudo usermod -aG audio \(findings.user), then log in again" }

  var server: DoctorRow {
    switch findings.server {
    case .pipewire:
      DoctorRow("sound server", .ok, "PipeWire; its quantum follows the device's period, down to the next power of two")
    case .pulse:
      DoctorRow(
        "sound server", .note, "PulseAudio, whose own buffer comes on top of the device's",
        remedy: "sudo apt install pipewire-alsa pipewire-pulse wireplumber")
    case nil: DoctorRow("sound server", .note, "none has a socket in XDG_RUNTIME_DIR")
    }
  }

  var cards: DoctorRow {
    let cards = findings.cards
    if cards.count == 0 { return DoctorRow("sound cards", .note, "there is no card below /dev/snd") }
    if cards.accessible == cards.count {
      return DoctorRow("sound cards", .ok, "\(cards.count) to play on below /dev/snd")
    }
    // A server that runs as somebody else, or gets its access from the seat, may play all the same.
    let isNeeded = findings.server == nil || findings.device.name.contains("hw:")
    return DoctorRow(
      "sound cards", isNeeded ? .warning : .note,
      "\(cards.count - cards.accessible) of \(cards.count) below /dev/snd may not be opened by this user",
      remedy: groupRemedy)
  }

  var kernel: DoctorRow {
    let kernel = findings.kernel
    let options = kernel.commandLine.split { $0 == " " || $0 == "\n" }
    let model =
      if kernel.isRealTime || kernel.version.contains("PREEMPT_RT") {
        "PREEMPT_RT"
      } else if let option = options.last(where: { $0.hasPrefix("preempt=") }) {
        String(option)
      } else if kernel.version.contains("PREEMPT") {
        kernel.version.contains("PREEMPT_DYNAMIC") ? "PREEMPT_DYNAMIC" : "PREEMPT"
      } else {
        "no preemption in the kernel"
      }
    let threads = options.contains("threadirqs") ? ", interrupts in threads" : ""
    if ["PREEMPT_RT", "PREEMPT", "preempt=full"].contains(model) { return DoctorRow("kernel", .ok, model + threads) }
    return DoctorRow(
      "kernel", .note, "\(model)\(threads): a busy driver may hold the audio thread up",
      remedy:
        "add 'preempt=full threadirqs' to GRUB_CMDLINE_LINUX in /etc/default/grub, then sudo update-grub and reboot")
  }

  var processor: DoctorRow {
    let processor = findings.processor
    let governors = processor.governors.joined(separator: ", ")
    let driver = processor.driver.map { " (\($0))" } ?? ""
    if governors.isEmpty {
      return DoctorRow("processor", .note, "the kernel does not tell how it clocks the processor")
    }
    // With these the processor itself decides, and 'powersave' does not mean slow; schedutil runs real-time threads at full speed.
    let isOwnMaster = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"].contains(processor.driver ?? "")
    if isOwnMaster || processor.governors.allSatisfy({ ["performance", "schedutil"].contains($0) }) {
      return DoctorRow("processor", .ok, "\(governors)\(driver)")
    }
    return DoctorRow(
      "processor", .warning, "\(governors)\(driver): it may be clocked down when a sound is to start",
      remedy: "sudo cpupower frequency-set -g schedutil")
  }

  var clock: DoctorRow {
    let clock = findings.clock
    guard let current = clock.current else {
      return DoctorRow("clock", .note, "the kernel does not tell its clock source")
    }
    // Each reading of these is a slow access to a chip on the board.
    guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains(current) else {
      return DoctorRow("clock", .ok, current)
    }
    let remedy =
      clock.available.contains("tsc")
      ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource" : nil
    return DoctorRow("clock", .warning, "\(current), which is slow to read", remedy: remedy)
  }
}
