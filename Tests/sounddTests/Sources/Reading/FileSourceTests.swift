import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FileSourceTests {
  @Test func `a file is read at the start and after every write`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    #expect(rig.receiver.contents == ["one"])
    rig.write("two", "f")
    try rig.expect("two")
    #expect(source.watch.problem == nil)
    #expect(rig.receiver.contents == ["one", "two"])
    withExtendedLifetime(source) {}
  }

  @Test func `an atomic replace is read once`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    rig.replace("two", "f")
    try rig.expect("two")
    try rig.loop.turnWhileBusy()
    #expect(rig.receiver.contents == ["one", "two"])
    rig.write("three", "f")
    try rig.expect("three")
    withExtendedLifetime(source) {}
  }

  @Test func `a file that is read again without a write in between is reported as such`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    source.watch.anythingChanged()
    try rig.loop.turnWhileBusy()
    #expect(rig.receiver.contents == ["one", "one"])
    #expect(rig.receiver.repetitions == 1)
    // Until the kernel stamps another time.
    try rig.loop.turn {
      rig.write("", "clock")
      return rig.stamp("clock").changed > rig.stamp("f").changed
    }
    for write in [rig.write, rig.replace] {
      let before = rig.receiver.contents.count
      write("one", "f")
      try rig.loop.turn { rig.receiver.contents.count > before }
      #expect(rig.receiver.repetitions == 1)
    }
  }

  @Test func `a content that was not passed on does not count as received`() throws {
    let rig = try FileRig()
    rig.write("x", "f")
    let source = rig.source("f")
    // Empty for a while before that is believed: read twice in one state.
    rig.write("", "f")
    try rig.expect("")
    #expect(rig.receiver.repetitions == 0)
    withExtendedLifetime(source) {}
  }

  @Test func `a file that does not exist yet is read once it does`() throws {
    let rig = try FileRig()
    let source = rig.source("f")
    #expect(rig.receiver.contents.isEmpty && rig.receiver.problems.isEmpty)
    #expect(rig.receiver.nothings == 1)
    rig.write("one", "f")
    try rig.expect("one")
    #expect(rig.receiver.contents == ["one"])
    withExtendedLifetime(source) {}
  }

  @Test func `a file that cannot be read is no missing one`() throws {
    let rig = try FileRig()
    rig.link("f", "f")
    let source = rig.source("f")
    #expect(rig.receiver.problems.count == 1)
    #expect(rig.receiver.nothings == 0)
    rig.replace("one", "f")
    try rig.expect("one")
    #expect(rig.receiver.nothings == 0)
    withExtendedLifetime(source) {}
  }

  @Test func `folders that do not exist yet are followed down as they appear`() throws {
    let rig = try FileRig()
    let source = rig.source("a/b/f")
    rig.make("a")
    try rig.loop.turnWhileBusy()
    rig.make("a/b")
    try rig.loop.turnWhileBusy()
    rig.write("one", "a/b/f")
    try rig.expect("one")
    #expect(rig.receiver.contents == ["one"])
    withExtendedLifetime(source) {}
  }

  @Test func `a whole tree that appears at once is found`() throws {
    let rig = try FileRig()
    let source = rig.source("a/b/f")
    rig.make("a")
    rig.make("a/b")
    rig.write("one", "a/b/f")
    try rig.expect("one")
    rig.make("c")
    rig.make("c/b")
    rig.write("two", "c/b/f")
    rig.move("a", "gone")
    rig.move("c", "a")
    try rig.expect("two")
    withExtendedLifetime(source) {}
  }

  @Test func `a file that vanishes says nothing, and is read when it is back`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    try rig.delete("f")
    try rig.loop.turnWhileBusy()
    #expect(rig.receiver.contents == ["one"] && rig.receiver.problems.isEmpty)
    rig.write("two", "f")
    try rig.expect("two")
    withExtendedLifetime(source) {}
  }

  @Test func `a folder that is removed and made again is found, as is one that is renamed away`() throws {
    let rig = try FileRig()
    rig.make("a")
    rig.make("a/b")
    rig.write("one", "a/b/f")
    let source = rig.source("a/b/f")
    try rig.delete("a")
    try rig.loop.turnWhileBusy()
    rig.make("a")
    rig.make("a/b")
    rig.write("two", "a/b/f")
    try rig.expect("two")
    rig.move("a", "elsewhere")
    try rig.loop.turnWhileBusy()
    rig.write("not ours", "elsewhere/b/f")
    rig.make("a")
    rig.make("a/b")
    rig.write("three", "a/b/f")
    try rig.expect("three")
    #expect(!rig.receiver.contents.contains("not ours"))
    withExtendedLifetime(source) {}
  }

  @Test func `a folder that is removed while a process uses it is found again`() throws {
    let rig = try FileRig()
    rig.make("a")
    rig.write("one", "a/f")
    let source = rig.source("a/f")
    // Keeps the folder's inode alive, as a shell's working folder does: it sends no IN_DELETE_SELF.
    let user = open(rig.folder("a"), O_RDONLY | O_DIRECTORY)
    defer { close(user) }
    // The removal of the file is handled before that of the folder.
    try rig.delete("a/f")
    try rig.loop.turnWhileBusy()
    try rig.delete("a")
    try rig.loop.turnWhileBusy()
    rig.make("a")
    rig.write("two", "a/f")
    try rig.expect("two")
    withExtendedLifetime(source) {}
  }

  @Test func `an editor's save with a backup is read, without the moment in between`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    // vim with backupcopy=no: the old file becomes the backup, a new one is written and the backup removed.
    rig.move("f", "f~")
    try rig.loop.turnWhileBusy()
    let fd = open(rig.folder("f"), O_CREAT | O_WRONLY, 0o600)
    try rig.loop.turnWhileBusy()
    #expect(Glibc.write(fd, "two", 3) == 3)
    close(fd)
    try rig.delete("f~")
    try rig.expect("two")
    #expect(rig.receiver.contents == ["one", "two"])
    withExtendedLifetime(source) {}
  }

  @Test func `a writer that does not close is read once it is quiet`() throws {
    let rig = try FileRig()
    rig.write("", "f")
    let source = rig.source("f")
    let fd = open(rig.folder("f"), O_WRONLY | O_APPEND)
    defer { close(fd) }
    for _ in 0..<100 {
      #expect(Glibc.write(fd, "x", 1) == 1)
      try rig.loop.turnWhileBusy()
    }
    try rig.expect(String(repeating: "x", count: 100))
    // Far fewer readings than writes; how many depends on how long the writes took.
    #expect(rig.receiver.contents.count < 20)
    withExtendedLifetime(source) {}
  }

  @Test func `of a thousand writes the last is never lost`() throws {
    let rig = try FileRig()
    let source = rig.source("f")
    for number in 0..<1000 {
      if number % 3 == 0 { rig.replace("\(number)", "f") } else { rig.write("\(number)", "f") }
      if number % 10 == 0 { try rig.loop.turnWhileBusy() }
    }
    try rig.expect("999")
    withExtendedLifetime(source) {}
  }

  @Test func `after an overflow of the queue everything is read again`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Two names in turn, because the kernel merges equal events in a row.
    for number in 0..<(limit + 10) {
      close(open(rig.folder(number % 2 == 0 ? "x" : "y"), O_CREAT | O_WRONLY, 0o600))
    }
    // This one finds the queue full.
    rig.write("two", "f")
    try rig.expect("two")
    withExtendedLifetime(source) {}
  }

  @Test func `many files in one folder share one watch, and it ends with the last`() throws {
    let rig = try FileRig()
    var sources = (0..<50).map { rig.source("f\($0)") }
    let parents = rig.folder.path.split(separator: "/").count
    #expect(rig.watcher.watches.count == parents + 1)
    rig.write("seven", "f7")
    try rig.expect("seven")
    #expect(rig.receiver.contents == ["seven"])
    sources.removeFirst(8)
    #expect(rig.watcher.watches.count == parents + 1)
    rig.write("gone", "f7")
    rig.write("eight", "f8")
    try rig.expect("eight")
    #expect(rig.receiver.contents == ["seven", "eight"])
    sources = []
    #expect(rig.watcher.watches.count == 0)
  }

  @Test func `a source that is dropped or stopped in its own callback is safe`() throws {
    final class Stopper: ContentReceiver {
      var source: FileSource?
      var count = 0
      func foundNothing() {}
      func receive(content: Span<UInt8>, isAgain: Bool) {
        count += 1
        source?.stop()
        source = nil
      }
      func beginLongContent(isAgain: Bool) {}
      func receive(chunk: Span<UInt8>) {
        count += 1
        source?.stop()
        source = nil
      }
      func endLongContent() { count += 1 }
      func fileProblem(_ text: String?) {}
      func linesBegin(after line: Span<UInt8>?) {}
      func skippedLine() {}
      func remark(_ text: String) {}
    }
    let rig = try FileRig()
    let stopper = Stopper()
    for text in ["short", String(repeating: "long", count: 1 << 20)] {
      rig.write("", "f")
      stopper.source = FileSource(path: rig.folder("f"), watcher: rig.watcher, on: rig.loop, receiver: stopper)
      rig.write(text, "f")
      stopper.count = 0
      stopper.source?.start()
      try rig.loop.turnWhileBusy()
      #expect(stopper.count == 1)
    }
  }
}
