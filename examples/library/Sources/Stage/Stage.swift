public import SoundTrigger
import SoundTriggerTesting

/// A player and its time: a sound card, or with `--render FILE` a WAV file and a clock that runs ahead.
@MainActor public final class Stage {
  public let player: SoundPlayer
  private let recording: RecordingPlayer?

  public init() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "--render" {
      let recording = try RecordingPlayer(writingTo: arguments[2])
      self.recording = recording
      player = recording
    } else {
      recording = nil
      player = try SoundPlayer()
    }
  }

  /// Lets time pass.
  public func pass(_ duration: Duration) async throws {
    if let recording { try await recording.advance(by: duration) } else { try await Task.sleep(for: duration) }
  }

  /// Plays everything to its end.
  public func finish() async throws {
    await player.silence()
    guard let recording else { return }
    try await recording.advance(by: .seconds(2))
    print(recording.played.map(\.description).joined(separator: ", "))
    try await recording.finish()
  }
}
