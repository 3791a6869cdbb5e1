import CLinux
import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// The threads that touch files, and the event loop that does not wait for them.
@Suite struct FileThreadsTests {
  private let rig: FileRig
  private let files: FileThreads

  init() throws {
    rig = try FileRig()
    files = try FileThreads(on: rig.loop)
  }

  /// What was reported of a path.
  private final class Reports {
    var contents: [String] = []
    var hasBegun = false

    func receive(_ report: FileReport) {
      switch report {
      case .content(let bytes, _): contents.append(String(decoding: bytes, as: UTF8.self))
      case .begun: hasBegun = true
      default: break
      }
    }
  }

  private func open(_ name: String, _ kind: ValueFeeder.Type = FileSource.self) -> (number: Int, reports: Reports) {
    let reports = Reports()
    let number = files.open(rig.folder(name), kind) { reports.receive($0) }
    return (number, reports)
  }

  @Test func `a file is read on another thread, and its content comes before the end of the first look`() throws {
    rig.write("one", "f")
    let (_, reports) = open("f")
    #expect(!reports.hasBegun)
    var isDone = false
    files.afterFirstLooks { isDone = true }
    try rig.loop.turn { isDone }
    #expect(reports.hasBegun)
    #expect(reports.contents == ["one"])
    rig.replace("two", "f")
    try rig.loop.turn { reports.contents == ["one", "two"] }
  }

  @Test func `a path that is closed reports nothing more`() throws {
    rig.write("one", "f")
    let (number, reports) = open("f")
    files.close(number)
    let (_, other) = open("f")
    try rig.loop.turn { other.hasBegun }
    #expect(reports.contents == [])
  }

  @Test func `lines that come faster than they are taken all arrive, and in their order`() throws {
    let count = 200_000
    rig.folder.write("log", Array((0..<count).map { "\($0)\n" }.joined().utf8))
    let (_, reports) = open("missing", LinesSource.self)
    try rig.loop.turn { reports.hasBegun }
    rig.move("log", "missing")
    try rig.loop.turn { reports.contents.count == count }
    #expect(reports.contents == (0..<count).map(String.init))
  }

  /// At its first look, hangs until its path, a named pipe, has a writer.
  private final class HangingSource: ValueFeeder {
    private var hasHung = false

    override func read(onlyIfOther: Bool) {
      if hasHung { return }
      hasHung = true
      close(Glibc.open(path, O_RDONLY))
    }
  }

  @Test(.slow) func `a thread that hangs is stuck until it goes on, and nobody waits for it`() throws {
    var changes: [Bool] = []
    files.onChange = { _, isStuck in changes.append(isStuck) }
    #expect(mkfifo(rig.folder("pipe"), 0o600) == 0)
    let (_, hanging) = open("pipe", HangingSource.self)
    rig.write("one", "f")
    let (number, reports) = open("f")
    var hasWaited = false
    files.afterFirstLooks { hasWaited = true }
    try rig.loop.turn { changes == [true] && hasWaited }
    #expect(files.problem(of: number)?.hasSuffix("does not answer") == true)
    #expect(!hanging.hasBegun && !reports.hasBegun)
    close(Glibc.open(rig.folder("pipe"), O_WRONLY))
    try rig.loop.turn { changes == [true, false] && reports.hasBegun && hanging.hasBegun }
    // Once more if the thread looks before it has taken the event of the write.
    #expect(Set(reports.contents) == ["one"])
    #expect(files.problem(of: number) == nil)
  }

  @Test func `at rest no thread wakes up`() throws {
    rig.write("one", "f")
    let (_, reports) = open("f")
    try rig.loop.turn { reports.hasBegun }
    try rig.loop.turnWhileBusy()
    #expect(try !rig.loop.runOnce(timeout: .milliseconds(50)))
  }
}
