import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FileSourceContentTests {
  @Test func `the file of a slow writer never counts as empty, and a file that stays empty does`() throws {
    let rig = try FileRig()
    rig.write("failed", "f")
    let source = rig.source("f")
    defer { source.stop() }
    try rig.expect("failed")
    let fd = open(rig.folder("f"), O_WRONLY | O_TRUNC)
    // It was found empty, and is read again later.
    try rig.loop.turn { source.emptiness.since != nil }
    #expect(write(fd, "passed", 6) == 6)
    close(fd)
    try rig.expect("passed")
    #expect(!rig.receiver.contents.contains(""))
    rig.write("", "f")
    try rig.expect("")
  }

  @Test func `a file that is emptied, or made empty, without being opened is empty`() throws {
    let rig = try FileRig()
    rig.write("x", "f")
    var emptiness = Emptiness()
    emptiness.closedPatience = .milliseconds(100)
    // By its events the file seems to be open for writing after truncate(2) and link(2).
    emptiness.openPatience = .seconds(3600)
    let source = rig.source("f", emptiness: emptiness)
    #expect(truncate(rig.folder("f"), 0) == 0)
    try rig.expect("")
    rig.write("y", "f")
    try rig.expect("y")
    try rig.delete("f")
    rig.write("", "empty")
    #expect(Glibc.link(rig.folder("empty"), rig.folder("f")) == 0)
    try rig.expect("")
    withExtendedLifetime(source) {}
  }

  @Test func `a folder in the place of a file that comes and goes is a problem that comes and goes`() throws {
    let rig = try FileRig()
    let source = rig.source("f")
    for round in 1...2 {
      rig.make("f")
      try rig.loop.turn { rig.receiver.problems.count == 2 * round - 1 }
      try rig.delete("f")
      try rig.loop.turn { rig.receiver.problems.count == 2 * round }
      #expect(rig.receiver.problems.last == .some(nil))
    }
    #expect(try rig.loop.comesToRest())
    withExtendedLifetime(source) {}
  }

  @Test func `a file that is rewritten over and over with the same content holds nothing else`() throws {
    let rig = try FileRig()
    rig.write("failed", "f")
    let source = rig.source("f")
    defer { source.stop() }
    let (path, last) = (rig.folder("f"), rig.folder("f.new"))
    rig.write("done", "f.new")
    let writer = Thread {
      for _ in 0..<500 {
        let fd = open(path, O_WRONLY | O_TRUNC)
        _ = write(fd, "failed", 6)
        close(fd)
      }
      rename(last, path)
    }
    writer.start()
    try rig.expect("done")
    #expect(Set(rig.receiver.contents) == ["failed", "done"])
  }

  @Test(arguments: [65_535, 65_536, 65_537, 131_072, 131_073, 2_500_000])
  func `content above 64 KiB comes in chunks, all of it`(length: Int) throws {
    let rig = try FileRig()
    let text = String(decoding: (0..<length).map { UInt8(97 + $0 % 23) }, as: UTF8.self)
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

  @Test func `a long file that is emptied while it is read is empty in the end`() throws {
    let rig = try FileRig()
    rig.write(String(repeating: "a", count: 3_000_000), "f")
    let source = rig.source("f")
    #expect(rig.receiver.longLengths.isEmpty)
    rig.write("", "f")
    try rig.expect("")
    withExtendedLifetime(source) {}
  }

  @Test func `anything but a regular file is a problem, reported once`() throws {
    let rig = try FileRig()
    #expect(mkfifo(rig.folder("f"), 0o600) == 0)
    let source = rig.source("f")
    #expect(
      rig.receiver.problems == [
        "\(rig.folder("f")) is a named pipe: read it with 'fifo'"
      ])
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
    #expect(rig.receiver.problems == ["/dev/zero is a device or a socket: name a regular file"])
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
    #expect(rig.watcher.watches.count == 0)
    rig.write("one", "f")
    try rig.expect("one")
    rig.replace("two", "f")
    try rig.expect("two")
    source.stop()
    #expect(try rig.loop.comesToRest())
  }

  @Test func `proc and sys are polled by themselves`() throws {
    #expect(FolderWatcher.muteTree(of: "/proc/uptime") != nil)
    #expect(FolderWatcher.muteTree(of: "/sys/class/power_supply/BAT0/capacity") != nil)
    #expect(FolderWatcher.muteTree(of: "/system/x") == nil)
    let rig = try FileRig()
    let source = FileSource(path: "/proc/version", watcher: rig.watcher, on: rig.loop, receiver: rig.receiver)
    source.start()
    // Its size is given as 0: it is read to its end all the same.
    #expect(rig.receiver.contents.first?.hasPrefix("Linux") == true)
  }
}
