import SoundTrigger
import SoundWire
import Testing

@testable import soundd

struct FeedLineTests {
  private func parse(_ line: String) -> Result<FeedLine, FeedLine.Refusal> {
    Result { () throws(FeedLine.Refusal) in try FeedLine(Array(line.utf8).span) }
  }

  @Test(arguments: [
    ("a=b", FeedLine.assignment(name: 0..<1, value: 2..<3)), ("a b=", .assignment(name: 0..<3, value: 4..<4)),
    ("a=b=c", .assignment(name: 0..<1, value: 2..<5)), ("get x=1", .assignment(name: 0..<5, value: 6..<7)),
    ("a:b=1", .assignment(name: 0..<3, value: 4..<5)), ("=1", .assignment(name: 0..<0, value: 1..<2)),
    (" a=1", .assignment(name: 0..<2, value: 3..<4)), ("a={\"b\": 1}", .assignment(name: 0..<1, value: 2..<10)),
    ("{\"a\":1}", .object(0..<7)), (" \t{\"a\":1}", .object(2..<9)), ("{", .object(0..<1)),
    ("", .blank), (" \t", .blank), ("# a=1", .blank), ("  #", .blank),
  ])
  func `a line is an assignment, an object or a comment`(line: String, parsed: FeedLine) {
    #expect(parse(line) == .success(parsed))
  }

  @Test(arguments: ["list", "stop", "hello world", "\u{0}", "Connection refused", "a"])
  func `a feed has no commands, and learns what it may write`(line: String) {
    #expect(parse(line) == .failure(.unreadable))
    #expect(
      FeedLine.Refusal.unreadable.description
        == #"a feed writes NAME=VALUE, a JSON object such as {"NAME": "VALUE"}, or a comment that begins with '#'"#)
  }

  @Test(arguments: ["Error: no route (code=5)", "a: b=1", ": =1"])
  func `what programs say is no value`(line: String) {
    #expect(parse(line) == .failure(.chatter))
  }

  @Test func `a line that was skipped is refused`() {
    #expect(throws: FeedLine.Refusal.tooLong) { try FeedLine(nil) }
  }
}
