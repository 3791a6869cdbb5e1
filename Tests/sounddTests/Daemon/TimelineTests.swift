import SoundTrigger
import Testing

@testable import soundd

/// The lines that `render` plays.
struct TimelineTests {
  private func read(_ text: String) -> Result<Timeline, Timeline.Problem> {
    do throws(Timeline.Problem) { return .success(try Timeline(Array(text.utf8))) } catch { return .failure(error) }
  }

  @Test(arguments: [
    ("0 build=1\n2 build=2\n1 build=3\n", "line 3: time goes back; the lines must be in order"),
    ("0 build=1\nbuild=2\n", "line 2: 'build=2' is not a time: seconds, such as 0 or 2.5, come first"),
    ("\n\n1e3 build=2\n", "line 3: '1e3' is not a time: seconds, such as 0 or 2.5, come first"),
    ("-1 build=2\n", "line 1: '-1' is not a time: seconds, such as 0 or 2.5, come first"),
    (". build=2\n", "line 1: '.' is not a time: seconds, such as 0 or 2.5, come first"),
    ("1.2.3 build=2\n", "line 1: '1.2.3' is not a time: seconds, such as 0 or 2.5, come first"),
    ("1000000000 build=2\n", "line 1: '1000000000' is not a time: seconds, such as 0 or 2.5, come first"),
  ])
  func `a line without a time in order is refused with its number`(text: String, message: String) {
    guard case .failure(let problem) = read(text) else { return #expect(Bool(false), "\(text) is read") }
    #expect(problem.description == message)
  }

  @Test(arguments: [("0", 0), (".5", 500_000_000), ("2.", 2_000_000_000), ("0.0000000019", 1)])
  func `a time is exact to the nanosecond`(text: String, nanoseconds: Int64) throws {
    let events = try read("# nothing\n\n\(text)  a=b c\n").get().events
    #expect(events == [.init(time: Instant(nanoseconds: nanoseconds), line: 3, content: Array("a=b c".utf8))])
  }
}
