import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct ExistsSourceTests {
  private let rig: FileRig
  private let log = LineRecorder()

  init() throws { rig = try FileRig() }

  private func source(_ name: String = "x") -> ExistsSource { rig.exists(name, to: log) }

  private func expect(_ answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try rig.loop.turn(until: { log.lines.last == answer }, sourceLocation: sourceLocation)
  }

  @Test(
    arguments: [
      (0, true), (ENOENT, false), (ENOTDIR, false), (EACCES, nil), (ELOOP, nil), (EIO, nil),
    ] as [(Int32, Bool?)])
  func `only what is certainly not there is absent`(code: Int32, answer: Bool?) {
    #expect(ExistsSource.answer(code) == answer)
  }

  @Test func `a file is there or it is not`() throws {
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["false"])
    rig.write("", "x")
    try expect("true")
    try rig.delete("x")
    try expect("false")
    rig.write("", "y")
    rig.move("y", "x")
    try expect("true")
    rig.move("x", "y")
    try expect("false")
    #expect(log.problems == [])
  }

  @Test func `anything counts: a folder, a pipe, a link to something`() throws {
    let source = source()
    defer { source.stop() }
    rig.make("x")
    try expect("true")
    #expect(rmdir(rig.folder("x")) == 0)
    try expect("false")
    #expect(mkfifo(rig.folder("x"), 0o600) == 0)
    try expect("true")
    try rig.delete("x")
    try expect("false")
    rig.link(".", "x")
    try expect("true")
  }

  @Test func `a link stands for its target`() throws {
    rig.link("way/y", "x")
    let source = source()
    defer { source.stop() }
    #expect(log.lines == ["false"])
    rig.make("way")
    rig.write("", "way/y")
    try expect("true")
    try rig.delete("way")
    try expect("false")
  }

  @Test func `folders on the way come and go`() throws {
    let source = source("a/b/x")
    defer { source.stop() }
    rig.make("a")
    rig.make("a/b")
    rig.write("", "a/b/x")
    try expect("true")
    rig.move("a", "c")
    try expect("false")
    rig.move("c", "a")
    try expect("true")
    try rig.delete("a")
    rig.write("", "a")
    try expect("false")
    #expect(log.problems == [])
  }

  @Test func `events of other files do not matter`() throws {
    rig.write("", "x")
    let source = source()
    defer { source.stop() }
    rig.write("more", "x")
    rig.write("", "y")
    try rig.loop.turnWhileBusy()
    #expect(log.lines == ["true"])
  }

  @Test func `if stat fails, the last answer counts`() throws {
    rig.write("", "x")
    let source = source()
    defer { source.stop() }
    rig.link("x", "circle")
    rig.move("circle", "x")
    try rig.loop.turn { !log.problems.isEmpty }
    #expect(log.problems == ["\(rig.folder("x")): Too many levels of symbolic links"])
    #expect(log.lines == ["true"])
    try rig.delete("x")
    try expect("false")
    #expect(log.problems.last == .some(nil))
  }

  @Test func `a polled path needs no watch`() throws {
    let source = rig.exists("x", poll: .milliseconds(1), to: log)
    #expect(rig.watcher.watches.count == 0)
    rig.write("", "x")
    try expect("true")
    source.stop()
    #expect(try rig.loop.comesToRest())
  }

  @Test(arguments: ["/", "/proc", "/dev/null", "/proc/self/exe"])
  func `what is always there is there`(path: String) throws {
    let source = ExistsSource(path: path, poll: nil, watcher: rig.watcher, on: rig.loop, receiver: log)
    source.start()
    #expect(log.lines == ["true"])
    source.stop()
  }
}
