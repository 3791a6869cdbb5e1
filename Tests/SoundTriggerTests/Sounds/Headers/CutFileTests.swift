import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// Sound files that end too early, of each format.
struct CutFileTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "../../../../Fuzz/Corpus/clip"
  ).standardizedFileURL
  private let folder = TemporaryFolder()
  private let loader = ClipLoader(rate: 48_000)

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.corpus.appendingPathComponent(name)))
  }

  /// What is reported of a file: `nil` if nothing is.
  private func report(_ bytes: some Collection<UInt8>) -> String? {
    do {
      return try loader.load(path: folder.write("sound", bytes)).truncation
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    "s16.wav", "s24.wav", "f32.wav", "ima.wav", "ms.wav", "gsm.wav", "nms.wav", "a.aiff", "a.aifc", "ima.aiff", "a.au",
    "g721.au", "a.w64", "a.rf64", "a.flac", "b.flac", "a.ogg", "b.ogg", "a.opus", "a.mp3", "b.mp3",
  ]) func `a file that is whole is not reported, and each shorter one is`(name: String) throws {
    let whole = try bytes(name)
    #expect(report(whole) == nil)
    for length in stride(from: 4, to: whole.count, by: whole.count < 700 ? 1 : 17) {
      let report = report(whole[..<length])
      #expect(report?.contains("cut off") == true, "\(length) of \(whole.count) bytes: \(report ?? "nothing")")
    }
    #expect(report(whole.dropLast(40))?.contains("cut off") == true)
    #expect(report([]) == "cannot decode the sound \(folder("sound")): it is empty")
  }

  @Test func `a CAF file that was cut off cannot be played, and says so`() throws {
    let whole = try bytes("alac.caf")
    #expect(report(whole) == nil)
    #expect(report(whole.prefix(60))?.contains("it was cut off") == true)
  }

  @Test(arguments: ["a.mp3", "a.flac", "a.ogg", "s16.wav", "a.aiff"])
  func `what follows the sound is not missed`(name: String) throws {
    // ID3v1 has 128 bytes.
    let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    #expect(report(try bytes(name) + tag) == nil)
    if name.hasSuffix("mp3") { #expect(report(try bytes(name) + [0x12, 0x34, 0xff, 0xfb] + tag) == nil) }
  }

  @Test func `an MP3 file whose first frame does not count the others promises nothing`() throws {
    var mp3 = try bytes("a.mp3")
    let start = try #require(
      mp3.indices.first { mp3[$0...].starts(with: "Info".utf8) || mp3[$0...].starts(with: "Xing".utf8) })
    mp3.replaceSubrange(start..<start + 4, with: Array("none".utf8))
    #expect(report(mp3) == nil)
    #expect(report(mp3.dropLast(300)) == nil)
  }

  @Test func `a FLAC file that does not know its length is cut off in the middle of a frame`() throws {
    var flac = try bytes("b.flac")
    flac.replaceSubrange(21..<26, with: [flac[21] & 0xF0, 0, 0, 0, 0])
    #expect(report(flac) == nil)
    #expect(report(flac.dropLast(100))?.contains("cut off") == true)
  }

  @Test func `what is left of a file plays`() throws {
    for (name, missing, frames) in [("s16.wav", 20, 470), ("a.aiff", 88, 218), ("a.au", 40, 70)] {
      let cut = try loader.load(path: folder.write("sound", try bytes(name).dropLast(missing)))
      #expect(cut.truncation != nil && (cut.rate == 48_000))
      if name != "a.au" { #expect(cut.frameCount <= frames + 22 && cut.frameCount > 0, "\(name): \(cut.frameCount)") }
    }
  }

  @Test func `chunks after the sound, and programs that cannot know its size, are no cut`() {
    let wav = WAVBuilder.int16([Int16](repeating: 9, count: 64), channels: 2, rate: 48_000)
    #expect(report(wav + Array("LIST".utf8) + [4, 0, 0, 0, 1, 2, 3, 4]) == nil)
    for unknown: [UInt8] in [[255, 255, 255, 255], [0, 0, 255, 127]] {
      var piped = wav
      piped.replaceSubrange(4..<8, with: unknown)
      piped.replaceSubrange(40..<44, with: unknown)
      #expect(report(piped) == nil, "\(unknown)")
    }
    // An encoder that counts the first eight bytes, too.
    var wrong = wav
    wrong[4] += 8
    #expect(report(wrong) == nil)
  }
}
