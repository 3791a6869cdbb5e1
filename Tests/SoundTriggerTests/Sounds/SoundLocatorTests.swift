import Glibc
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
    #expect(throws: SoundError.missing(path: folder("mine/no.wav"))) {
      try locator.locate("mine/no.wav")
    }
  }

  @Test func `a search returns the links that decided it, dangling ones as well`() {
    folder.write("second/ding.ogg", "")
    folder.write("first/other.txt", "")
    for (target, link) in [
      ("missing", "first/ding.wav"), ("missing", "first/dong.wav"), ("ding.ogg", "second/ding.flac"),
      ("missing", "second/ding.opus"), ("round.wav", "second/round.wav"),
    ] { #expect(symlink(target, folder(link)) == 0) }
    let locator = SoundLocator(folders: [folder("first"), folder("second")], base: folder.path)
    // What comes after the file that is found does not matter.
    let ding = locator.search("ding")
    #expect(ding.path == .success(folder("second/ding.flac")))
    #expect(ding.links == [folder("first/ding.wav"), folder("second/ding.flac")])
    #expect(locator.search("dong").links == [folder("first/dong.wav")])
    #expect(locator.search("dong").path == .failure(.notFound(name: "dong", searched: locator.folders, near: "ding")))
    #expect(
      locator.search("ding.wav").path == .failure(.notFound(name: "ding.wav", searched: locator.folders, near: "ding")))
    #expect(locator.search("./first/ding.wav").links == [folder("./first/ding.wav")])
    #expect(locator.search("./second/ding.ogg").links == [])
    #expect(locator.search("./second/round.wav").links == [folder("./second/round.wav")])
    #expect(locator.search("nothing").links == [])
  }

  @Test(arguments: ["", ".", "..", ".hidden", "nope", "a\u{0}b"]) func `a name that no sound can have is not found`(
    name: String
  ) {
    folder.write(".hidden.wav", "")
    let locator = SoundLocator(folders: [folder.path])
    #expect(throws: SoundError.self) { try locator.locate(name) }
  }

  @Test func `the name of a sound is that of its file without the extension`() {
    #expect(SoundLocator.name(of: "/a/b.c/ding.wav") == "ding")
    #expect(SoundLocator.name(of: "ding.dong.ogg") == "ding.dong")
    for path in ["/a/ding", "/a/ding.txt", "/a/.wav", "/a.wav/ding", ""] { #expect(SoundLocator.name(of: path) == nil) }
  }

  @Test func `the error says where a name was looked up`() {
    let error = SoundError.notFound(name: "ding", searched: ["/a", "/b"])
    #expect("\(error)" == "no sound is called 'ding'\n  searched: /a, /b")
    #expect(error.line == "no sound is called 'ding'; searched: /a, /b")
  }
}
