import Foundation

/// A PipeWire of a home's own, with one sink whose monitor can be recorded.
final class SoundServer {
  private let home: Home
  private let program: Program
  private var answers = 0

  /// Whether there is all that it takes, and that what plays on ALSA's `default` gets there.
  static let isAvailable: Bool = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let hasPrograms = ["pipewire", "wireplumber", "pw-record", "pw-metadata"].allSatisfy { name in
      folders.contains { access("\($0)/\(name)", X_OK) == 0 }
    }
    return hasPrograms && access("/etc/alsa/conf.d/99-pipewire-default.conf", R_OK) == 0
  }()

  /// Starts it; returns when it can be played on.
  init(in home: Home) throws {
    self.home = home
    program = try Program(
      Home.checkout + "/Tests/IntegrationTests/sound-server", [home("run")], environment: home.environment,
      folder: home.path, input: .pipe)
    try waitForAnswer()
  }

  deinit {
    // At the end of its input it takes the server with it.
    program.closeInput()
    _ = try? program.wait()
  }

  /// Ends it as a crash would.
  func kill() throws { try command("kill") }

  /// Starts it after `kill`; returns when it can be played on.
  func start() throws { try command("start") }

  /// Stops it as a debugger would: it answers no client, and nothing plays.
  func freeze() throws { try command("freeze") }

  /// Continues it after `freeze`.
  func thaw() throws { try command("thaw") }

  /// Plays something by hand, and returns what comes out of the sink from before `body` until `isOver`.
  func record(during body: () throws -> Void) throws -> Recording {
    let file = home("heard.wav")
    try? FileManager.default.removeItem(atPath: file)
    let recorder = try Program(
      "pw-record",
      [
        "--target", "sink", "--properties", "{ stream.capture.sink = true }", "--format", "f32", "--rate", "48000",
        "--channels", "2", file,
      ], environment: home.environment, folder: home.path, input: .nothing)
    func size() -> Int {
      (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
    try eventually("the recording runs") { size() > 4096 }
    try body()
    // The last frames are on their way through the graph, whose cycles are at most 2048 frames long.
    let end = size() + 4 * 2048 * 8
    try eventually("the recording has all of it") { size() > end }
    recorder.send(signal: SIGINT)
    try recorder.wait()
    return try Recording(wav: file)
  }

  private func command(_ name: String) throws {
    program.write(name + "\n")
    try waitForAnswer()
  }

  private func waitForAnswer() throws {
    answers += 1
    try program.waitForOutput(lines: answers)
  }
}
