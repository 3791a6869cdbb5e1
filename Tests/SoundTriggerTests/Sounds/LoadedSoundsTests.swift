import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

@Suite struct LoadedSoundsTests {
  let folder = TemporaryFolder()
  private var locator: SoundLocator { SoundLocator(folders: [folder.path], base: folder.path) }

  private func write(_ name: String, frames: Int) {
    folder.write(name, WAVBuilder.int16([Int16](repeating: 1, count: 2 * frames), channels: 2, rate: 48_000))
  }

  private func load(_ names: [String], known: [SoundFile.Identity: Clip] = [:]) -> [LoadedSound] {
    ClipLoader(rate: 48_000).load(names, locator: locator, known: known.mapValues { .success($0) })
  }

  @Test func `a sound has a clip or a problem, and one that was never asked for has neither`() throws {
    write("a.wav", frames: 10)
    var sounds = LoadedSounds.load(["a", "nothing"], locator: locator, loader: ClipLoader(rate: 48_000))
    #expect(sounds["a"]?.frameCount == 10)
    #expect(sounds.problem(of: "a") == nil)
    #expect(sounds["nothing"] == nil)
    #expect(sounds.problem(of: "nothing") == .notFound(name: "nothing", searched: [folder.path]))
    #expect(sounds["other"] == nil && sounds.problem(of: "other") == nil)
    sounds.set("a", .failure(.tooLong(path: "a", limitSeconds: 1)))
    #expect(sounds["a"] == nil && sounds.problem(of: "a") == .tooLong(path: "a", limitSeconds: 1))
    sounds.remove("a")
    #expect(sounds["a"] == nil && sounds.problem(of: "a") == nil)
  }

  @Test func `sounds come in the order of their names, each with its clip or problem`() throws {
    write("a.wav", frames: 10)
    write("b.wav", frames: 20)
    folder.write("bad.wav", "no sound")
    let sounds = load(["b", "nothing", "bad", "./a.wav"])
    #expect(sounds.map(\.name) == ["b", "nothing", "bad", "./a.wav"])
    #expect(try sounds[0].clip.get().frameCount == 20)
    #expect(try sounds[3].clip.get().frameCount == 10)
    #expect(throws: SoundError.notFound(name: "nothing", searched: [folder.path])) { try sounds[1].clip.get() }
    #expect(throws: SoundError.self) { try sounds[2].clip.get() }
    #expect(sounds[1].file == nil)
    #expect(sounds[2].file?.path == folder("bad.wav"))
  }

  @Test func `one file is loaded once, whatever it is called`() throws {
    write("a.wav", frames: 10)
    #expect(symlink(folder("a.wav"), folder("link.wav")) == 0)
    #expect(Foundation.link(folder("a.wav"), folder("twin.wav")) == 0)
    let sounds = load(["a", "./a.wav", "link", "twin"])
    let clips = try sounds.map { try $0.clip.get() }
    #expect(clips.count == 4 && clips.allSatisfy { $0 === clips[0] })
    #expect(sounds.map(\.links) == [[], [], [folder("link.wav")], []])
  }

  @Test func `whether somebody speaks is asked once, however many texts there are`() {
    let questions = Guarded(0)
    var locator = locator
    locator.speechProblem = { _ in
      questions.withLock { $0 += 1 }
      return "nobody"
    }
    let sounds = ClipLoader(rate: 48_000).load(["say:a", "say:b"], locator: locator)
    for (sound, text) in zip(sounds, ["a", "b"]) {
      #expect(throws: SoundError.unspoken(text: text, reason: "nobody")) { try sound.clip.get() }
    }
    #expect(sounds.count == 2 && questions.withLock { $0 } == 1)
  }

  @Test func `a file that is known to be damaged is not decoded again`() throws {
    write("a.wav", frames: 10)
    let file = try #require(load(["a"]).first?.file)
    let problem = SoundError.tooLong(path: "a", limitSeconds: 1)
    let sounds = ClipLoader(rate: 48_000).load(["a"], locator: locator, known: [file.identity: .failure(problem)])
    #expect(throws: problem) { try sounds[0].clip.get() }
  }

  @Test func `a known clip is reused while its file is unchanged`() throws {
    write("a.wav", frames: 10)
    let first = try #require(load(["a"]).first)
    let clip = try first.clip.get()
    let known = [try #require(first.file).identity: clip]
    #expect(try load(["a"], known: known)[0].clip.get() === clip)
    write("a.wav", frames: 11)
    #expect(try load(["a"], known: known)[0].clip.get().frameCount == 11)
  }
}
