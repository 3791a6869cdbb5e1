import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Keeps what it receives.
final class RecordingReceiver: ContentReceiver {
  var contents: [String] = []
  var problems: [String?] = []
  var long: [UInt8] = []
  var longLengths: [Int] = []
  var largestChunk = 0

  func receive(content: Span<UInt8>) {
    contents.append(content.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
  }
  func beginLongContent() { long = [] }
  func receive(chunk: Span<UInt8>) {
    largestChunk = max(largestChunk, chunk.count)
    chunk.withUnsafeBufferPointer { long.append(contentsOf: $0) }
  }
  func endLongContent() { longLengths.append(long.count) }
  func fileProblem(_ text: String?) { problems.append(text) }
}

/// A loop, a watcher and a folder for files.
final class FileRig {
  let loop: EventLoop
  let watcher: FolderWatcher
  let folder: TemporaryFolder
  let receiver = RecordingReceiver()

  init() throws {
    loop = try EventLoop()
    watcher = try FolderWatcher(on: loop)
    folder = TemporaryFolder()
  }

  func source(_ name: String, poll: Duration? = nil) -> FileSource {
    let source = FileSource(path: folder(name), poll: poll, watcher: watcher, on: loop, receiver: receiver)
    source.start()
    return source
  }

  /// open, write, close: as `echo > FILE` does.
  func write(_ text: String, _ name: String) {
    let fd = open(folder(name), O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count)
    close(fd)
  }

  /// As a careful writer does.
  func replace(_ text: String, _ name: String) {
    write(text, name + ".new")
    move(name + ".new", name)
  }

  func move(_ old: String, _ new: String) { #expect(rename(folder(old), folder(new)) == 0) }
  func make(_ name: String) { #expect(mkdir(folder(name), 0o700) == 0) }
  func link(_ target: String, _ name: String) { #expect(symlink(target, folder(name)) == 0) }
  func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: folder(name)) }

  /// Turns until the last content is this one.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try loop.turn(until: { receiver.contents.last == text }, sourceLocation: sourceLocation)
  }
}

@Suite struct FileSourceTests {
  @Test func `a file is read at the start and after every write`() throws {
    let rig = try FileRig()
    rig.write("one", "f")
    let source = rig.source("f")
    #expect(rig.receiver.contents == ["one"])
    rig.write("two", "f")
    try rig.expect("two")
    #expect(source.watchProblem == nil)
    #expect(rig.receiver.contents == ["one", "two"])
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

  @Test func `a file that does not exist yet is read once it does`() throws {
    let rig = try FileRig()
    let source = rig.source("f")
    #expect(rig.receiver.contents.isEmpty && rig.receiver.problems.isEmpty)
    rig.write("one", "f")
    try rig.expect("one")
    #expect(rig.receiver.contents == ["one"])
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

  @Test func `a folder that somebody still uses when it is removed is found again`() throws {
    let rig = try FileRig()
    rig.make("a")
    rig.write("one", "a/f")
    let source = rig.source("a/f")
    // Keeps the folder's inode alive, as a shell's working folder does: it sends no IN_DELETE_SELF.
    let user = open(rig.folder("a"), O_RDONLY | O_DIRECTORY)
    defer { close(user) }
    // The file's own going is dealt with before the folder's.
    try rig.delete("a/f")
    try rig.loop.turnWhileBusy()
    try rig.delete("a")
    try rig.loop.turnWhileBusy()
    rig.make("a")
    rig.write("two", "a/f")
    try rig.expect("two")
    withExtendedLifetime(source) {}
  }

  @Test func `a link that is swapped is followed, and so is the file it leads to`() throws {
    let rig = try FileRig()
    rig.make("x")
    rig.make("y")
    rig.write("x1", "x/f")
    rig.write("y1", "y/f")
    rig.link("x/f", "link")
    let source = rig.source("link")
    #expect(rig.receiver.contents == ["x1"])
    rig.replace("x2", "x/f")
    try rig.expect("x2")
    rig.link("y/f", "link.new")
    rig.move("link.new", "link")
    try rig.expect("y1")
    rig.write("y2", "y/f")
    try rig.expect("y2")
    rig.write("x3", "x/f")
    try rig.loop.turnWhileBusy()
    #expect(rig.receiver.contents.last == "y2")
    withExtendedLifetime(source) {}
  }

  @Test func `a linked folder that is swapped is followed`() throws {
    let rig = try FileRig()
    for version in ["v1", "v2"] {
      rig.make(version)
      rig.write(version, version + "/f")
    }
    rig.link("v1", "current")
    let source = rig.source("current/f")
    #expect(rig.receiver.contents == ["v1"])
    rig.link("v2", "current.new")
    rig.move("current.new", "current")
    try rig.expect("v2")
    rig.replace("v2 again", "v2/f")
    try rig.expect("v2 again")
    withExtendedLifetime(source) {}
  }

  @Test func `a link to a file that does not exist yet awaits it`() throws {
    let rig = try FileRig()
    rig.link("later/f", "link")
    let source = rig.source("link")
    rig.make("later")
    rig.write("one", "later/f")
    try rig.expect("one")
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
    // Two names in turn, since equal events in a row count once.
    for number in 0..<(limit / 2 + 10) {
      let name = rig.folder(number % 2 == 0 ? "x" : "y")
      close(open(name, O_CREAT | O_WRONLY, 0o600))
      unlink(name)
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
    #expect(rig.watcher.watchCount == parents + 1)
    rig.write("seven", "f7")
    try rig.expect("seven")
    #expect(rig.receiver.contents == ["seven"])
    sources.removeFirst(8)
    #expect(rig.watcher.watchCount == parents + 1)
    rig.write("gone", "f7")
    rig.write("eight", "f8")
    try rig.expect("eight")
    #expect(rig.receiver.contents == ["seven", "eight"])
    sources = []
    #expect(rig.watcher.watchCount == 0)
  }

  @Test func `a source that is dropped or stopped in its own callback is safe`() throws {
    final class Stopper: ContentReceiver {
      var source: FileSource?
      var count = 0
      func receive(content: Span<UInt8>) {
        count += 1
        source?.stop()
        source = nil
      }
      func beginLongContent() {}
      func receive(chunk: Span<UInt8>) {
        count += 1
        source?.stop()
        source = nil
      }
      func endLongContent() { count += 1 }
      func fileProblem(_ text: String?) {}
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

  @Test(arguments: [65_535, 65_536, 65_537, 131_072, 131_073, 5_000_000])
  func `content above 64 KiB comes in chunks, all of it`(length: Int) throws {
    let rig = try FileRig()
    let text = String((0..<length).map { Character(UnicodeScalar(UInt8(97 + $0 % 23))) })
    rig.write(text, "f")
    let source = rig.source("f")
    if length <= 65_536 {
      #expect(rig.receiver.contents == [text])
      #expect(rig.receiver.longLengths.isEmpty)
    } else {
      try rig.loop.turn { rig.receiver.longLengths == [length] }
      #expect(rig.receiver.long == Array(text.utf8))
      #expect(rig.receiver.largestChunk <= 65_537)
      #expect(rig.receiver.contents.isEmpty)
    }
    withExtendedLifetime(source) {}
  }

  @Test func `a long file that changes while it is read is read again`() throws {
    let rig = try FileRig()
    rig.write(String(repeating: "a", count: 3_000_000), "f")
    let source = rig.source("f")
    #expect(rig.receiver.longLengths.isEmpty)
    rig.replace("short", "f")
    try rig.expect("short")
    #expect(rig.receiver.longLengths == [3_000_000])
    withExtendedLifetime(source) {}
  }

  @Test func `what is no regular file is a problem, reported once, until it is one`() throws {
    let rig = try FileRig()
    #expect(mkfifo(rig.folder("f"), 0o600) == 0)
    let source = rig.source("f")
    #expect(rig.receiver.problems == ["\(rig.folder("f")) is a named pipe: use fifo = \"\(rig.folder("f"))\""])
    try rig.delete("f")
    rig.make("f")
    try rig.loop.turn { rig.receiver.problems.count == 2 }
    #expect(rig.receiver.problems.last??.contains("is a folder") == true)
    #expect(rmdir(rig.folder("f")) == 0)
    rig.write("one", "f")
    try rig.expect("one")
    #expect(rig.receiver.problems.count == 3)
    #expect(rig.receiver.problems.last == .some(nil))
    withExtendedLifetime(source) {}
  }

  @Test func `a device is not touched`() throws {
    let rig = try FileRig()
    let source = FileSource(path: "/dev/zero", watcher: rig.watcher, on: rig.loop, receiver: rig.receiver)
    source.start()
    #expect(rig.receiver.problems == ["/dev/zero is a device or a socket, not a regular file"])
  }

  @Test func `links in a circle are reported and heal`() throws {
    let rig = try FileRig()
    rig.link("g", "f")
    rig.link("f", "g")
    let source = rig.source("f")
    #expect(rig.receiver.problems == ["\(rig.folder("f")): Too many levels of symbolic links"])
    rig.replace("one", "g")
    try rig.expect("one")
    #expect(rig.receiver.problems.last == .some(nil))
    withExtendedLifetime(source) {}
  }

  @Test func `a polled file is read on a timer, without a watch`() throws {
    let rig = try FileRig()
    let source = rig.source("f", poll: .milliseconds(1))
    #expect(rig.watcher.watchCount == 0)
    rig.write("one", "f")
    try rig.expect("one")
    rig.replace("two", "f")
    try rig.expect("two")
    source.stop()
    #expect(try !rig.loop.runOnce(timeout: .milliseconds(5)))
  }

  @Test func `proc and sys are polled by themselves`() throws {
    #expect(FileSource.automaticPoll("/proc/uptime") == .seconds(1))
    #expect(FileSource.automaticPoll("/sys/class/power_supply/BAT0/capacity") == .seconds(1))
    #expect(FileSource.automaticPoll("/system/x") == nil)
    let rig = try FileRig()
    let source = FileSource(path: "/proc/version", watcher: rig.watcher, on: rig.loop, receiver: rig.receiver)
    source.start()
    // Its size is given as 0: it is read to its end all the same.
    #expect(rig.receiver.contents.first?.hasPrefix("Linux") == true)
  }
}
