import Glibc
import SoundTrigger

/// For `--latency`: the machine.
extension Doctor {
  /// The mute and volume of the default sink; `nil` if no program says so within a second.
  func sink(_ server: SoundServer?) -> DoctorFacts.Sink? {
    let commands =
      server == nil
      ? ["amixer sget Master"]
      : [
        "wpctl get-volume @DEFAULT_AUDIO_SINK@ && wpctl inspect @DEFAULT_AUDIO_SINK@ | grep node.name",
        "pactl get-sink-mute @DEFAULT_SINK@; pactl get-sink-volume @DEFAULT_SINK@; pactl get-default-sink",
      ]
    return commands.lazy.compactMap { environment.output(of: $0).flatMap(DoctorFacts.Sink.init) }.first
  }

  /// The programs of sound servers that are looked for.
  static let servers = ["pipewire", "pipewire-pulse", "pulseaudio", "jackd", "jackdbus"]

  /// The stream of a process on a sound server, or `nil` if no program names one within two seconds.
  static func stream(of process: Int, _ server: SoundServer, _ environment: SystemEnvironment) -> SoundStream? {
    func output(of command: String) -> String {
      var environment = environment
      environment.variables["LC_ALL"] = "C"
      return environment.answer(of: ["/bin/sh", "-c", "timeout 2 \(command) 2>/dev/null"])?.text ?? ""
    }
    return switch server {
    case .pulse: SoundStream(pactl: output(of: "pactl list sink-inputs"), process: process)
    case .pipewire: SoundStream(dump: output(of: "pw-dump"), process: process)
    case .pipewirePulse:
      SoundStream(dump: output(of: "pw-dump"), process: process)
        ?? SoundStream(pactl: output(of: "pactl list sink-inputs"), process: process)
    }
  }

  /// The stream that soundd's next sound would have: of a device that is opened for this, because the daemon has closed its own one, or
  /// none runs. The server mutes it as it would mute that of the daemon.
  func trialStream(_ settings: OutputSettings, _ server: SoundServer) -> SoundStream? {
    var stream =
      BoundedCall.result(within: .seconds(6)) { [environment] in
        let opened = OpenedDevice.open(settings)
        defer { opened.close() }
        guard opened.error == nil else { return SoundStream?.none }
        // PipeWire restores mute and volume a moment after the stream is there.
        usleep(200_000)
        return Self.stream(of: Int(getpid()), server, environment)
      } ?? nil
    stream?.isTrial = true
    return stream
  }

  /// Whether ALSA does not lead to the server that runs. PulseAudio's own plugin leads to PipeWire, too, if that listens on PulseAudio's
  /// socket.
  func lacksPlugin(_ server: SoundServer?) -> Bool {
    switch server {
    case .pipewire: plugins.isEmpty
    case .pulse, .pipewirePulse: !plugins.contains("pulse")
    case nil: false
    }
  }

  /// The servers to which ALSA's plugins lead, of `pipewire` and `pulse`.
  ///
  /// Both the plugin and the configuration that names it must be there. Debian has each of them in one package.
  private var plugins: Set<String> {
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let folders = libraries + names(in: "/usr/lib").filter { $0.contains("-linux-") }.map { "/usr/lib/\($0)" }
    let plugins = folders.flatMap { names(in: "\($0)/alsa-lib") }
    let configurations = ["/etc/alsa/conf.d", "/usr/share/alsa/alsa.conf.d"].flatMap(names)
    return Set(
      ["pipewire", "pulse"].filter { server in
        plugins.contains("libasound_module_pcm_\(server).so") && configurations.contains { $0.contains(server) }
      })
  }

  func machine(_ server: SoundServer?) -> [DoctorRow] {
    (server == .pipewire || server == .pipewirePulse ? [quantum] : []) + [kernel, processor, clock]
  }

  /// How often PipeWire works, and what forces that.
  private var quantum: DoctorRow {
    let settings = environment.output(of: "pw-metadata -n settings 0") ?? ""
    let dump = environment.output(of: #"pw-dump | grep -oE '"node\.(name|force-quantum)": [^,]*'"#) ?? ""
    return Self.quantum(settings: settings, nodes: dump)
  }

  /// The same from what `pw-metadata` and `pw-dump` print.
  static func quantum(settings: String, nodes: String) -> DoctorRow {
    func setting(_ key: String) -> Int? {
      settings.split(separator: "'").split(separator: Substring(key)).dropFirst().first
        .flatMap { $0.dropFirst().first }.flatMap { Int($0) }
    }
    guard let usual = setting("clock.quantum") else {
      return DoctorRow(
        "quantum", .note, "PipeWire does not say how often it works", remedy: "sudo apt install pipewire-bin")
    }
    func time(_ frames: Int) -> String {
      "\(frames) frames (\((frames * 1000 / max(1, setting("clock.rate") ?? 48_000))) ms)"
    }
    if let forced = setting("clock.force-quantum"), forced > 0 {
      return DoctorRow(
        "quantum", .note, "the settings force PipeWire to \(time(forced)), also while soundd plays",
        remedy: "pw-metadata -n settings 0 clock.force-quantum 0")
    }
    var forcing: String?
    for line in nodes.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " || $0 == "\"" } }
      guard parts.count == 2 else { continue }
      if parts[0].contains("force-quantum") {
        forcing = String(parts[1])
      } else if let frames = forcing.flatMap({ Int($0.filter(\.isNumber)) }), frames > 0 {
        return DoctorRow(
          "quantum", .note,
          "'\(parts[1].filter { $0 != "\"" })' forces PipeWire to \(time(frames)), also while soundd plays",
          remedy: "end that program, or its setting node.force-quantum")
      }
    }
    return DoctorRow("quantum", .ok, "\(time(usual)) while nothing asks for less; soundd asks for less while it plays")
  }

  var kernel: DoctorRow {
    let version = text("/proc/sys/kernel/version") ?? ""
    let options = (text("/proc/cmdline") ?? "").split(separator: " ")
    let model =
      if text("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT") {
        "PREEMPT_RT"
      } else if let option = options.last(where: { $0.hasPrefix("preempt=") }) {
        String(option)
      } else if version.contains("PREEMPT") {
        version.contains("PREEMPT_DYNAMIC") ? "PREEMPT_DYNAMIC" : "PREEMPT"
      } else {
        "no preemption in the kernel"
      }
    let threads = options.contains("threadirqs") ? ", interrupts in threads" : ""
    if ["PREEMPT_RT", "PREEMPT", "preempt=full"].contains(model) { return DoctorRow("kernel", .ok, model + threads) }
    return DoctorRow(
      "kernel", .note, "\(model)\(threads): a busy driver may delay the audio thread",
      remedy:
        "add 'preempt=full threadirqs' to GRUB_CMDLINE_LINUX in /etc/default/grub, then sudo update-grub and reboot")
  }

  var processor: DoctorRow {
    let folder = "/sys/devices/system/cpu/cpufreq"
    let policies = names(in: folder).filter { $0.hasPrefix("policy") }.sorted()
    let governors = Set(policies.compactMap { text("\(folder)/\($0)/scaling_governor") }).sorted()
    let driver = policies.first.flatMap { text("\(folder)/\($0)/scaling_driver") }
    if governors.isEmpty {
      return DoctorRow("processor", .note, "the kernel does not say how it clocks the processor")
    }
    let finding = governors.joined(separator: ", ") + (driver.map { " (\($0))" } ?? "")
    // With these drivers the processor itself decides, and 'powersave' does not mean slow; schedutil runs real-time threads
    // at full speed.
    let decidesItself = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"].contains(driver ?? "")
    if decidesItself || governors.allSatisfy({ ["performance", "schedutil"].contains($0) }) {
      return DoctorRow("processor", .ok, finding)
    }
    return DoctorRow(
      "processor", .note, "\(finding): the processor may be slow when a sound is to start",
      remedy: "sudo cpupower frequency-set -g schedutil")
  }

  var clock: DoctorRow {
    let folder = "/sys/devices/system/clocksource/clocksource0"
    guard let current = text("\(folder)/current_clocksource") else {
      return DoctorRow("clock", .note, "the kernel does not say what its clock source is")
    }
    // Each reading of these is a slow access to a chip on the board.
    guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains(current) else {
      return DoctorRow("clock", .ok, current)
    }
    let available = (text("\(folder)/available_clocksource") ?? "").split(separator: " ")
    let remedy = available.contains("tsc") ? "echo tsc | sudo tee \(folder)/current_clocksource" : nil
    return DoctorRow("clock", .note, "\(current), which is slow to read", remedy: remedy)
  }

  // MARK: Files of the kernel

  /// The first line of a short file; `nil` if it cannot be read.
  private func text(_ path: String) -> String? {
    guard let bytes = try? InputFile.contents(root + path, limit: 1 << 20, as: "a setting of the kernel") else {
      return nil
    }
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  func names(in folder: String) -> [String] { Folder.names(in: root + folder) ?? [] }
}
