import Foundation
import SoundTrigger
import SoundTriggerTesting
import TestSupport
import Testing

@MainActor @Suite struct RecordingPlayerTests {
  @Test func `a play that the test has not looked at fails its end`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count)
    stage.player.sensoryFeedback(.error, trigger: stage.model.other, delay: .seconds(5))
    await stage.turn { $0.count = 1 }
    #expect(stage.player.played == [.success])
    await stage.turn { $0.other = 1 }
    await #expect {
      try await stage.player.finish()
    } throws: {
      "\($0)" == "the test has not looked at a play: error"
    }
    #expect(stage.player.played == [.success, .error])
    try await stage.player.finish()
  }

  @Test func `time passes only when the test lets it`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, delay: .seconds(86_400 * 300))
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .seconds(86_400 * 299))
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .seconds(86_400))
    #expect(stage.player.played == [.success])
  }

  @Test func `what it writes is what sox makes of the same files`() async throws {
    let folder = TemporaryFolder()
    let (ours, theirs) = (folder("ours.wav"), folder("theirs.wav"))
    let player = try RecordingPlayer(writingTo: ours)
    let model = Model()
    player.sensoryFeedback(.selection, trigger: model.count)
    player.sensoryFeedback(.impact(weight: .heavy, intensity: 0.5), trigger: model.count, delay: .milliseconds(500))
    model.count = 1
    await player.settled()
    try await player.advance(by: .seconds(1))
    #expect(player.played == [.selection, .impact(weight: .heavy, intensity: 0.5)])
    try await player.finish()
    let sounds = SensoryFeedbackTests.shipped
    try sox([
      "-m", "-v", "1", "\(sounds)/selection.wav", "-v", "1", "|sox -v 0.5 \(sounds)/impact-heavy.wav -p pad 0.5", "-c",
      "2", "-b", "32", "-e",
      "float", theirs,
    ])
    // Beyond the last bit of 24 they differ nowhere.
    let difference = try sox(["-m", "-v", "1", ours, "-v", "-1", theirs, "-n", "stat"])
    let line = try #require(difference.split(separator: "\n").first { $0.hasPrefix("Maximum amplitude") })
    #expect(abs(try #require(Double(line.split(separator: " ").last ?? ""))) < 1e-6)
  }

  @discardableResult
  private func sox(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sox")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(output)")
    return output
  }
}

@Suite struct Endurance {
  /// The memory of this process in use, in bytes (statm).
  private static func residentBytes() throws -> Int {
    let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(statm.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4096
  }

  @Test(.disabled(if: isSanitized, "a sanitizer keeps what was freed"))
  func `observing and ending again and again leaves nothing behind`() async {
    // In a process of its own, because other tests need memory meanwhile.
    await #expect(processExitsWith: .success) { try await Self.observeAndEnd() }
  }

  @MainActor private static func observeAndEnd() async throws {
    let player = try RecordingPlayer()
    let model = Model()
    func cycles(_ count: Int) async {
      for cycle in 0..<count {
        player.onChange(of: model.count) {}.end()
        // Ends with the model.
        player.onChange(of: Model(), \.child.size) {}
        if cycle % 100 == 0 { await player.settled() }
      }
    }
    await cycles(2_000)
    let before = try residentBytes()
    await cycles(20_000)
    let growth = try residentBytes() - before
    // A registration that stayed would be 200 bytes or more: 4 MB.
    #expect(growth < 2_000_000, "\(growth) bytes")
  }
}
