import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// What happens to logs: rotation, truncation, and the rest.
@Suite struct LinesSourceRotationTests {
  private let rig: FileRig
  private let log = LineRecorder()

  init() throws { rig = try FileRig() }

  private func lines(_ name: String = "f") -> LinesSource { rig.lines(name, to: log) }

  @Test func `the rest of a rotated file arrives first, then the new one from its beginning`() throws {
    rig.write("0\n", "f")
    let source = lines()
    defer { source.stop() }
    rig.append("1\n2\n", "f")
    rig.move("f", "f.1")
    rig.write("3\n4\n", "f")
    try rig.expect(["1", "2", "3", "4"], of: log)
    rig.append("5\n", "f")
    try rig.expect(["1", "2", "3", "4", "5"], of: log)
  }

  @Test func `a writer that still has the rotated file is heard before the new file`() throws {
    rig.write("0\n", "f")
    let source = lines()
    defer { source.stop() }
    let fd = open(rig.folder("f"), O_WRONLY | O_APPEND)
    rig.move("f", "f.1")
    rig.write("", "f")
    try rig.loop.turnWhileBusy()
    FileRig.put("1\n", fd)
    close(fd)
    rig.append("2\n", "f")
    try rig.expect(["1", "2"], of: log)
  }

  @Test(.slow) func `a line that is still written to the rotated file arrives within a second`() throws {
    rig.write("0\n", "f")
    let source = lines()
    defer { source.stop() }
    let fd = open(rig.folder("f"), O_WRONLY | O_APPEND)
    rig.move("f", "f.1")
    try rig.loop.turnWhileBusy()
    FileRig.put("1\n", fd)
    close(fd)
    try rig.expect(["1"], of: log)
  }

  @Test func `many rotations in a burst lose nothing that was opened`() throws {
    rig.write("", "f")
    let source = lines()
    defer { source.stop() }
    var expected: [String] = []
    for round in 0..<10 {
      let lines = (0..<20_000).map { "\(round) \($0)" }
      rig.append(lines.joined(separator: "\n") + "\n", "f")
      expected += lines
      rig.move("f", "f.\(round)")
      rig.write("", "f")
      // A slow turn ends with the news of the rotation, and the next one opens the file. Most of it is not read yet.
      for _ in 0..<2 { try rig.loop.runOnce(timeout: .zero) }
    }
    try rig.expect(expected, of: log)
  }

  @Test func `a file that is copied and emptied begins anew`() throws {
    rig.write("0\n1\n2\n", "f")
    let source = lines()
    defer { source.stop() }
    #expect(truncate(rig.folder("f"), 0) == 0)
    try rig.loop.turnWhileBusy()
    rig.append("3\n", "f")
    try rig.expect(["3"], of: log)
  }

  @Test(arguments: ["x\n", "xxxxx\n", "a longer line\n", "one\ntwo\nthree\nfour\n"])
  func `a file that is written anew between two looks begins anew, whatever its length`(text: String) throws {
    rig.write("first\n", "f")
    let source = lines()
    defer { source.stop() }
    rig.write(text, "f")
    try rig.expect(text.split(separator: "\n").map(String.init), of: log)
  }

  @Test func `half a line goes with the file that it was in`() throws {
    rig.write("0\nhalf", "f")
    let source = lines()
    defer { source.stop() }
    rig.write("1\n", "f")
    try rig.expect(["1"], of: log)
    rig.append("half", "f")
    try rig.loop.turnWhileBusy()
    rig.replace("2\n", "f")
    try rig.expect(["1", "2"], of: log)
  }

  @Test func `a file that is replaced is read from its beginning`() throws {
    rig.write("0\n", "f")
    let source = lines()
    defer { source.stop() }
    for round in 1...5 {
      rig.replace("\(round)\n", "f")
      try rig.expect((1...round).map { "\($0)" }, of: log)
    }
  }

  @Test func `a file that is deleted and made again is read from its beginning`() throws {
    rig.write("0\n", "f")
    let source = lines()
    defer { source.stop() }
    try rig.delete("f")
    try rig.loop.turnWhileBusy()
    rig.append("1\n", "f")
    try rig.expect(["1"], of: log)
    try rig.delete("f")
    rig.append("2\n", "f")
    try rig.expect(["1", "2"], of: log)
  }

  @Test func `a file that goes away and comes back continues where it was`() throws {
    rig.write("0\n1\n", "f")
    let source = lines()
    defer { source.stop() }
    rig.move("f", "away")
    try rig.loop.turnWhileBusy()
    rig.append("2\n", "away")
    rig.move("away", "f")
    try rig.expect(["2"], of: log)
    rig.append("3\n", "f")
    try rig.expect(["2", "3"], of: log)
  }

  @Test func `a folder that is replaced with its file is followed`() throws {
    rig.make("d")
    rig.write("0\n", "d/f")
    let source = lines("d/f")
    defer { source.stop() }
    rig.move("d", "d.1")
    rig.make("d")
    rig.write("1\n", "d/f")
    try rig.expect(["1"], of: log)
    rig.append("2\n", "d/f")
    try rig.expect(["1", "2"], of: log)
  }

  @Test func `links that are swapped are followed, to and fro without repetition`() throws {
    rig.write("a0\n", "a")
    rig.write("b0\n", "b")
    rig.link("a", "f")
    let source = lines()
    defer { source.stop() }
    #expect(log.beginnings == ["a0"])
    rig.append("a1\n", "a")
    rig.link("b", "f.new")
    rig.move("f.new", "f")
    try rig.expect(["a1", "b0"], of: log)
    rig.append("b1\n", "b")
    try rig.expect(["a1", "b0", "b1"], of: log)
    rig.link("a", "f.new")
    rig.move("f.new", "f")
    rig.append("a2\n", "a")
    try rig.expect(["a1", "b0", "b1", "a2"], of: log)
  }

  @Test func `a link whose folder is swapped is followed, as Kubernetes does`() throws {
    for version in ["v1", "v2"] {
      rig.make(version)
      rig.write("\(version)\n", "\(version)/f")
    }
    rig.link("v1", "data")
    rig.link("data/f", "f")
    let source = lines()
    defer { source.stop() }
    #expect(log.beginnings == ["v1"])
    rig.link("v2", "data.new")
    rig.move("data.new", "data")
    try rig.expect(["v2"], of: log)
  }

  @Test func `two sources of one file both receive its lines`() throws {
    rig.write("0\n", "f")
    let other = LineRecorder()
    let first = lines()
    let second = rig.lines("f", to: other)
    defer {
      first.stop()
      second.stop()
    }
    rig.append("1\n", "f")
    try rig.expect(["1"], of: log)
    try rig.expect(["1"], of: other)
  }
}
