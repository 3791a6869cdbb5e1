import Foundation
import SoundTrigger
import TestSupport
import Testing

@Suite struct SoundPlayerTests {
  static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../sounds").standardized.path
  static let kinds: [SensoryFeedback] =
    [
      .success, .warning, .error, .selection, .increase, .decrease, .start, .stop, .alignment, .levelChange,
      .pathComplete, .impact, .press, .release, .selection(isOn: true), .selection(isOn: false),
    ] + SensoryFeedback.Weight.allCases.map { .impact(weight: $0) }
    + SensoryFeedback.Flexibility.allCases.map { .impact(flexibility: $0) }

  @Test func `every kind of feedback has a shipped sound of its own`() throws {
    let player = try SoundPlayer(device: "null", folders: [Self.shipped])
    for kind in Self.kinds { try player.load(kind.sound) }
    #expect(Set(Self.kinds.map(\.sound)).count == 22)
  }

  @Test func `a sound that was played is heard before the wait ends`() throws {
    let folder = TemporaryFolder()
    let path = folder("out.raw")
    do {
      let player = try SoundPlayer(device: "file:\(path),raw", folders: [Self.shipped])
      #expect(try player.play(.selection(isOn: true)))
      try player.waitUntilSilent()
    }
    let clip = try ClipLoader(rate: 48_000).load(path: Self.shipped + "/selection-on.wav")
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let written = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    let isExact = Array(written.prefix(clip.samples.count)) == clip.samples
    #expect(isExact)
  }

  @Test func `an unknown sound and a missing device are errors that say so`() throws {
    let player = try SoundPlayer(device: "null", folders: ["/nowhere"])
    #expect(throws: SoundError.notFound(name: "ding", searched: ["/nowhere"])) { try player.play("ding") }
    #expect {
      _ = try SoundPlayer(device: "hw:31", folders: [])
    } throws: {
      "\($0)".hasPrefix("cannot play on 'hw:31': ")
    }
  }
}
