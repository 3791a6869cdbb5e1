import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

struct ActivityReportTests {
  private let folder = TemporaryFolder()
  /// 20 minutes after an hour has begun.
  private let now = Timestamp(seconds: 497_222 * 3600 + 1200)

  /// A report of what a file says: hours before the present one, triggers and their figures.
  private func report(
    _ lines: [(ago: Int, trigger: String, figures: [Int])], standing: [String: Duration] = [:], days: Int = 7
  ) throws -> ActivityReport {
    let file = StateFile(path: folder("report"))
    let text = lines.map { #"{"hour":\#(497_222 - $0.ago),"trigger":"\#($0.trigger)","figures":\#($0.figures)}"# }
    try file.write(Array(([#"{"written_at":"2026-09-21T14:15:00.000000Z"}"#] + text).joined(separator: "\n").utf8))
    let counts = try #require(try ActivityCounts(file))
    return ActivityReport(counts, standing: standing, days: days, now: now)
  }

  @Test(arguments: [
    // plays, alarms, acknowledged, wait, alarms in a minute, all in ten minutes, longest wait
    ([60, 0, 0, 0, 0, 0, 0], nil), ([61, 0, 0, 0, 0, 0, 0], "many_plays 'a' played 61 times in an hour: throttle"),
    // It repeats its sound.
    ([99, 1, 0, 0, 1, 1, 0], nil),
    ([6, 6, 0, 0, 2, 10, 0], nil), ([7, 7, 0, 0, 2, 10, 0], "many_alarms 'a' rang 7 times in an hour: hysteresis"),
    ([7, 7, 0, 0, 3, 10, 0], "chattering 'a' rang 3 times in a minute: hysteresis off_delay"),
    ([1, 1, 0, 0, 1, 11, 0], "flood 'a' rang as one of 11 alarms in ten minutes: unless delay"),
    ([2, 2, 2, 1_200_000_000, 1, 2, 1_199_000_000], nil),
    ([2, 2, 2, 1_200_000_002, 1, 2, 1_199_000_000], "late 'a' was acknowledged after 10 min on average: escalate"),
  ])
  func `a finding names the key that would help`(figures: [Int], finding: String?) throws {
    let findings = try report([(3, "a", figures)]).message.findings
    #expect(
      findings.map { "\($0.code) '\($0.trigger)' \($0.problem): \($0.keys.joined(separator: " "))" }
        == (finding.map { [$0] } ?? []))
  }

  @Test func `an alarm that stands for more than a day is stale, also if it was not counted`() throws {
    let report = try report([], standing: ["new": .seconds(86_400), "old": .seconds(3 * 86_400)])
    #expect(report.message.findings.map(\.trigger) == ["old"])
    #expect(
      report.text(width: nil, now: now).hasSuffix("'old' has been active for 3 days: add 'loop_limit' or 'unless'"))
  }

  @Test func `hours are added up, and the noisiest ten are shown`() throws {
    let lines = (0..<12).map { (ago: 0, trigger: "t\($0)", figures: [$0 + 1, 0, 0, 0, 0, 0, 0]) }
    let report = try report(
      lines + [
        (9, "t0", [50, 3, 1, 30_000_000, 2, 3, 30_000_000]), (5, "t0", [5, 4, 1, 10_000_000, 1, 4, 10_000_000]),
      ])
    #expect(report.message.hours == 10)
    #expect(report.message.triggers.map(\.name) == ["t0"] + (2...10).reversed().map { "t\($0 + 1)" })
    let json = String(decoding: report.message.json, as: UTF8.self)
    #expect(
      json.hasPrefix(
        #"{"from":"2026-09-21T05:00:00.000000Z","until":"2026-09-21T14:15:00.000000Z","hours":10,"triggers":["#
          + #"{"name":"t0","plays":56,"plays_per_hour":5.6,"alarms":7,"alarms_per_hour":0.7,"alarms_in_hour":4,"#
          + #""acknowledged":2,"acknowledged_after":20000000,"acknowledged_after_max":30000000},"#
          + #"{"name":"t11","plays":12,"plays_per_hour":1.2,"alarms":0,"alarms_per_hour":0,"alarms_in_hour":0,"#
          + #""acknowledged":0,"acknowledged_after":null,"acknowledged_after_max":null},"#), "\(json)")
    #expect(json.hasSuffix(#"],"findings":[]}"#), "\(json)")
  }

  @Test func `a finding is an object`() throws {
    let json = String(decoding: try report([(3, "a", [6, 6, 0, 0, 3, 10, 0])]).message.json, as: UTF8.self)
    #expect(
      json.hasSuffix(
        #""findings":[{"code":"chattering","trigger":"a","problem":"rang 3 times in a minute","#
          + #""keys":["hysteresis","off_delay"]}]}"#), "\(json)")
  }

  @Test func `the columns are the members of the JSON`() throws {
    let report = try report([(2, "a", [1, 1, 1, 90_000_000, 1, 1, 90_000_000])])
    let header = report.text(width: nil, now: now).split(separator: "\n")[1]
    #expect(
      header.hasSuffix("  ACKNOWLEDGED AFTER  ACKNOWLEDGED AFTER MAX") && header.hasPrefix("TRIGGER  PLAYS  "),
      "\(header)")
    #expect(!report.isEmpty)
    #expect(try self.report([]).isEmpty)
  }

  @Test(arguments: [1, 2, 7])
  func `only the last days count`(days: Int) throws {
    let ages = [0, 1, 23, 24, 47, 48, 167, 168]
    let report = try report(ages.map { ($0, "t\($0)", [1, 0, 0, 0, 0, 0, 0]) }, days: days)
    #expect(report.message.triggers.count == ages.filter { $0 < days * 24 }.count)
  }

  @Test func `the table is for people`() throws {
    let report = try report([
      (2, "battery", [41, 41, 1, 90_000_000, 5, 9, 90_000_000]), (2, "mail", [80, 0, 0, 0, 0, 0, 0]),
    ])
    let lines = report.text(width: nil, now: now).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[2].hasPrefix("TRIGGER  PLAYS  PLAYS PER HOUR  ALARMS  ALARMS PER HOUR  ALARMS IN HOUR  ACKNOWLEDGED"))
    #expect(lines[3].split(separator: " ") == ["mail", "80", "26.7", "0", "0", "0", "0", "-", "-"])
    #expect(
      lines[4].split(separator: " ") == [
        "battery", "41", "13.7", "41", "13.7", "41", "1", "1", "min", "30", "s", "1", "min", "30", "s",
      ])
    #expect(
      lines.suffix(3) == [
        "", "'mail' played 80 times in an hour: add 'throttle'",
        "'battery' rang 5 times in a minute: add 'hysteresis' or 'off_delay'",
      ])
  }
}
