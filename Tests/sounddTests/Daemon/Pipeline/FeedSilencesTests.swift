import SoundTrigger
import Testing

@testable import soundd

/// When a feed is silent.
struct FeedSilencesTests {
  private static func feed(_ name: String, every seconds: Int?, command: String = "p") -> FeedDeclaration {
    FeedDeclaration(
      name: name, prefix: "\(name)/", command: ExternalCommand(arguments: [command], folder: "/"),
      expectEvery: seconds.map { .seconds($0) })
  }

  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  private var silences = FeedSilences()

  init() { _ = silences.expect([Self.feed("a", every: 60), Self.feed("b", every: nil)], at: Self.at(0)) }

  /// The names of the feeds that become silent until a second, and when.
  private mutating func due(_ seconds: Int64) -> [String] {
    var due: [String] = []
    while let (feed, time) = silences.popDue(until: Self.at(seconds)) {
      due.append("\(feed.name) \(time.nanoseconds / 1_000_000_000)")
    }
    return due
  }

  @Test mutating func `the time counts from the beginning, and from each accepted line`() {
    #expect(due(59) == [])
    #expect(silences.noteLine(of: "a", at: Self.at(59)) == nil)
    #expect(due(118) == [])
    #expect(due(200) == ["a 119"])
    #expect(due(1000) == [])
    #expect(silences.isSilent("a"))
    #expect(silences.nextDeadline == nil)
    #expect(silences.noteLine(of: "a", at: Self.at(1000))?.name == "a")
    #expect(!silences.isSilent("a"))
    #expect(due(1060) == ["a 1060"])
  }

  @Test mutating func `a feed without the key is never silent`() {
    #expect(!silences.expects("b"))
    #expect(silences.noteLine(of: "b", at: Self.at(1)) == nil)
    #expect(due(1_000_000) == ["a 60"])
  }

  @Test(arguments: [(60, 160), (7200, 3700)])
  mutating func `what is overdue at a waking has its time once more, at most an hour`(every: Int, end: Int64) {
    silences = FeedSilences()
    _ = silences.expect([Self.feed("a", every: every)], at: Self.at(-10_000))
    silences.woke(at: Self.at(100))
    #expect(due(end - 1) == [])
    #expect(due(end) == ["a \(end)"])
  }

  @Test mutating func `a waking does not move what is not overdue`() {
    silences.woke(at: Self.at(30))
    #expect(due(60) == ["a 60"])
  }

  @Test mutating func `a reload continues the same feed, and begins with a changed one`() {
    _ = silences.expect([Self.feed("a", every: 60)], at: Self.at(50))
    #expect(due(60) == ["a 60"])
    #expect(silences.expect([Self.feed("a", every: 100)], at: Self.at(70)).map(\.name) == ["a"])
    #expect(due(100) == ["a 100"])
    #expect(silences.expect([Self.feed("a", every: 100, command: "q")], at: Self.at(110)).map(\.name) == ["a"])
    #expect(due(209) == [])
    #expect(due(210) == ["a 210"])
    #expect(silences.expect([Self.feed("a", every: nil)], at: Self.at(220)).map(\.name) == ["a"])
    #expect(silences.isEmpty)
  }

  @Test mutating func `a longer time is no end of a silence that is longer still`() {
    #expect(due(500) == ["a 60"])
    #expect(silences.expect([Self.feed("a", every: 100)], at: Self.at(500)) == [])
    #expect(silences.isSilent("a"))
  }
}
