import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct LinesSourceTests {
  private let rig: FileRig
  private let log = LineRecorder()

  init() throws { rig = try FileRig() }

  @Test func `only the last complete line from before the start arrives, and then each that is appended`() throws {
    rig.write("one\ntwo\nthr", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.beginnings == ["two"])
    #expect(log.lines == [])
    rig.append("ee\nfour\n", "f")
    try rig.expect(["three", "four"], of: log)
    rig.append("fi", "f")
    try rig.loop.turnWhileBusy()
    rig.append("ve\n", "f")
    try rig.expect(["three", "four", "five"], of: log)
  }

  @Test func `a file without a complete line begins without one`() throws {
    rig.write("par", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.beginnings == [nil])
    rig.append("t\n", "f")
    try rig.expect(["part"], of: log)
  }

  @Test func `a file that appears later is read from its beginning`() throws {
    let source = rig.lines("a/b/f", to: log)
    defer { source.stop() }
    #expect(log.beginnings == [nil])
    rig.make("a")
    rig.make("a/b")
    rig.write("one\ntwo\n", "a/b/f")
    try rig.expect(["one", "two"], of: log)
    #expect(log.problems == [])
  }

  @Test func `lines end with a line feed, also after a carriage return, and hold any other bytes`() throws {
    rig.write("", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    rig.append("a\r\n\n\r\nb\rc\nx\0y\n", "f")
    let fd = open(rig.folder("f"), O_WRONLY | O_APPEND)
    #expect(write(fd, [0xFF, 0xFE, 0x0A] as [UInt8], 3) == 3)
    close(fd)
    try rig.expect(["a", "", "", "b\rc", "x\0y", "\u{FFFD}\u{FFFD}"], of: log)
  }

  @Test func `none of a burst is missed, and the last of them stays last`() throws {
    let expected = (0..<100_000).map { "line \($0) of a burst" }
    rig.write("", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    rig.append(expected.joined(separator: "\n") + "\n", "f")
    try rig.expect(expected, of: log)
    try rig.loop.turnWhileBusy()
    #expect(log.lines.count == expected.count)
  }

  @Test func `a writer that never rests leaves others their turn`() throws {
    rig.write("", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    rig.append(String(repeating: "0123456\n", count: 1 << 17), "f")
    var turns = 0
    while log.lines.count < 1 << 17 {
      let before = log.lines.count
      try rig.loop.runOnce(timeout: .seconds(1))
      #expect(log.lines.count - before <= 5000)
      turns += 1
      if turns > 1000 { break }
    }
    #expect(log.lines.count == 1 << 17)
  }

  @Test func `a line of more than 64 KiB is skipped to its end`() throws {
    rig.write("one\n", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    let longest = String(repeating: "x", count: 65_536)
    rig.append(longest + "\n" + longest + "x\ntwo\n", "f")
    try rig.expect([longest, nil, "two"], of: log)
    // Of any length, however it comes.
    for _ in 0..<40 {
      rig.append(longest, "f")
      try rig.loop.turnWhileBusy()
    }
    rig.append("\nthree\n", "f")
    try rig.expect([longest, nil, "two", nil, "three"], of: log)
  }

  @Test func `a last line that is too long is no beginning, and neither is one whose end has not come`() throws {
    let long = String(repeating: "x", count: 70_000)
    rig.write("one\n" + long + "\n", "f")
    rig.write("one\n" + long + long + long, "g")
    let first = rig.lines("f", to: log)
    let second = rig.lines("g", to: log)
    defer {
      first.stop()
      second.stop()
    }
    #expect(log.beginnings == [nil, nil])
    rig.append("\ntwo\n", "g")
    try rig.expect([nil, "two"], of: log)
  }

  @Test func `the last line of a very long file is found at its end`() throws {
    let line = String(repeating: "y", count: 65_536)
    rig.write(String(repeating: "line\n", count: 1_000_000) + line + "\n" + String(line.dropLast()), "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.beginnings == [line])
    rig.append("z\nnext\n", "f")
    try rig.expect([String(line.dropLast()) + "z", "next"], of: log)
  }

  @Test func `the lines of a file that becomes readable are no news`() throws {
    rig.link("f", "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.problems == ["\(rig.folder("f")): Too many levels of symbolic links"])
    #expect(log.beginnings == [])
    rig.replace("one\ntwo\n", "g")
    rig.move("g", "f")
    try rig.loop.turn { !log.beginnings.isEmpty }
    #expect(log.beginnings == ["two"])
    #expect(log.problems.last == .some(nil))
    rig.append("three\n", "f")
    try rig.expect(["three"], of: log)
  }

  @Test func `a named pipe is left alone`() throws {
    #expect(mkfifo(rig.folder("f"), 0o600) == 0)
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.problems == ["\(rig.folder("f")) is a named pipe: read it with 'fifo'"])
  }

  @Test func `a receiver may stop the source in its callback`() throws {
    rig.write("", "f")
    let source = rig.lines("f", to: log)
    log.onLine = { source.stop() }
    rig.append("one\ntwo\n", "f")
    try rig.expect(["one"], of: log)
    rig.append("three\n", "f")
    try rig.loop.turnWhileBusy()
    #expect(log.lines == ["one"])
  }

  @Test func `a polled file needs no watch`() throws {
    rig.write("one\n", "f")
    let source = rig.lines("f", poll: .milliseconds(1), to: log)
    #expect(rig.watcher.watches.count == 0)
    #expect(log.beginnings == ["one"])
    rig.append("two\n", "f")
    try rig.expect(["two"], of: log)
    rig.replace("three\n", "f")
    try rig.expect(["two", "three"], of: log)
    source.stop()
    #expect(try rig.loop.comesToRest())
  }

  @Test func `a file that the kernel makes up begins with its last line, and repeats nothing`() throws {
    let path = "/proc/self/limits"
    let source = LinesSource(path: path, poll: .milliseconds(1), watcher: rig.watcher, on: rig.loop, receiver: log)
    source.start()
    let last = try #require(String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").last)
    #expect(log.beginnings == [String(last)])
    for _ in 0..<5 { try rig.loop.runOnce(timeout: .milliseconds(100)) }
    #expect(log.lines == [])
    source.stop()
  }

  /// More than what is searched for the last line.
  private static let long = String(repeating: "x", count: TailPosition.windowLength)

  /// A file at the start, its last complete line, and the line that `!` completes.
  private static let ends: [(String, String?, String?)] = [
    ("", nil, "!"), ("par", nil, "par!"), ("\n", "", "!"), ("one\n", "one", "!"), ("one\r\n", "one", "!"),
    ("one\ntwo\n", "two", "!"), ("one\n\n", "", "!"), ("one\npar", "one", "par!"),
    (long + "\none\ntwo\npar", "two", "par!"),
    // The beginning of the line is not searched.
    (long + "ne\n", nil, "!"), (long + "ne\npar", nil, "par!"), (long, nil, nil),
  ]

  @Test(arguments: ends)
  func `the last line is the last one that has an end`(content: String, line: String?, next: String?) throws {
    rig.write(content, "f")
    let source = rig.lines("f", to: log)
    defer { source.stop() }
    #expect(log.beginnings == [line])
    rig.append("!\n", "f")
    try rig.expect([next], of: log)
  }
}
