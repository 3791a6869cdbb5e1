import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct ChangeSourceTests {
  private let rig: FileRig
  private var changes: Int { rig.receiver.changes }

  init() throws { rig = try FileRig() }

  private func source(_ path: String) -> ChangeSource {
    let source = ChangeSource(path: path, watcher: rig.watcher, on: rig.loop, receiver: rig.receiver)
    source.start()
    return source
  }

  @Test func `a file is reported when it is written, and what is there at the start is not`() throws {
    rig.write("one", "f")
    let source = source(rig.folder("f"))
    defer { source.stop() }
    try rig.loop.turnWhileBusy()
    #expect(changes == 0)
    rig.replace("two", "f")
    try rig.loop.turn { changes > 0 }
    #expect(rig.receiver.contents == [])
  }

  @Test func `every file of a folder is reported, also of one that comes later`() throws {
    let source = source(rig.folder("d"))
    defer { source.stop() }
    rig.make("d")
    try rig.loop.turn { changes > 0 }
    try rig.loop.turnWhileBusy()
    let before = changes
    rig.write("one", "d/f")
    try rig.loop.turn { changes > before }
  }

  @Test func `what is removed beside a folder on the way causes no wake-up`() throws {
    for folder in ["a", "a/b", "a/beside", "beside"] { rig.make(folder) }
    for path in ["a/b/f", "a/missing/f"] {
      let source = source(rig.folder(path))
      defer { source.stop() }
      try rig.loop.turnWhileBusy()
      try rig.delete(path == "a/b/f" ? "a/beside" : "beside")
      #expect(try !rig.loop.runOnce(timeout: .zero))
    }
  }

  @Test func `a device is not watched, because every program writes to it`() throws {
    let source = source("/dev/null")
    #expect(source.watch.isStopped && rig.watcher.watches.count == 0)
  }
}
