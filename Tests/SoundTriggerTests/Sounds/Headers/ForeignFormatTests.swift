import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// Files that soundd cannot decode.
struct ForeignFormatTests {
  private let folder = TemporaryFolder()

  private func error(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder.write(name, bytes)
    let error = try #require(throws: SoundError.self) { try ClipLoader(rate: 48_000).load(path: path) }
    return "\(error)".replacing("\(folder.path)/", with: "")
  }

  @Test(arguments: [
    ("a.m4a", [0, 0, 0, 0x20] + Array("ftypM4A \0\0\0\0".utf8), "MP4 (AAC or ALAC)"),
    ("a.aac", [0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc], "AAC"),
    ("a.wv", Array("wvpk".utf8) + [0x10, 0x04], "WavPack"),
    ("a.wma", [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11], "WMA"),
    ("a.webm", [0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42], "WebM or Matroska"),
    ("a.wav", Array("this is no sound".utf8), "not a sound that soundd knows"),
  ]) func `the error says what the file is and how to convert it`(name: String, bytes: [UInt8], format: String) throws {
    let text = try error(name, bytes + [UInt8](repeating: 0, count: 200))
    #expect(
      text == "cannot decode the sound \(name): it is \(format); to convert it: ffmpeg -i \(folder.path)/\(name) "
        .replacing("\(folder.path)/", with: "") + "\(name).wav")
  }

  @Test func `the name of the file is quoted for a shell`() throws {
    let text = try error("it's me.m4a", [0, 0, 0, 0x20] + Array("ftypM4A ".utf8))
    #expect(text.hasSuffix(#"ffmpeg -i 'it'\''s me.m4a' 'it'\''s me.m4a.wav'"#))
  }

  @Test func `a name finds a file that must be converted, if there is no other`() throws {
    folder.write("bell.m4a", [0, 0, 0, 0x20] + Array("ftypM4A ".utf8))
    let locator = SoundLocator(folders: [folder.path])
    #expect(try locator.locate("bell") == folder("bell.m4a"))
    folder.write("bell.wav", WAVBuilder.int16([1, 1], channels: 2, rate: 48_000))
    #expect(try locator.locate("bell") == folder("bell.wav"))
  }
}
