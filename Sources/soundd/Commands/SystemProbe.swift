import Glibc

/// Reads what the kernel and the file system tell about low latency. What is not told is left out.
struct SystemProbe {
  let environment: SystemEnvironment

  var user: String {
    if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
    return environment.variable("USER") ?? "$USER"
  }

  var runtimeFolder: DoctorFindings.RuntimeFolder {
    guard let path = environment.configuration.path(of: .runtime) else { return .unset }
    var status = stat()
    let isGood = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, W_OK | X_OK) == 0
    return isGood ? .good(path) : .unusable(path)
  }

  var stateFolder: DoctorFindings.StateFolder {
    guard let file = StateFile(environment: environment.configuration) else { return .unset }
    return file.mayBeWritten ? .good(file.folder) : .unusable(file.folder)
  }

  var server: DoctorFindings.Server? {
    guard let folder = environment.configuration.path(of: .runtime) else { return nil }
    // PipeWire listens on PulseAudio's socket, too.
    if exists(FilePathText.join(folder, "pipewire-0")) { return .pipewire }
    return exists(FilePathText.join(folder, "pulse/native")) ? .pulse : nil
  }

  var cards: DoctorFindings.Cards {
    let playback = names(in: "/dev/snd").filter { $0.hasPrefix("pcmC") && $0.hasSuffix("p") }
    return DoctorFindings.Cards(
      count: playback.count, accessible: playback.count { access("/dev/snd/\($0)", R_OK | W_OK) == 0 })
  }

  var kernel: DoctorFindings.Kernel {
    DoctorFindings.Kernel(
      version: text("/proc/sys/kernel/version") ?? "", isRealTime: text("/sys/kernel/realtime") == "1",
      commandLine: text("/proc/cmdline") ?? "")
  }

  var processor: DoctorFindings.Processor {
    let folder = "/sys/devices/system/cpu/cpufreq"
    let policies = names(in: folder).filter { $0.hasPrefix("policy") }.map { "\(folder)/\($0)" }
    return DoctorFindings.Processor(
      governors: Set(policies.compactMap { text("\($0)/scaling_governor") }).sorted(),
      driver: policies.first.flatMap { text("\($0)/scaling_driver") })
  }

  var clock: DoctorFindings.Clock {
    let folder = "/sys/devices/system/clocksource/clocksource0"
    return DoctorFindings.Clock(
      current: text("\(folder)/current_clocksource"),
      available: (text("\(folder)/available_clocksource") ?? "").split(separator: " ").map(String.init))
  }

  func existing(_ paths: [String]) -> [String] { paths.filter(exists) }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// A short file's content without its line break; `nil` if it cannot be read.
  private func text(_ path: String) -> String? {
    guard let bytes = try? InputFile.contents(path, limit: 1 << 20, as: "a setting of the kernel") else { return nil }
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }

  private func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}
