import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct FolderWatcherTests {
  /// Counts its notifications.
  private final class Subscriber: FolderSubscriber {
    var entries = 0
    var others = 0

    func entryChanged(_ kind: FolderInterest.Kind, mask: UInt32) { entries += 1 }
    func anythingChanged() { others += 1 }
    func mountsChanged() { others += 1 }
  }

  private func subscribe(_ rig: FileRig, _ names: [String]) -> [Subscriber] {
    names.map { name in
      let subscriber = Subscriber()
      #expect(rig.watcher.follow(rig.folder(name), for: subscriber).problem == nil)
      return subscriber
    }
  }

  @Test func `ten thousand files in a thousand folders take a watch per folder, and a change notifies one`() throws {
    let rig = try FileRig()
    for folder in 0..<1000 { rig.make("\(folder)") }
    let subscribers = subscribe(rig, (0..<10_000).map { "\($0 / 10)/file \($0)" })
    let parents = rig.folder.path.split(separator: "/").count + 1
    #expect(rig.watcher.watches.count == 1000 + parents)
    rig.write("x", "123/file 1234")
    try rig.loop.turn { subscribers[1234].entries > 0 }
    try rig.loop.turnWhileBusy()
    #expect(subscribers[1234].entries >= 2)
    let others = subscribers.indices.filter { $0 != 1234 }.map { subscribers[$0] }
    #expect(others.allSatisfy { $0.entries + $0.others == 0 })
    // An entry without a subscriber notifies none, also in a folder on the way of all of them.
    rig.write("x", "123/another")
    rig.make("beside")
    try rig.delete("beside")
    try rig.loop.turnWhileBusy()
    #expect(others.allSatisfy { $0.entries + $0.others == 0 })
    for subscriber in subscribers { rig.watcher.remove(subscriber) }
    #expect(rig.watcher.watches.count == 0)
  }

  @Test func `an event for a thousand lets each of them act once, in their order, a part of them at a time`() throws {
    let rig = try FileRig()
    rig.make("a")
    var acted: [Int] = []
    let watches = (0..<1000).map { number in
      let watch = PathWatch(rig.folder("a/\(number)"), .lines, watcher: rig.watcher, on: rig.loop)
      watch.start { _ in
        // Work that takes its time.
        let end = EventLoop.clock().advanced(by: .microseconds(50))
        while EventLoop.clock() < end {}
        acted.append(number)
      }
      return watch
    }
    rig.move("a", "b")
    try rig.loop.turn {
      let before = acted.count
      _ = try? rig.loop.runOnce(timeout: .zero)
      // At most as many as fit into a millisecond, and the one that goes beyond it.
      #expect(acted.count - before <= 21)
      return acted.count == 1000
    }
    #expect(acted == Array(0..<1000))
    for watch in watches { watch.stop() }
  }

  @Test func `a path that another one stops does not act`() throws {
    let rig = try FileRig()
    rig.make("a")
    var acted: [Int] = []
    let watches = (0..<300).map { PathWatch(rig.folder("a/\($0)"), .lines, watcher: rig.watcher, on: rig.loop) }
    for (number, watch) in watches.enumerated() {
      watch.start { _ in
        acted.append(number)
        for other in watches where other !== watch { other.stop() }
      }
    }
    rig.move("a", "b")
    try rig.loop.turnWhileBusy()
    #expect(acted == [0])
    for watch in watches { watch.stop() }
  }

  @Test func `a loss of events notifies every subscriber, whatever its interests`() throws {
    let rig = try FileRig()
    rig.make("a")
    let kinds: [FolderInterest.Kind] = [.thing, .way, .entries]
    let subscribers = kinds.map { kind in
      let subscriber = Subscriber()
      let name = kind == .entries ? "" : "missing"
      #expect(rig.watcher.watch([FolderInterest(rig.folder("a"), name, kind)], for: subscriber) == nil)
      return subscriber
    }
    let text = try textOfFile("/proc/sys/fs/inotify/max_queued_events").filter(\.isNumber)
    for name in ["a/0", "a/1"] { rig.write("", name) }
    // Two names in turn, because the kernel merges equal events in a row.
    for number in 0..<(try #require(Int(text)) + 10) { chmod(rig.folder("a/\(number % 2)"), 0o600) }
    try rig.loop.turn { subscribers.allSatisfy { $0.others == 1 } }
    #expect(subscribers.map { $0.entries > 0 } == kinds.map { $0 == .entries })
  }

  @Test func `names that only look the same are two files`() throws {
    let rig = try FileRig()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let subscribers = subscribe(rig, [composed, decomposed])
    rig.write("x", decomposed)
    try rig.loop.turn { subscribers[1].entries > 0 }
    #expect(subscribers[0].entries == 0)
  }

  @Test func `a folder that no path leads through any more causes no wake-up`() throws {
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

  @Test func `paths that are polled as often are polled together`() throws {
    let rig = try FileRig()
    var times: [[Instant]] = [[], []]
    let watches = times.indices.map { number in
      let watch = PathWatch(
        rig.folder("f"), .content, poll: .milliseconds(20), watcher: rig.watcher, on: rig.loop)
      // Begun at different times.
      let end = EventLoop.clock().advanced(by: .milliseconds(3))
      while EventLoop.clock() < end {}
      _ = try? rig.loop.runOnce(timeout: .zero)
      watch.start { _ in times[number].append(rig.loop.now) }
      return watch
    }
    try rig.loop.turn { times.allSatisfy { $0.count >= 3 } }
    for (one, other) in zip(times[0].suffix(2), times[1].suffix(2)) {
      #expect(one.duration(to: other).nanoseconds < 10_000_000)
    }
    for watch in watches { watch.stop() }
  }
}
