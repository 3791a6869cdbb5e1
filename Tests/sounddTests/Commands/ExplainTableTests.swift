import Foundation
import SoundWire
import Testing

@testable import SoundTrigger
@testable import soundd

/// `explain` as programs and as people read it.
struct ExplainTableTests {
  private static let at = Timestamp(seconds: 1_769_847_300, nanoseconds: 250_999_000)

  private func report(
    _ changes: [(Value, Value, Verdict)], name trigger: String = "t", value: String = "v"
  ) throws -> ExplainMessage {
    let name = try #require(ValueName("v"))
    var report = ExplainMessage()
    (report.name, report.value) = (trigger, value)
    report.verdicts = changes.map { old, new, verdict in
      let judged = JudgedChange(at: Instant(nanoseconds: 0), old: old, new: new, verdict: verdict)
      return VerdictMessage(judged, of: name, reason: verdict.description, at: Self.at)
    }
    return report
  }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  /// What a command shows of the daemon's reply.
  private func lines(_ report: ExplainMessage, inColour: Bool = false) throws -> [String] {
    ExplainTable.text(try ExplainMessage(report.json), inColour: inColour)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The moment in local time, as Foundation writes it.
  private var time: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    return formatter.string(from: Date(timeIntervalSince1970: 1_769_847_300.25))
  }

  @Test func `a table has a line for each change, the latest last`() throws {
    let table = try lines(
      report([
        (text("ok"), text("ok"), .appeared), (text("ok"), text("failed"), .played),
        (.number(1), .bool(true), .queued(position: 2)),
      ]))
    #expect(
      table == [
        "t (v)", "", "TIME                     CHANGE       VERDICT   REASON",
        "\(time)  ok           appeared  the first content is not a change (initial is false)",
        "\(time)  ok → failed  played", "\(time)  1 → true     queued    waits for its turn, at place 2",
      ])
  }

  @Test func `below the changes stands when and why its sound was last stopped`() throws {
    let seen = try #require(ValueName("seen"))
    var report = try report([(.number(0), .number(1), .played)])
    report.stopped = StoppedMessage(Stop(at: Instant(nanoseconds: 0), cause: .cancel, value: seen), at: Self.at)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json)) as? [String: Any])
    let stopped = try #require(object["stopped"] as? [String: String])
    #expect(
      stopped == [
        "at": "2026-01-31T08:15:00.250999Z", "by": "cancel", "value": "seen", "reason": "'seen' changed (cancel)",
      ])
    #expect(try lines(report).suffix(2) == ["", "last stopped at \(time): 'seen' changed (cancel)"])
  }

  @Test func `a trigger without a change says so`() throws {
    #expect(try lines(report([])) == ["t (v): no change so far"])
    #expect(try lines(report([], name: "v")) == ["v: no change so far"])
  }

  @Test func `of several values each change names its own`() throws {
    let table = try lines(report([(text("a"), text("b"), .played)], value: "u, v"))
    #expect(
      table == [
        "t (u, v)", "", "TIME                     VALUE  CHANGE  VERDICT  REASON", "\(time)  v      a → b   played",
      ])
  }

  @Test(arguments: [
    ("a b", "'a b'"), ("", "''"), ("\u{1B}[2J", "'\\u{1b}[2J'"), ("a\nb", "'a\\nb'"), ("\u{202E}x", "'\\u{202e}x'"),
    (String(repeating: "x", count: 25), "'\(String(repeating: "x", count: 24))…'"),
    (String(repeating: "x", count: 24), String(repeating: "x", count: 24)), ("Grün", "Grün"), ("-1.5e3", "-1.5e3"),
    ("12:30", "12:30"), ("'", "'''"),
  ])
  func `a content that is long or odd is quoted`(content: String, shown: String) throws {
    let table = try lines(report([(text("a"), text(content), .played)]))
    #expect(table[3] == "\(time)  a → \(shown)  played")
  }

  @Test func `what was played is green, what waits yellow, what failed red, and the rest as it is`() throws {
    for (verdict, code) in [
      (Verdict.played, "32"), (.delayed(for: .seconds(1)), "33"), (.waiting(for: .seconds(1)), "33"),
      (.queued(position: 1), "33"), (.broken, "31"), (.late(by: .seconds(1)), "31"), (.noDevice, "31"), (.notTo, ""),
      (.muted, ""), (.throttled(for: .seconds(1)), ""),
    ] {
      let report = try report([(text("a"), text("b"), verdict)])
      let (plain, coloured) = (try lines(report), try lines(report, inColour: true))
      #expect(coloured.prefix(3) == plain.prefix(3))
      #expect(coloured[3] == (code.isEmpty ? plain[3] : "\u{1B}[\(code)m\(plain[3])\u{1B}[0m"))
    }
  }

  @Test(arguments: [
    "-", "", "2026-01-31", "2026-01-31 08:15:00.250000+", "𝟚026-01-31T08:15:00.25Z",
  ])
  func `a reply with a time that is none is refused`(text: String) throws {
    let reply =
      #"{"name":"t","verdicts":[{"id":1,"at":"\#(text)","value":"v","verdict":"played","reason":"played"}]}"#
    #expect(throws: MessageError.malformed("verdicts")) { try ExplainMessage(Array(reply.utf8)) }
  }
}
