import Foundation
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// What `soundd sounds` shows of folders of sounds.
struct SoundListTests {
  private let folder = TemporaryFolder()

  private func list(_ folders: String...) -> SoundList {
    let locator = SoundLocator(folders: folders.map { folder($0) })
    return SoundList(locator.catalogue(), ClipLoader(rate: 48_000, limitSeconds: 300))
  }

  /// A sound of so many milliseconds.
  private func write(_ name: String, milliseconds: Int) {
    let samples = [Int16](repeating: 1000, count: 48 * milliseconds)
    folder.write(name, WAVBuilder.int16(samples, channels: 1, rate: 48_000))
  }

  @Test func `each folder has its sounds with length and meaning, the first folder first`() {
    write("own/success.wav", milliseconds: 1500)
    write("own/door.wav", milliseconds: 20)
    write("shipped/error.wav", milliseconds: 460)
    write("shipped/success.wav", milliseconds: 650)
    folder.write("shipped/README.md", "no sound")
    folder.write("own/broken.wav", "no sound")
    #expect(
      list("own", "missing", "shipped").text(inColour: false) == """
        \(folder("own"))
          broken   -       broken: cannot decode the sound \(folder("own/broken.wav")): \(reason)
          door     20 ms
          success  1.5 s   a task ended well

        \(folder("shipped"))
          error    0.46 s  a task failed
          success  -       not used: \(folder("own/success.wav")) comes first
        """)
  }

  private var reason: String {
    let path = folder("own/broken.wav")
    return "it is not a sound that soundd knows; to convert it: ffmpeg -i \(path) \(path).wav"
  }

  @Test func `of two files of one name in a folder the better format plays`() {
    write("own/a.flac", milliseconds: 10)
    write("own/a.wav", milliseconds: 20)
    #expect(list("own").playable.map(\.sound.path) == [folder("own/a.wav")])
  }

  @Test func `programs get all of it as JSON`() throws {
    write("own/success.wav", milliseconds: 1500)
    write("shipped/success.wav", milliseconds: 650)
    folder.write("shipped/broken.wav", "no sound")
    let rows = try [SoundMessage].read(list("own", "shipped").json)
    #expect(rows.map { $0.name } == ["success", "broken", "success"])
    #expect(
      rows.map { $0.path }
        == ["own/success.wav", "shipped/broken.wav", "shipped/success.wav"].map { folder($0) })
    #expect(rows.map { $0.length } == [.milliseconds(1500), nil, .milliseconds(650)])
    #expect(rows.map { $0.meaning } == ["a task ended well", nil, "a task ended well"])
    #expect(rows.map { $0.hiddenBy } == [nil, nil, folder("own/success.wav")])
    #expect(rows.map { $0.problem != nil } == [false, true, false])
  }

  @Test func `one sound can be picked, also by its freedesktop name`() throws {
    write("own/error.wav", milliseconds: 10)
    write("own/tick.wav", milliseconds: 10)
    #expect(try list("own").only("tick").playable.map(\.sound.name) == ["tick"])
    #expect(try list("own").only("dialog-error").playable.map(\.sound.name) == ["error"])
  }

  @Test func `an unknown name has the nearest one and the searched folders`() {
    write("own/success.wav", milliseconds: 10)
    #expect(
      throws: Failure(
        .noInput, "no sound is called 'sucess' (did you mean 'success'?)\nsearched \(folder("own"))")
    ) { try list("own").only("sucess") }
  }
}
