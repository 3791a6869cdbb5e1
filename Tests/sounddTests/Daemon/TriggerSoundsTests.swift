import Foundation
import Logging
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct TriggerSoundsTests {
  private let rig: FileRig
  private let sounds: TriggerSounds
  private let changes = Changes()

  /// The names that were reported.
  private final class Changes { var names: [String] = [] }

  init() throws {
    rig = try FileRig()
    rig.make("sounds")
    sounds = try TriggerSounds(
      locator: SoundLocator(folders: [rig.folder("sounds")], base: rig.folder.path),
      loader: ClipLoader(rate: 48_000), file: nil, files: FileThreads(on: rig.loop),
      commands: CommandRunner.Setting(.test), on: rig.loop,
      log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    sounds.onChange = { [changes] in changes.names += $0 }
  }

  private func write(_ name: String, frames: Int) {
    rig.folder.write(name, WAVBuilder.int16([Int16](repeating: 1, count: 2 * frames), channels: 2, rate: 48_000))
  }

  private func load(_ names: [String]) throws {
    var isDone = false
    sounds.load(names) { isDone = true }
    #expect(!isDone, "nothing is loaded before the loop turns")
    try rig.loop.turn { isDone }
  }

  /// How many frames a sound has; `nil` if it cannot be played.
  private func frames(_ name: String) -> Int? { sounds.loaded[name]?.frameCount }

  @Test func `sounds are loaded in the background, those that fail as well`() throws {
    write("sounds/a.wav", frames: 10)
    try load(["a", "nothing"])
    #expect(frames("a") == 10)
    #expect(sounds.loaded.problem(of: "nothing") == .notFound(name: "nothing", searched: [rig.folder("sounds")]))
    #expect(sounds.watchProblem == nil)
    #expect(changes.names == [])
  }

  @Test func `a file that changes is loaded again, and only that`() throws {
    write("sounds/a.wav", frames: 10)
    write("sounds/b.wav", frames: 10)
    try load(["a", "b"])
    let other = try #require(sounds.loaded["b"])
    write("sounds/a.wav", frames: 20)
    try rig.loop.turn { !changes.names.isEmpty }
    #expect(changes.names == ["a"])
    #expect(frames("a") == 20)
    #expect(sounds.loaded["b"] === other)
  }

  @Test func `a file that is removed and written anew in time never fails`() throws {
    write("sounds/a.wav", frames: 10)
    try load(["a"])
    try rig.delete("sounds/a.wav")
    try rig.loop.turnWhileBusy()
    write("sounds/a.wav", frames: 20)
    try rig.loop.turn { !changes.names.isEmpty }
    #expect(changes.names == ["a"])
    #expect(frames("a") == 20)
  }

  @Test(.slow) func `a sound breaks with its file and heals with it`() throws {
    write("sounds/a.wav", frames: 10)
    try load(["a"])
    rig.write("no sound", "sounds/a.wav")
    try rig.loop.turn { changes.names.count == 1 }
    #expect(frames("a") == nil)
    write("sounds/a.wav", frames: 20)
    try rig.loop.turn { changes.names.count == 2 }
    #expect(frames("a") == 20)
  }

  @Test func `a text can be spoken as soon as its program is installed`() throws {
    let program = rig.folder("engine")
    var locator = SoundLocator(folders: [], base: rig.folder.path)
    locator.speechProblem = { _ in access(program, X_OK) == 0 ? nil : "there is no program" }
    sounds.move(to: nil, locator)
    try load(["say:hello"])
    #expect(sounds.loaded.problem(of: "say:hello") == .unspoken(text: "hello", reason: "there is no program"))
    #expect(sounds.timer.isScheduled)
    rig.write("#!/bin/sh\n", "engine")
    chmod(program, 0o755)
    rig.loop.schedule(sounds.timer, at: rig.loop.now)
    try rig.loop.turn { frames("say:hello") == 1 }
  }

  @Test(.slow) func `folders, links and paths are followed`() throws {
    rig.link(rig.folder("elsewhere/later.wav"), "sounds/link.wav")
    try load(["link", "aside/path.wav"])
    #expect(frames("link") == nil && frames("aside/path.wav") == nil)
    rig.make("elsewhere")
    write("elsewhere/later.wav", frames: 1)
    rig.make("aside")
    write("aside/path.wav", frames: 2)
    try rig.loop.turn { frames("link") == 1 && frames("aside/path.wav") == 2 }
    rig.move("sounds", "gone")
    try rig.loop.turn { frames("link") == nil }
    rig.make("sounds")
    write("sounds/link.wav", frames: 3)
    try rig.loop.turn { frames("link") == 3 }
  }

  @Test(.slow) func `a file of the sound's other name is followed until there is one of its own`() throws {
    write("sounds/error.wav", frames: 1)
    try load(["dialog-error"])
    #expect(frames("dialog-error") == 1)
    write("sounds/error.wav", frames: 2)
    try rig.loop.turn { frames("dialog-error") == 2 }
    write("sounds/dialog-error.wav", frames: 3)
    try rig.loop.turn { frames("dialog-error") == 3 }
  }

  @Test func `a sound that is not kept is forgotten, and one that is fetched is never kept`() throws {
    write("sounds/a.wav", frames: 10)
    write("sounds/b.wav", frames: 20)
    try load(["a"])
    var fetched: Int?
    sounds.fetch("b") { fetched = try? $0.get().frameCount }
    try rig.loop.turn { fetched != nil }
    #expect(fetched == 20)
    #expect(frames("b") == nil)
    sounds.use(Configuration())
    #expect(frames("a") == nil)
    write("sounds/a.wav", frames: 20)
    try rig.loop.turnWhileBusy()
    #expect(!sounds.timer.isScheduled)
  }

  @Test func `a sound that another load drops meanwhile is there when it is loaded`() throws {
    write("sounds/a.wav", frames: 10)
    var isDone = false
    sounds.load(["a"]) { isDone = true }
    sounds.use(Configuration())
    try rig.loop.turn { isDone }
    #expect(frames("a") == 10)
    write("sounds/a.wav", frames: 20)
    try rig.loop.turn { frames("a") == 20 }
  }

  @Test func `other files in the folder change no sound`() throws {
    write("sounds/a.wav", frames: 10)
    try load(["a"])
    let clip = try #require(sounds.loaded["a"])
    rig.write("x", "sounds/readme.txt")
    write("sounds/b.wav", frames: 10)
    try rig.loop.turn { sounds.timer.isScheduled }
    try rig.loop.turn { !sounds.timer.isScheduled && !sounds.isBusy }
    #expect(changes.names == [] && sounds.loaded["a"] === clip)
  }
}
