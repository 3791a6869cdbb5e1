import Foundation

/// A sound server of a home's own that is not installed on this machine: PulseAudio, PipeWire behind PulseAudio's plugin, or JACK.
final class SoundStack {
  enum Name: String, Sendable {
    case pulseAudio = "pulseaudio"
    case pipewirePulse = "pipewire-pulse"
    case jack
  }

  private let home: Home
  private let program: Program
  private var answers = 0
  /// What programs need to find the server.
  let environment: [String: String]
  /// The ALSA device that leads to it.
  let device: String

  private static let folder = Home.checkout + "/Tests/stacks"

  /// Whether the packages were unpacked, as 'make test' does.
  static let isAvailable = access(Home.checkout + "/.build/stacks/root", X_OK) == 0

  /// Starts it; returns when it can be played on. With `records` what comes out of it goes into `recording`.
  init(_ name: Name, in home: Home, records: Bool = false, environment extra: [String: String] = [:]) throws {
    self.home = home
    var variables = home.environment.merging(extra) { $1 }
    if records {
      variables["MONITOR"] = home("monitor")
      for pipe in ["monitor", "monitor-other"] where mkfifo(home(pipe), 0o600) != 0 {
        throw TimedOut(description: "mkfifo: \(home(pipe))")
      }
    }
    // Each pipe has a reader before the server opens it.
    recorders = try (records ? ["monitor", "monitor-other"] : []).map {
      try home.start(program: "sh", ["-c", "exec cat $0 >$0.raw", home($0)])
    }
    program = try Program(
      Self.folder + "/server", [name.rawValue, home("run")], environment: variables, folder: home.path, input: .pipe)
    try program.waitForOutput(lines: 1)
    answers = 1
    var environment: [String: String] = [:]
    for line in try String(contentsOfFile: home("run/environment"), encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 { environment[parts[0]] = parts[1] }
    }
    device = environment.removeValue(forKey: "DEVICE") ?? ""
    self.environment = environment
  }

  private let recorders: [Program]

  deinit {
    // At the end of its input it takes the server with it.
    program.closeInput()
    _ = try? program.wait()
  }

  /// Gives it a command (see `server`); returns its answer.
  @discardableResult
  func tell(_ command: String) throws -> String {
    program.write(command + "\n")
    answers += 1
    try program.waitForOutput(lines: answers)
    return String(String(decoding: program.output, as: UTF8.self).split(separator: "\n")[answers - 1])
  }

  /// `running`, `idle`, `suspended` or `missing`.
  func sinkState() throws -> String { try tell("state") }

  /// How often the threads of the server have gone to sleep.
  func wakeUps() throws -> Int {
    try tell("processes").split(separator: " ").compactMap { Int32($0) }.reduce(0) { try $0 + Program.wakeUps(of: $1) }
  }

  /// What has come out of the sink until now.
  func recording() throws -> Recording { try Recording(raw: home("monitor.raw")) }
}
