import Foundation
import SoundTrigger
import Testing

@testable import soundd

struct SavedStateTests {
  private static let digest = SIMD8<UInt32>(
    0xe3b0_c442, 0x98fc_1c14, 0x9afb_f4c8, 0x996f_b924, 0x27ae_41e4, 0x649b_934c, 0xa495_991b, 0x7852_b855)

  /// One with everything in it.
  private func state() throws -> SavedState {
    var state = SavedState(volume: 0.501_187_233_627_272_2)
    state.profile = ProfileChoice(profile: .quiet, chosenAt: 1_790_000_000)
    state.plays = ["reactor": 1_790_000_000_123, "50 % hot\u{7F} é\n": -1, "": 0]
    state.digests = [try #require(ValueName("a/b:c")): Self.digest, try #require(ValueName("A")): .zero]
    return state
  }

  /// The lines before the checksum as a file of them.
  private func file(_ lines: String...) throws -> [UInt8] {
    let body = lines.map { $0 + "\n" }.joined()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(body.utf8).write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Not our own: coreutils'.
    let process = Process()
    let output = Foundation.Pipe()
    process.executableURL = URL(filePath: "/usr/bin/sha256sum")
    process.arguments = [folder.path]
    process.standardOutput = output
    try process.run()
    let sum = String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(64), as: UTF8.self)
    process.waitUntilExit()
    return Array((body + "sha256 \(sum)\n").utf8)
  }

  @Test func `a state is lines of text and their checksum`() throws {
    #expect(
      try state().bytes
        == file(
          "soundd-state 1", "volume 0.5011872336272722", "profile quiet 1790000000", "play 0 ",
          "play -1 50 %25 hot%7f %c3%a9%0a", "play 1790000000123 reactor",
          "value 0000000000000000000000000000000000000000000000000000000000000000 A",
          "value e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 a/b:c"))
    #expect(try SavedState().bytes == file("soundd-state 1", "volume 1.0", "profile full"))
  }

  @Test func `what was written is read again`() throws {
    for state in [SavedState(), try state()] { #expect(try SavedState(state.bytes) == state) }
  }

  @Test func `a file that is cut off anywhere is refused`() throws {
    let bytes = try state().bytes
    for count in bytes.indices {
      #expect(throws: SavedState.Problem.self) { try SavedState(Array(bytes[..<count])) }
    }
    #expect(throws: SavedState.Problem.incomplete) { try SavedState(bytes + [10]) }
  }

  @Test func `a file of which any byte is another one is refused`() throws {
    let bytes = try state().bytes
    for place in bytes.indices {
      for other in UInt8.min...UInt8.max where other != bytes[place] {
        var damaged = bytes
        damaged[place] = other
        if (try? SavedState(damaged)) != nil { Issue.record("byte \(place) as \(other) is taken") }
      }
    }
  }

  @Test func `damage of every kind is refused`() throws {
    let bytes = try state().bytes
    var mutations = RandomMutations(seed: 7)
    for _ in 0..<5000 {
      let damaged = mutations.mutate(bytes, edits: 5)
      if damaged != bytes, (try? SavedState(damaged)) != nil { Issue.record("\(damaged) is taken") }
    }
  }

  @Test(arguments: [
    ("volume 1.5\nprofile full", 2), ("volume nan\nprofile full", 2), ("volume 1.00\nprofile full", 1),
    ("profile full\nvolume 1.0", 1), ("volume 1.0", 1), ("volume 1.0\nprofile loud", 3),
    ("volume 1.0\nprofile full x", 1),
    ("volume 1.0\nprofile full\nplay x y", 4), ("volume 1.0\nprofile full\nplay 1 %", 4),
    ("volume 1.0\nprofile full\nplay 1 %zz", 4), ("volume 1.0\nprofile full\nplay 1 %ff", 4),
    ("volume 1.0\nprofile full\nvalue 00 a", 4), ("volume 1.0\nprofile full\nmuted true", 4),
    ("volume 1.0\nprofile full\nplay 1 a\nplay 2 a", 1), ("volume 1.0\nprofile full\n", 4),
  ])
  func `lines that say nothing known are refused, whatever their checksum`(lines: String, line: Int) throws {
    let bytes = try file("soundd-state 1", lines)
    #expect(throws: SavedState.Problem.line(line)) { try SavedState(bytes) }
  }

  @Test func `a later version is told from damage, and an earlier one does not exist`() throws {
    let later = Array("soundd-state 12\nwhatever it says\n".utf8)
    #expect(throws: SavedState.Problem.newer(version: 12)) { try SavedState(later) }
    #expect("\(SavedState.Problem.newer(version: 12))" == "has version 12, and this soundd knows version 1")
    #expect(throws: SavedState.Problem.incomplete) { try SavedState(Array("soundd-state 0\n".utf8)) }
    #expect(throws: SavedState.Problem.incomplete) { try SavedState([]) }
  }
}
