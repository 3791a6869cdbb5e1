import SoundTrigger
import TestSupport
import Testing

@Suite struct SoundLocatorTests {
  let folder = TemporaryFolder()

  @Test func `a name is looked up in the folders' order and in the extensions' order`() throws {
    folder.write("second/ding.wav", "")
    folder.write("first/ding.ogg", "")
    folder.write("first/ding.flac", "")
    let locator = SoundLocator(folders: [folder("first"), folder("second")])
    #expect(try locator.locate("ding") == folder("first/ding.flac"))
    folder.write("first/ding.wav", "")
    #expect(try locator.locate("ding") == folder("first/ding.wav"))
  }

  @Test func `a name with a slash is a path, relative to the configuration`() throws {
    let path = folder.write("mine/bell.wav", "")
    let locator = SoundLocator(folders: [], base: folder.path)
    #expect(try locator.locate("mine/bell.wav") == path)
    #expect(try locator.locate(path) == path)
    #expect(throws: SoundError.unreadable(path: folder("mine/no.wav"), reason: "No such file or directory")) {
      try locator.locate("mine/no.wav")
    }
  }

  @Test(arguments: ["", ".", "..", ".hidden", "nope", "a\u{0}b"]) func `what names no sound is not found`(name: String)
  {
    folder.write(".hidden.wav", "")
    let locator = SoundLocator(folders: [folder.path])
    #expect(throws: SoundError.self) { try locator.locate(name) }
  }

  @Test func `the error says where a name was looked up`() {
    let error = SoundError.notFound(name: "ding", searched: ["/a", "/b"])
    #expect("\(error)" == "no sound is called 'ding' (searched /a, /b)")
  }
}
