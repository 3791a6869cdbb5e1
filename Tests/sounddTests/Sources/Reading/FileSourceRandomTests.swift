import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Whatever happens to a file and to the way to it, at any moment: its last content arrives.
@Suite struct FileSourceRandomTests {
  private static let folders = ["a", "a/b", "c", "c/b", "d"]
  private static let files = ["a/b/f", "a/b/g", "c/b/f", "d/f"]
  private static let links = [
    ("c", "a"), ("d", "a/b"), ("../c/b", "a/b"), ("../d", "a/b"), ("g", "a/b/f"), ("../../d/f", "a/b/f"),
    ("f", "a/b/g"),
  ]

  /// Does one random thing; it may fail.
  private func act(_ rig: FileRig, _ number: Int, _ chance: inout SplitMix64) {
    func some<Element>(_ things: [Element]) -> Element { things[Int.random(in: 0..<things.count, using: &chance)] }
    let file = rig.folder(some(Self.files))
    switch Int.random(in: 0..<10, using: &chance) {
    case 0, 1: mkdir(rig.folder(some(Self.folders)), 0o700)
    case 2, 3: write("\(number)", file, O_TRUNC)
    case 4: write("in place \(number)", file, 0)
    case 5:
      write("renamed \(number)", rig.folder("new"), O_TRUNC)
      rename(rig.folder("new"), file)
    case 6: rename(rig.folder(some(Self.folders + ["old"])), rig.folder(some(Self.folders + ["old"])))
    case 7: rename(rig.folder(some(Self.files)), file)
    case 8:
      let (target, name) = some(Self.links)
      symlink(target, rig.folder("link"))
      // With the second, in the place of a folder as well.
      if Bool.random(using: &chance) { rename(rig.folder(name), rig.folder("aside-\(number)")) }
      rename(rig.folder("link"), rig.folder(name))
      unlink(rig.folder("link"))
    default: try? rig.delete(some(Self.folders + Self.files))
    }
  }

  private func write(_ text: String, _ path: String, _ flags: Int32) {
    let fd = open(path, O_WRONLY | O_CREAT | flags, 0o600)
    if fd < 0 { return }
    #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count)
    close(fd)
  }

  @Test(arguments: 0..<(isQuick ? 4 : 60)) func `after anything that may happen on the way the last content is told`(
    seed: UInt64
  ) throws {
    var chance = SplitMix64(seed: seed)
    let rig = try FileRig()
    let source = rig.source("a/b/f")
    for round in 0..<5 {
      for number in 0..<20 {
        act(rig, round * 100 + number, &chance)
        for _ in 0..<Int.random(in: 0..<3, using: &chance) { try rig.loop.runOnce(timeout: .zero) }
      }
      // The content now, as another program reads it; a way that leads nowhere is repaired first.
      if (try? String(contentsOfFile: rig.folder("a/b/f"), encoding: .utf8)) == nil {
        for name in ["a/b/f", "a"] { try? rig.delete(name) }
        for name in ["a", "a/b"] { mkdir(rig.folder(name), 0o700) }
        write("mended \(round)", rig.folder("a/b/f"), O_TRUNC)
      }
      try rig.expect(String(contentsOfFile: rig.folder("a/b/f"), encoding: .utf8))
    }
    withExtendedLifetime(source) {}
  }
}
