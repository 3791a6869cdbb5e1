import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct BuiltInSoundsTests {
  private let locator = SoundLocator(folders: ["/nowhere", BuiltInSounds.folder])
  private let loader = ClipLoader(rate: 48_000)

  private static let shipped = ((try? FileManager.default.contentsOfDirectory(atPath: ShippedSound.folder.path)) ?? [])
    .filter { $0.hasSuffix(".wav") }.sorted()

  @Test func `each shipped sound is built in, and no other`() {
    #expect(BuiltInSounds.files.sorted() == Self.shipped)
  }

  @Test(arguments: shipped) func `a built-in sound is the same as its file`(file: String) throws {
    let path = try locator.locate(try #require(SoundLocator.name(of: file)))
    #expect(path == "(built in)/\(file)")
    let (builtIn, shipped) = (
      try loader.load(path: path), try loader.load(path: ShippedSound.folder.appending(path: file).path)
    )
    #expect(builtIn.frameCount == shipped.frameCount)
    #expect(builtIn.samples == shipped.samples)
  }

  @Test func `a file comes before a built-in sound, and before the alias of one`() throws {
    let folder = TemporaryFolder()
    folder.write("error.ogg", "")
    folder.write("dialog-warning.wav", "")
    let locator = SoundLocator(folders: [folder.path, BuiltInSounds.folder])
    #expect(try locator.locate("error") == folder("error.ogg"))
    #expect(try locator.locate("dialog-warning") == folder("dialog-warning.wav"))
    #expect(try locator.locate("warning") == "(built in)/warning.wav")
    #expect(try locator.locate("dialog-error") == folder("error.ogg"))
    #expect(try locator.locate("press-button") == "(built in)/press.wav")
  }

  @Test func `a built-in sound is found without a look at a file system`() {
    let search = SoundLocator(folders: [BuiltInSounds.folder]).search("success") { path in
      Issue.record("\(path) was touched")
      return "touched"
    }
    #expect(search.path == .success("(built in)/success.wav"))
  }

  @Test func `no other path leads to a built-in sound`() {
    for sound in ["(built in)/success.wav", "./(built in)/success.wav", "/(built in)/success.wav"] {
      #expect(throws: SoundError.self) { try SoundLocator(folders: [], base: "/").locate(sound) }
    }
    #expect(throws: SoundError.self) { try loader.load(path: "(built in)/nothing.wav") }
  }

  @Test func `a built-in sound is decoded once for all its names`() throws {
    let sounds = loader.load(["press", "press-button", "button-pressed"], locator: locator)
    let clips = try sounds.map { try $0.clip.get() }
    #expect(clips[0] === clips[1] && clips[1] === clips[2])
    let other = try #require(loader.load(["release"], locator: locator).first)
    #expect(other.file?.identity != sounds[0].file?.identity)
  }

  @Test func `the list has the built-in sounds that play, and no others`() throws {
    let folder = TemporaryFolder()
    for file in Self.shipped.dropFirst(2) { folder.write(file, "") }
    let catalogue = SoundLocator(folders: [folder.path, BuiltInSounds.folder]).catalogue()
    #expect(catalogue.map(\.folder) == [folder.path, "(built in)"])
    #expect(catalogue.last?.sounds.map(\.name) == ["alarm", "alignment"])
    #expect(catalogue.last?.sounds.allSatisfy(\.isBuiltIn) == true)
    for file in Self.shipped.prefix(2) { folder.write(file, "") }
    #expect(SoundLocator(folders: [folder.path, BuiltInSounds.folder]).catalogue().map(\.folder) == [folder.path])
  }

  @Test func `the theme that is installed has the same other names`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sounds/theme-names")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
    let names = Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), [String($0[1])]) })
    #expect(names == SoundAliases.shipped)
  }
}
