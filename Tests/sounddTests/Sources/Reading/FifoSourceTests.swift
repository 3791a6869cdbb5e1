import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FifoSourceTests {
  private let rig: FileRig
  private let log = LineRecorder()

  init() throws { rig = try FileRig() }

  private func source() -> FifoSource { rig.fifo("p", to: log) }

  /// Opens the pipe for writing, which fails without a reader.
  private func open(_ name: String = "p", sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
    let fd = Glibc.open(rig.folder(name), O_WRONLY | O_NONBLOCK)
    #expect(fd >= 0, "\(SystemError.text(errno))", sourceLocation: sourceLocation)
    return fd
  }

  /// As `echo > p` does.
  private func say(_ text: String, _ name: String = "p", sourceLocation: SourceLocation = #_sourceLocation) {
    let fd = open(name, sourceLocation: sourceLocation)
    FileRig.put(text, fd)
    close(fd)
  }

  private func status(_ name: String = "p") -> stat {
    var status = stat()
    #expect(stat(rig.folder(name), &status) == 0)
    return status
  }

  @Test func `it is made for its user alone, and stays`() throws {
    let source = source()
    #expect(status().st_mode == S_IFIFO | 0o600)
    #expect(log.problems == [])
    #expect(log.remarks == [])
    source.stop()
    #expect(status().st_mode == S_IFIFO | 0o600)
  }

  @Test func `writers come and go, and each line arrives`() throws {
    let source = source()
    defer { source.stop() }
    for round in 0..<50 {
      say("a\(round)\nb\(round)\r\n")
      try rig.expect((0...round).flatMap { ["a\($0)", "b\($0)"] }, of: log)
    }
  }

  @Test func `at rest nothing happens, before the first writer and after the last`() throws {
    let source = source()
    defer { source.stop() }
    try rig.loop.turnWhileBusy()
    say("one\n")
    try rig.expect(["one"], of: log)
    try rig.loop.turnWhileBusy()
    #expect(try rig.loop.comesToRest())
    close(open())
    try rig.loop.turnWhileBusy()
    #expect(log.lines == ["one"])
  }

  @Test func `bytes from before the start and between two readings all arrive`() throws {
    let source = source()
    defer { source.stop() }
    for index in 0..<1000 { say("\(index)\n") }
    try rig.expect((0..<1000).map { "\($0)" }, of: log)
  }

  @Test func `two writers at once, of whom one leaves`() throws {
    let source = source()
    defer { source.stop() }
    let (first, second) = (open(), open())
    FileRig.put("1\n", first)
    FileRig.put("2\n", second)
    close(first)
    try rig.expect(["1", "2"], of: log)
    FileRig.put("3\n", second)
    close(second)
    try rig.expect(["1", "2", "3"], of: log)
  }

  @Test func `a half line ends when its writer leaves, and is not glued to the next one's`() throws {
    let source = source()
    defer { source.stop() }
    let fd = open()
    FileRig.put("ha", fd)
    try rig.loop.turnWhileBusy()
    #expect(log.lines == [])
    FileRig.put("lf", fd)
    close(fd)
    try rig.expect(["half"], of: log)
    say("whole\n")
    try rig.expect(["half", "whole"], of: log)
  }

  @Test func `an incomplete line ends if its writer closed the pipe before soundd opened it`() throws {
    #expect(mkfifo(rig.folder("p"), 0o600) == 0)
    // Another process that has the pipe open keeps the bytes in it.
    let other = Glibc.open(rig.folder("p"), O_RDONLY | O_NONBLOCK)
    defer { close(other) }
    say("whole\nhalf")
    let source = source()
    defer { source.stop() }
    try rig.expect(["whole", "half"], of: log)
    try rig.loop.turnWhileBusy()
    say("next\n")
    try rig.expect(["whole", "half", "next"], of: log)
  }

  @Test func `a line of more than 64 KiB is skipped to its end`() throws {
    let source = source()
    defer { source.stop() }
    let fd = open()
    let piece = String(repeating: "x", count: 32_768)
    for _ in 0..<5 {
      FileRig.put(piece, fd)
      try rig.loop.turnWhileBusy()
    }
    FileRig.put("\none\0two\n", fd)
    close(fd)
    try rig.expect([nil, "one\0two"], of: log)
  }

  @Test func `a writer that never rests leaves others their turn`() throws {
    let source = source()
    let fd = Glibc.open(rig.folder("p"), O_WRONLY)
    let writer = Thread {
      let text = String(repeating: "0123456\n", count: 8192)
      while write(fd, text, text.utf8.count) > 0 {}
      close(fd)
    }
    signal(SIGPIPE, SIG_IGN)
    writer.start()
    let other = rig.exists("x", to: log)
    rig.write("", "x")
    try rig.loop.turn { log.lines.contains("true") && log.lines.contains("0123456") }
    other.stop()
    source.stop()
  }

  @Test func `one that is removed is made again`() throws {
    let source = source()
    defer { source.stop() }
    say("one\n")
    try rig.delete("p")
    try rig.loop.turn { access(rig.folder("p"), F_OK) == 0 }
    say("two\n")
    try rig.expect(["one", "two"], of: log)
  }

  @Test func `one that is replaced is read instead`() throws {
    let source = source()
    defer { source.stop() }
    say("one\n")
    #expect(mkfifo(rig.folder("q"), 0o600) == 0)
    rig.move("q", "p")
    try rig.loop.turnWhileBusy()
    say("two\n")
    try rig.expect(["one", "two"], of: log)
  }

  @Test func `an existing pipe is used as it is, and its permissions are remarked once`() throws {
    #expect(mkfifo(rig.folder("p"), 0o600) == 0)
    #expect(chmod(rig.folder("p"), 0o622) == 0)
    let source = source()
    defer { source.stop() }
    for _ in 0..<3 { say("x\n") }
    try rig.expect(["x", "x", "x"], of: log)
    #expect(status().st_mode == S_IFIFO | 0o622)
    #expect(log.remarks == ["others may write to \(rig.folder("p")), by its permissions (chmod 600 keeps them out)"])
  }

  @Test func `anything else at the path is left alone and reported, until it is gone`() throws {
    rig.write("precious", "p")
    let source = source()
    defer { source.stop() }
    #expect(log.problems == ["\(rig.folder("p")) is a file, not a named pipe: remove it, or choose another path"])
    #expect(try String(contentsOfFile: rig.folder("p"), encoding: .utf8) == "precious")
    try rig.delete("p")
    try rig.loop.turn { log.problems.count == 2 }
    #expect(log.problems.last == .some(nil))
    say("one\n")
    try rig.expect(["one"], of: log)
    rig.replace("precious", "p")
    try rig.loop.turn { log.problems.count == 3 }
    #expect(log.problems.last == log.problems.first)
  }

  @Test func `a missing folder is reported, and the pipe is made as soon as it exists`() throws {
    let source = rig.fifo("way/p", to: log)
    defer { source.stop() }
    #expect(log.problems == ["cannot make the named pipe \(rig.folder("way/p")): make its folder first"])
    rig.make("way")
    try rig.loop.turn { access(rig.folder("way/p"), F_OK) == 0 }
    say("one\n", "way/p")
    try rig.expect(["one"], of: log)
    #expect(log.problems.last == .some(nil))
  }

  @Test func `a link to a pipe is followed, and a dangling one is reported`() throws {
    #expect(mkfifo(rig.folder("q"), 0o600) == 0)
    rig.link("q", "p")
    let source = source()
    defer { source.stop() }
    say("one\n", "q")
    try rig.expect(["one"], of: log)
    try rig.delete("q")
    try rig.loop.turn { !log.problems.isEmpty }
    #expect(
      log.problems == [
        "\(rig.folder("p")) is a symbolic link that leads nowhere; make the named pipe there, or remove the link"
      ])
  }

  @Test func `a receiver may stop the source in its callback`() throws {
    let source = source()
    log.onLine = { source.stop() }
    say("one\ntwo\n")
    try rig.expect(["one"], of: log)
    try rig.loop.turnWhileBusy()
    #expect(log.lines == ["one"])
  }
}
