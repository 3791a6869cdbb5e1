import Foundation
import Testing

/// What `make run` starts, where there is no sound card.
struct DemonstrationTests {
  @Test func `it plays what it says, and leaves a recording and a picture`() throws {
    let home = try Home()
    try home.write(".asoundrc", "pcm.!default { type hw card 31 }\n")
    // It takes "demo/config.toml" and "demo/picture" from beside itself.
    let demo = try home.start(program: Home.examples + "/" + "demo/run", [Home.soundd])
    #expect(try demo.wait() == .exit(0), "\(demo.text)\(demo.errors)")
    #expect(demo.text.contains("There is nothing to play on here"))
    #expect(demo.text.contains("Every trigger played as often as it should have."))
    let sound = try Recording(decoding: home("demo.wav"))
    #expect(sound.frames > 9 * 48_000 && sound.onset() != nil)
    let picture = try Data(contentsOf: URL(fileURLWithPath: home("demo.png")))
    #expect(picture.starts(with: [0x89] + Array("PNG".utf8)) && picture.count > 5000)
    #expect(!FileManager.default.fileExists(atPath: home(".local/state/soundd")), "the user's own state")
  }
}
