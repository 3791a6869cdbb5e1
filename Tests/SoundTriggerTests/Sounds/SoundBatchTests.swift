import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

@Suite struct SoundBatchTests {
  let folder = TemporaryFolder()

  private func write(_ name: String, frames: Int) {
    folder.write(name, WAVBuilder.int16([Int16](repeating: 1, count: 2 * frames), channels: 2, rate: 48_000))
  }

  private func batch(_ names: [String], known: [SoundFile.Identity: Clip] = [:]) -> SoundBatch {
    SoundBatch(
      names, locator: SoundLocator(folders: [folder.path], base: folder.path), loader: ClipLoader(rate: 48_000),
      known: known)
  }

  private func clip(_ sound: LoadedSound) throws -> Clip { try sound.clip.get() }

  @Test func `sounds come in the order of their names, each with what became of it`() throws {
    write("a.wav", frames: 10)
    write("b.wav", frames: 20)
    folder.write("bad.wav", "no sound")
    let batch = batch(["b", "nothing", "bad", "./a.wav"])
    batch.work()
    let sounds = batch.sounds
    #expect(sounds.map(\.name) == ["b", "nothing", "bad", "./a.wav"])
    #expect(try clip(sounds[0]).frameCount == 20)
    #expect(try clip(sounds[3]).frameCount == 10)
    #expect(throws: SoundError.notFound(name: "nothing", searched: [folder.path])) { try clip(sounds[1]) }
    #expect(throws: SoundError.self) { try clip(sounds[2]) }
    #expect(sounds[1].file == nil)
    #expect(sounds[2].file?.path == folder("bad.wav"))
  }

  @Test func `one file is loaded once, whatever it is called`() throws {
    write("a.wav", frames: 10)
    #expect(symlink(folder("a.wav"), folder("link.wav")) == 0)
    #expect(Foundation.link(folder("a.wav"), folder("twin.wav")) == 0)
    let batch = batch(["a", "./a.wav", "link", "twin"])
    batch.work()
    let clips = try batch.sounds.map(clip)
    #expect(clips.count == 4 && clips.allSatisfy { $0 === clips[0] })
    #expect(batch.sounds.map(\.links) == [[], [], [folder("link.wav")], []])
  }

  @Test func `a clip that is known is taken as long as its file is what it was`() throws {
    write("a.wav", frames: 10)
    let first = batch(["a"])
    first.work()
    let old = try #require(first.sounds.first)
    let known = [try #require(old.file).identity: try clip(old)]
    let again = batch(["a"], known: known)
    again.work()
    #expect(try clip(again.sounds[0]) === clip(old))
    write("a.wav", frames: 11)
    let changed = batch(["a"], known: known)
    changed.work()
    #expect(try clip(changed.sounds[0]).frameCount == 11)
  }

  @Test func `threads share the work and leave nothing out`() async throws {
    let names = (0..<200).map { "s\($0)" }
    for (index, name) in names.enumerated() { write("\(name).wav", frames: index + 1) }
    let batch = batch(names)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { batch.work() } }
    }
    #expect(try batch.sounds.map { try clip($0).frameCount } == Array(1...200))
  }
}
