import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FolderWatcherTests {
  /// Counts what it is told.
  private final class Listener: FolderSubscriber {
    var entries = 0
    var folders = 0
    var losses = 0
    var mounts = 0
    var turns = 0
    var whenItEnds: () -> Void = {}

    func entryChanged(_ interest: FolderInterest, mask: UInt32) { entries += 1 }
    func folderChanged() { folders += 1 }
    func eventsLost() { losses += 1 }
    func mountsChanged() { mounts += 1 }
    func eventsEnded() {
      turns += 1
      whenItEnds()
    }
  }

  private func listen(_ rig: FileRig, _ names: [String]) -> [Listener] {
    names.map { name in
      let listener = Listener()
      #expect(rig.watcher.follow(rig.folder(name), for: listener).problem == nil)
      return listener
    }
  }

  @Test func `ten thousand files in a thousand folders take a watch per folder, and a change is told to one`() throws {
    let rig = try FileRig()
    for folder in 0..<1000 { rig.make("\(folder)") }
    let listeners = listen(rig, (0..<10_000).map { "\($0 / 10)/file \($0)" })
    let parents = rig.folder.path.split(separator: "/").count + 1
    #expect(rig.watcher.watchCount == 1000 + parents)
    rig.write("x", "123/file 1234")
    try rig.loop.turn { listeners[1234].turns > 0 }
    try rig.loop.turnWhileBusy()
    #expect(listeners[1234].entries >= 2)
    let others = listeners.indices.filter { $0 != 1234 }.map { listeners[$0] }
    #expect(others.allSatisfy { $0.entries + $0.folders + $0.losses == 0 })
    // What has nobody interested in it is told to nobody, in a folder that all of them lead through as well.
    rig.write("x", "123/another")
    rig.make("beside")
    try rig.delete("beside")
    try rig.loop.turnWhileBusy()
    #expect(others.allSatisfy { $0.entries + $0.folders + $0.losses == 0 })
    for listener in listeners { rig.watcher.remove(listener) }
    #expect(rig.watcher.watchCount == 0)
  }

  @Test func `what concerns a thousand is told to each of them once, in their order, a part of them at a time`() throws
  {
    let rig = try FileRig()
    rig.make("a")
    let listeners = listen(rig, (0..<1000).map { "a/\($0)" })
    var told: [Int] = []
    for (number, listener) in listeners.enumerated() { listener.whenItEnds = { told.append(number) } }
    rig.move("a", "b")
    try rig.loop.turn {
      let before = told.count
      _ = try? rig.loop.runOnce(timeout: .zero)
      // The turn that heard of it does not end before the timer for the next part has fired.
      #expect(told.count - before <= 2 * FolderWatcher.crowd)
      return told.count == 1000
    }
    #expect(told == Array(0..<1000))
    #expect(listeners.allSatisfy { $0.folders >= 1 && $0.turns == 1 })
  }

  @Test func `of a crowd that is told, one that is ended by another is told nothing`() throws {
    let rig = try FileRig()
    rig.make("a")
    var listeners = listen(rig, (0..<300).map { "a/\($0)" })
    var turns = 0
    for listener in listeners.dropFirst() { listener.whenItEnds = { turns += 1 } }
    listeners[0].whenItEnds = {
      for listener in listeners.dropFirst() { rig.watcher.remove(listener) }
      listeners.removeLast(299)
    }
    rig.move("a", "b")
    try rig.loop.turnWhileBusy()
    #expect(listeners.count == 1)
    #expect(turns == 0)
  }

  @Test func `that events were lost is told to everybody, whatever they want to hear of`() throws {
    let rig = try FileRig()
    rig.make("a")
    let kinds: [FolderInterest.Kind] = [.content, .entry, .passage, .permission, .contents, .way]
    let listeners = kinds.map { kind in
      let listener = Listener()
      let name = kind == .contents ? "" : "missing"
      #expect(
        rig.watcher.watch([FolderInterest(folder: rig.folder("a"), name: name, kind: kind)], for: listener) == nil)
      return listener
    }
    let text = try textOfFile("/proc/sys/fs/inotify/max_queued_events").filter(\.isNumber)
    // Two names in turn, since equal events in a row count once.
    for number in 0..<(try #require(Int(text)) / 2 + 10) {
      let path = rig.folder("a/\(number % 2)")
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      unlink(path)
    }
    try rig.loop.turn { listeners.allSatisfy { $0.losses == 1 } }
    #expect(listeners.map { $0.entries > 0 } == kinds.map { $0 == .contents })
  }

  @Test func `names that only look the same are two files`() throws {
    let rig = try FileRig()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let listeners = listen(rig, [composed, decomposed])
    rig.write("x", decomposed)
    try rig.loop.turn { listeners[1].turns > 0 }
    #expect(listeners[0].entries == 0)
  }

  @Test func `a folder that nothing is awaited in any more is not heard of`() throws {
    let rig = try FileRig()
    let source = rig.source("a/f")
    rig.write("one", "a.txt")
    try rig.loop.turnWhileBusy()
    rig.make("a")
    rig.write("one", "a/f")
    try rig.expect("one")
    try rig.loop.turnWhileBusy()
    rig.write("two", "a.txt")
    rig.make("beside")
    #expect(try !rig.loop.runOnce(timeout: .zero))
    withExtendedLifetime(source) {}
  }

  @Test func `those who look on a timer look together while they are few, and at many times when they are many`() throws
  {
    let rig = try FileRig()
    let now = rig.loop.now
    let looks = (0..<10_000).map { _ in rig.watcher.firstPoll(every: .seconds(1)) }
    let waits = looks.map { now.duration(to: $0) }
    #expect(Set(waits.prefix(64)) == [.seconds(1)])
    #expect(waits.allSatisfy { $0 > .zero && $0 <= .seconds(1) })
    let crowds = Dictionary(grouping: waits, by: { $0 }).mapValues(\.count)
    #expect(crowds.count == 64)
    #expect(crowds.values.allSatisfy { $0 <= 256 })
    // One that is late keeps its time among the others.
    for late: Int64 in [0, 10, 1500, 7_200_999] {
      let next = rig.watcher.nextPoll(after: now.advanced(by: .milliseconds(-late)), every: .seconds(1))
      #expect(now.duration(to: next) == .milliseconds(1000 - late % 1000))
    }
  }
}
