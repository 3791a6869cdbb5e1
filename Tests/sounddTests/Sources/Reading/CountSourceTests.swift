import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct CountSourceTests {
  private let rig: FileRig
  private let log = LineRecorder()

  init() throws { rig = try FileRig() }

  private func source() -> CountSource { rig.count("d", to: log) }

  /// Turns until the last number is this one.
  private func expect(_ number: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try rig.loop.turn(until: { log.lines.last == "\(number)" }, sourceLocation: sourceLocation)
  }

  @Test func `everything in the folder counts, hidden or not, of any kind, and nothing below`() throws {
    rig.make("d")
    rig.write("", "d/a")
    rig.write("", "d/.hidden")
    rig.make("d/folder")
    rig.write("", "d/folder/below")
    rig.link("nowhere", "d/link")
    #expect(mkfifo(rig.folder("d/pipe"), 0o600) == 0)
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["5"])
  }

  @Test func `an empty folder has none`() throws {
    rig.make("d")
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["0"])
  }

  @Test func `names that look like the folder or its parent count`() throws {
    rig.make("d")
    for name in ["...", ".a", "..a"] { rig.write("", "d/" + name) }
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["3"])
  }

  @Test func `arrivals and removals are counted`() throws {
    rig.make("d")
    rig.write("", "mail")
    let source = source()
    defer { source.stop() }
    rig.write("", "d/a")
    try expect(1)
    rig.move("mail", "d/b")
    try expect(2)
    rig.move("d/a", "gone")
    try expect(1)
    try rig.delete("d/b")
    try expect(0)
    #expect(log.lines == ["0", "1", "2", "1", "0"])
  }

  @Test func `a thousand files that come at once are few numbers, the last of them right`() throws {
    rig.make("d")
    let source = source()
    defer { source.stop() }
    for index in 0..<1000 { rig.write("", "d/\(index)") }
    try expect(1000)
    #expect(log.lines == ["0", "1000"])
  }

  @Test func `a file that is written beside another and moved over it changes no number`() throws {
    rig.make("d")
    rig.write("", "d/a")
    let source = source()
    defer { source.stop() }
    rig.replace("new", "d/a")
    try rig.loop.turn { log.lines.count == 2 }
    #expect(log.lines == ["1", "1"])
  }

  @Test func `a huge folder is counted in slices, exactly`() throws {
    rig.make("d")
    rig.write("", "one")
    // Links of one file, because a new file takes ten times as long.
    for index in 0..<5_000 where link(rig.folder("one"), rig.folder("d/\(index)")) != 0 { Issue.record("\(index)") }
    let source = source()
    defer { source.stop() }
    #expect(log.lines == [])
    try expect(5_000)
    try rig.delete("d/77")
    try expect(4_999)
    #expect(log.lines == ["5000", "4999"])
  }

  @Test func `a folder that is missing has no number, and keeps the last when it goes`() throws {
    let source = rig.count("way/d", to: log)
    defer { source.stop() }
    #expect(log.lines == [])
    #expect(log.nothings == 1)
    rig.make("way")
    rig.make("way/d")
    try expect(0)
    rig.write("", "way/d/a")
    try expect(1)
    try rig.delete("way")
    try rig.loop.turnWhileBusy()
    rig.make("way")
    rig.make("way/d")
    rig.write("", "way/d/a")
    rig.write("", "way/d/b")
    try expect(2)
    #expect(log.problems == [])
  }

  @Test func `a folder that is replaced is counted anew, and so is one that a link is turned to`() throws {
    rig.make("x")
    rig.make("y")
    rig.write("", "y/a")
    rig.link("x", "d")
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["0"])
    rig.link("y", "d.new")
    rig.move("d.new", "d")
    try expect(1)
    rig.write("", "y/b")
    try expect(2)
    rig.move("y", "z")
    rig.make("y")
    try expect(0)
  }

  @Test func `a file in the place of the folder is a problem`() throws {
    rig.write("", "d")
    let source = source()
    defer { source.stop() }
    #expect(log.problems == ["\(rig.folder("d")) is no folder: correct the path"])
    try rig.delete("d")
    rig.make("d")
    try expect(0)
    #expect(log.problems.count == 2)
    #expect(log.problems.last == .some(nil))
  }

  @Test func `writing into files is no reason to count, nor to wake up`() throws {
    rig.make("d")
    rig.write("", "d/a")
    let source = source()
    defer { source.stop() }
    try rig.loop.turnWhileBusy()
    rig.append("more", "d/a")
    #expect(chmod(rig.folder("d/a"), 0o600) == 0)
    #expect(try !rig.loop.runOnce(timeout: .zero))
    rig.write("", "d/b")
    try expect(2)
    #expect(log.lines == ["1", "2"])
  }

  @Test func `on a timer it is counted each time, without a watch`() throws {
    rig.make("d")
    let source = rig.count("d", poll: .milliseconds(1), to: log)
    #expect(rig.watcher.watches.count == 0)
    rig.write("", "d/a")
    try expect(1)
    source.stop()
    #expect(try rig.loop.comesToRest())
  }
}
