import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FileSourceLinkTests {
  @Test func `a folder that the way leads into and out of again is followed`() throws {
    let rig = try FileRig()
    for folder in ["a", "a/b", "other", "other/x"] { rig.make(folder) }
    rig.write("one", "a/f")
    rig.write("other", "other/f")
    let source = rig.source("a/b/../f")
    rig.move("a/b", "a/c")
    rig.write("unseen", "a/f")
    try rig.loop.turnWhileBusy()
    rig.write("two", "a/f")
    rig.move("a/c", "a/b")
    try rig.expect("two")
    rig.move("a/b", "a/c")
    rig.link("../other/x", "a/b")
    try rig.expect("other")
    #expect(!rig.receiver.contents.contains("unseen"))
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
}
