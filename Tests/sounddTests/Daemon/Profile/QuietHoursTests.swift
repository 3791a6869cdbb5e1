import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// When quiet hours begin and end. The offsets are those that `zdump -v` shows.
///
/// The time zone belongs to the process, so each zone has a process of its own.
struct QuietHoursTests {
  // As POSIX writes time zones, so that no database of them is needed.
  private static let utc = "UTC0"
  private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
  /// Half an hour of daylight saving; its summer is in January.
  private static let lordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
  /// At midnight in winter the clock goes back to eleven.
  private static let azores = "<-01>1<+00>,M3.5.0/0,M10.5.0/1"
  /// Had no 30 December 2011.
  private static let apia = "Pacific/Apia"

  /// The seconds since 1970 of a time of this century, by the rule of the calendar.
  private static func seconds(_ text: String) -> Int64 {
    let parts = text.split { !$0.isNumber }.compactMap { Int64($0) }
    let (year, month) = (parts[0], parts[1])
    let isLeap = year % 4 == 0
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let days = (year - 1970) * 365 + (year - 1969) / 4 + lengths[..<Int(month - 1)].reduce(0, +) + parts[2] - 1
    return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    var zone: String
    var hours: String
    /// A moment within the period.
    var moment: String
    var start: String
    var end: String
    var testDescription: String { what }
  }

  static let cases = [
    Case(
      what: "over midnight", zone: utc, hours: "22:00-07:00", moment: "2026-06-01T00:00:00Z",
      start: "2026-05-31T22:00:00Z", end: "2026-06-01T07:00:00Z"),
    Case(
      what: "within a day", zone: utc, hours: "13:00-15:30", moment: "2026-06-01T15:29:59Z",
      start: "2026-06-01T13:00:00Z", end: "2026-06-01T15:30:00Z"),
    Case(
      what: "all but a minute", zone: utc, hours: "00:01-00:00", moment: "2026-06-01T12:00:00Z",
      start: "2026-06-01T00:01:00Z", end: "2026-06-02T00:00:00Z"),
    Case(
      what: "an hour shorter when summer begins", zone: berlin, hours: "22:00-07:00", moment: "2026-03-29T00:59:59Z",
      start: "2026-03-28T21:00:00Z", end: "2026-03-29T05:00:00Z"),
    Case(
      what: "an hour longer when summer ends", zone: berlin, hours: "22:00-07:00", moment: "2026-10-25T00:59:59Z",
      start: "2026-10-24T20:00:00Z", end: "2026-10-25T06:00:00Z"),
    Case(
      what: "an end that is left out comes when the clock passes it", zone: berlin, hours: "22:00-02:30",
      moment: "2026-03-28T23:00:00Z", start: "2026-03-28T21:00:00Z", end: "2026-03-29T01:00:00Z"),
    Case(
      what: "a beginning that is left out comes when the clock passes it", zone: berlin, hours: "02:30-07:00",
      moment: "2026-03-29T01:00:00Z", start: "2026-03-29T01:00:00Z", end: "2026-03-29T05:00:00Z"),
    Case(
      what: "an end that comes twice counts the first time", zone: berlin, hours: "22:00-02:30",
      moment: "2026-10-25T00:29:59Z", start: "2026-10-24T20:00:00Z", end: "2026-10-25T00:30:00Z"),
    Case(
      what: "a beginning that comes twice counts the first time", zone: berlin, hours: "02:30-07:00",
      moment: "2026-10-25T01:10:00Z", start: "2026-10-25T00:30:00Z", end: "2026-10-25T06:00:00Z"),
    Case(
      what: "both twice: only the first time", zone: berlin, hours: "02:15-02:45", moment: "2026-10-25T00:15:00Z",
      start: "2026-10-25T00:15:00Z", end: "2026-10-25T00:45:00Z"),
    Case(
      what: "half an hour longer on Lord Howe Island", zone: lordHowe, hours: "22:00-07:00",
      moment: "2026-04-04T15:00:00Z", start: "2026-04-04T11:00:00Z", end: "2026-04-04T20:30:00Z"),
    Case(
      what: "half an hour shorter on Lord Howe Island", zone: lordHowe, hours: "22:00-07:00",
      moment: "2026-10-03T15:30:00Z", start: "2026-10-03T11:30:00Z", end: "2026-10-03T20:00:00Z"),
    Case(
      what: "an end in the half hour left out there", zone: lordHowe, hours: "22:00-02:15",
      moment: "2026-10-03T15:29:59Z", start: "2026-10-03T11:30:00Z", end: "2026-10-03T15:30:00Z"),
    Case(
      what: "an end in the half hour that comes twice there", zone: lordHowe, hours: "22:00-01:45",
      moment: "2026-04-04T14:44:59Z", start: "2026-04-04T11:00:00Z", end: "2026-04-04T14:45:00Z"),
    Case(
      what: "a day that is left out", zone: apia, hours: "22:00-07:00", moment: "2011-12-30T10:00:00Z",
      start: "2011-12-30T08:00:00Z", end: "2011-12-30T17:00:00Z"),
    Case(
      what: "midnight that comes twice", zone: azores, hours: "23:30-00:00", moment: "2026-10-24T23:45:00Z",
      start: "2026-10-24T23:30:00Z", end: "2026-10-25T00:00:00Z"),
    // 1 June 2026 is a Monday.
    Case(
      what: "on weekdays alone", zone: utc, hours: "mon-fri 22:00-07:00", moment: "2026-06-06T01:00:00Z",
      start: "2026-06-05T22:00:00Z", end: "2026-06-06T07:00:00Z"),
    Case(
      what: "after the weekend", zone: utc, hours: "mon-fri 22:00-07:00", moment: "2026-06-06T07:00:00Z",
      start: "2026-06-08T22:00:00Z", end: "2026-06-09T07:00:00Z"),
    Case(
      what: "once a week, seven days later", zone: utc, hours: "Mon 08:00-09:00", moment: "2026-06-01T09:00:00Z",
      start: "2026-06-08T08:00:00Z", end: "2026-06-08T09:00:00Z"),
    Case(
      what: "over the end of the week", zone: utc, hours: "sat-mon 12:00-13:00", moment: "2026-06-01T12:30:00Z",
      start: "2026-06-01T12:00:00Z", end: "2026-06-01T13:00:00Z"),
    Case(
      what: "several that meet or overlap are one", zone: utc,
      hours: "fri 22:00-00:00,sat 00:00-09:00,sat 08:30-10:00", moment: "2026-06-06T03:00:00Z",
      start: "2026-06-05T22:00:00Z", end: "2026-06-06T10:00:00Z"),
  ]

  @Test func `quiet hours last, in UTC`() async {
    await #expect(processExitsWith: .success) { try Self.checkCases(of: Self.utc) }
  }

  @Test func `quiet hours last, in Berlin`() async {
    await #expect(processExitsWith: .success) {
      try Self.checkCases(of: Self.berlin)
      try Self.checkHoursThatAreLeftOut()
      try Self.compareWithWallClock()
    }
  }

  @Test func `quiet hours last, on Lord Howe Island`() async {
    await #expect(processExitsWith: .success) {
      try Self.checkCases(of: Self.lordHowe)
      try Self.compareWithWallClock()
    }
  }

  @Test func `quiet hours last, on the Azores`() async {
    await #expect(processExitsWith: .success) {
      try Self.checkCases(of: Self.azores)
      try Self.compareWithWallClock()
    }
  }

  @Test(.enabled(if: access("/usr/share/zoneinfo/Pacific/Apia", R_OK) == 0))
  func `quiet hours last, where a day was left out`() async {
    await #expect(processExitsWith: .success) { try Self.checkCases(of: Self.apia) }
  }

  private static func checkCases(of zone: String) throws {
    setenv("TZ", zone, 1)
    tzset()
    let own = cases.filter { $0.zone == zone }
    #expect(!own.isEmpty)
    for example in own {
      let hours = try QuietHours(example.hours)
      let period = seconds(example.start)..<seconds(example.end)
      for moment in [seconds(example.moment), period.lowerBound, period.upperBound - 1] {
        #expect(hours.period(endingAfter: moment) == period, "\(example)")
      }
      #expect(hours.period(endingAfter: period.upperBound).lowerBound > period.upperBound, "\(example)")
    }
  }

  private static func checkHoursThatAreLeftOut() throws {
    let hours = try QuietHours("02:15-02:45")
    #expect(hours.period(endingAfter: seconds("2026-03-29T00:59:59Z")).lowerBound == seconds("2026-03-29T01:00:00Z"))
    #expect(hours.period(endingAfter: seconds("2026-03-29T01:00:00Z")).lowerBound == seconds("2026-03-30T00:15:00Z"))
  }

  /// A wall clock that is read every minute of a year begins and ends them at the same times.
  private static func compareWithWallClock() throws {
    var generator = SplitMix64(seed: 4)
    for _ in 0..<(isQuick ? 1 : 2) {
      let (start, end) = (Int.random(in: 0..<1440, using: &generator), Int.random(in: 0..<1440, using: &generator))
      if start == end { continue }
      func text(_ minute: Int) -> String {
        let (hour, rest) = (minute / 60, minute % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (rest < 10 ? "0" : "") + "\(rest)"
      }
      let hours = try QuietHours("\(text(start))-\(text(end))")
      // The wall clock never goes back here: what it shows a second time does not count.
      var latest = Int64.min
      var isQuiet: Bool?
      var period = Int64.min..<Int64.min
      for minute in stride(from: seconds("2026-01-01T00:00:00Z"), to: seconds("2027-01-01T00:00:00Z"), by: 60) {
        var (time, parts) = (time_t(minute), tm())
        localtime_r(&time, &parts)
        let shown = (minute + Int64(parts.tm_gmtoff)) / 60
        if shown > latest {
          // Every minute that it shows or passes.
          for passed in max(latest + 1, shown - 1440)...shown {
            if passed % 1440 == Int64(start) { isQuiet = true }
            if passed % 1440 == Int64(end) { isQuiet = false }
          }
          latest = shown
        }
        if minute >= period.upperBound { period = hours.period(endingAfter: minute) }
        // Not an expectation each minute: they take longer than the minutes do.
        if let isQuiet, isQuiet != period.contains(minute) { Issue.record("\(hours): \(minute)") }
      }
    }
  }

  @Test(arguments: [
    ("22-7", "expected two times of day such as \"22:00-07:00\", found '22-7'"),
    ("", "expected two times of day such as \"22:00-07:00\", found ''"),
    ("22:00", "expected two times of day such as \"22:00-07:00\", found '22:00'"),
    ("22:00-07:00-08:00", "expected two times of day such as \"22:00-07:00\", found '22:00-07:00-08:00'"),
    ("22:00 - 07:00", "expected two times of day such as \"22:00-07:00\", found '22:00 - 07:00'"),
    ("22:00-7:00", "expected two times of day such as \"22:00-07:00\", found '22:00-7:00'"),
    ("22:00–07:00", "expected two times of day such as \"22:00-07:00\", found '22:00–07:00'"),
    ("２２:00-07:00", "expected two times of day such as \"22:00-07:00\", found '２２:00-07:00'"),
    ("22:+1-07:00", "expected two times of day such as \"22:00-07:00\", found '22:+1-07:00'"),
    ("mon-fry 22:00-07:00", "expected a day such as mon, or days such as mon-fri, found 'mon-fry'"),
    ("mon-tue-fri 22:00-07:00", "expected a day such as mon, or days such as mon-fri, found 'mon-tue-fri'"),
    ("daily 22:00-07:00", "expected a day such as mon, or days such as mon-fri, found 'daily'"),
    ("mon- 22:00-07:00", "expected a day such as mon, or days such as mon-fri, found 'mon-'"),
    ("mon-fri 22:00", "expected two times of day such as \"22:00-07:00\", found '22:00'"),
    ("mon-fri", "expected two times of day such as \"22:00-07:00\", found 'mon-fri'"),
    ("25:00-07:00", "'25:00' is no time of day; expected 00:00 to 23:59"),
    ("22:00-24:00", "'24:00' is no time of day; expected 00:00 to 23:59"),
    ("22:60-07:00", "'22:60' is no time of day; expected 00:00 to 23:59"),
    (
      "22:00-22:00",
      "begins and ends at the same time, '22:00'; for quiet all day long there is 'soundd profile quiet'"
    ),
  ])
  func `what is no pair of times is refused`(text: String, message: String) {
    #expect(throws: SettingProblem(message)) { try QuietHours(text) }
  }
}

extension QuietHours {
  /// One entry, or several with commas between.
  fileprivate init(_ text: String) throws(SettingProblem) {
    self.init(
      spans: try text.split(separator: ",", omittingEmptySubsequences: false).map { text throws(SettingProblem) in
        try Span(String(text))
      })
  }
}
