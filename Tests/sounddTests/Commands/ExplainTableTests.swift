import Foundation
import Testing

@testable import SoundTrigger
@testable import soundd

/// `explain` as programs and as people read it.
struct ExplainTableTests {
  private static let at = Timestamp(seconds: 1_769_847_300, nanoseconds: 250_999_000)

  private func report(_ changes: [(Value, Value, Verdict)], name trigger: String = "t", value: String = "v") -> [UInt8]
  {
    guard let name = ValueName("v") else { return [] }
    return JSONWriter.object { writer in
      writer.member("name", trigger)
      writer.member("value", value)
      writer.member("verdicts") { writer in
        writer.array(changes) { change, writer in
          let judged = JudgedChange(
            at: Instant(nanoseconds: 0), old: change.0, new: change.1, verdict: change.2)
          writer.judgedChange(judged, of: name, at: Self.at)
        }
      }
    }
  }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  private func lines(_ report: [UInt8], inColour: Bool = false) throws -> [String] {
    try ExplainTable.text(report, inColour: inColour).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
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
    let report = JSONWriter.object { writer in
      writer.member("name", "t")
      writer.member("value", "v")
      writer.member("verdicts") { writer in
        writer.array([Verdict.played]) { verdict, writer in
          writer.judgedChange(
            JudgedChange(at: Instant(nanoseconds: 0), old: nil, new: .number(1), verdict: verdict), of: seen,
            at: Self.at)
        }
      }
      writer.member("stopped") {
        $0.stop(Stop(at: Instant(nanoseconds: 0), cause: .cancel, value: seen), at: Self.at)
      }
    }
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report)) as? [String: Any])
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
      let report = report([(text("a"), text("b"), verdict)])
      let (plain, coloured) = (try lines(report), try lines(report, inColour: true))
      #expect(coloured.prefix(3) == plain.prefix(3))
      #expect(coloured[3] == (code.isEmpty ? plain[3] : "\u{1B}[\(code)m\(plain[3])\u{1B}[0m"))
    }
  }

  @Test(arguments: [
    "-", "", "2026-01-31", "2026-01-31T08:15:00Z", "2026-01-31 08:15:00.250000+", "𝟚026-01-31T08:15:00.25Z",
  ])
  func `a time that is none is shown as it is`(text: String) {
    #expect(Table.localTime(text, now: Timestamp(seconds: 0)) == text)
  }
}
