import TestSupport
import Testing

@testable import soundd

/// When quiet hours begin and end. The offsets are those that `zdump -v` shows.
struct QuietHoursTests {
  /// A time zone: what is added to UTC, from a second of UTC on.
  struct Zone: Sendable {
    var first: Int
    var changes: [(at: Int64, offset: Int)] = []

    func offset(_ second: Int64) -> Int { changes.last { $0.at <= second }?.offset ?? first }
  }

  private static let utc = Zone(first: 0)
  private static let berlin = Zone(
    first: 3600,
    changes: [(seconds("2026-03-29T01:00:00Z"), 7200), (seconds("2026-10-25T01:00:00Z"), 3600)])
  /// Half an hour of daylight saving; its summer is in January.
  private static let lordHowe = Zone(
    first: 39_600,
    changes: [(seconds("2026-04-04T15:00:00Z"), 37_800), (seconds("2026-10-03T15:30:00Z"), 39_600)])
  /// Had no 30 December 2011.
  private static let apia = Zone(first: -36_000, changes: [(seconds("2011-12-30T10:00:00Z"), 50_400)])
  /// At midnight in winter the clock goes back to eleven.
  private static let azores = Zone(
    first: -3600, changes: [(seconds("2026-03-29T01:00:00Z"), 0), (seconds("2026-10-25T01:00:00Z"), -3600)])

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
    var zone: Zone
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
      start: "2011-12-30T10:00:00Z", end: "2011-12-30T17:00:00Z"),
    Case(
      what: "midnight that comes twice", zone: azores, hours: "23:30-00:00", moment: "2026-10-24T23:45:00Z",
      start: "2026-10-24T23:30:00Z", end: "2026-10-25T00:00:00Z"),
  ]

  @Test(arguments: cases)
  func `quiet hours last`(example: Case) throws {
    let hours = try QuietHours(example.hours)
    let period = QuietHours.Period(start: Self.seconds(example.start), end: Self.seconds(example.end))
    for moment in [Self.seconds(example.moment), period.start, period.end - 1] {
      #expect(hours.place(of: moment, offset: example.zone.offset) == .within(period))
    }
    guard case .outside(let next) = hours.place(of: period.end, offset: example.zone.offset) else {
      // 30 December was left out, and so was the time between two periods.
      Issue.record("they have no end")
      return
    }
    #expect(next > period.end)
  }

  @Test func `hours that are left out altogether are not there`() throws {
    let hours = try QuietHours("02:15-02:45")
    #expect(
      hours.place(of: Self.seconds("2026-03-29T00:59:59Z"), offset: Self.berlin.offset)
        == .outside(next: Self.seconds("2026-03-29T01:00:00Z")))
    #expect(
      hours.place(of: Self.seconds("2026-03-29T01:00:00Z"), offset: Self.berlin.offset)
        == .outside(next: Self.seconds("2026-03-30T00:15:00Z")))
  }

  @Test func `a wall clock that is read every minute of two years begins and ends them at the same times`() throws {
    var generator = SeededGenerator(seed: 4)
    for zone in [Self.berlin, Self.lordHowe, Self.azores] {
      for _ in 0..<2 {
        let (start, end) = (Int.random(in: 0..<1440, using: &generator), Int.random(in: 0..<1440, using: &generator))
        if start == end { continue }
        func text(_ minute: Int) -> String {
          let (hour, rest) = (minute / 60, minute % 60)
          return (hour < 10 ? "0" : "") + "\(hour):" + (rest < 10 ? "0" : "") + "\(rest)"
        }
        let hours = try QuietHours("\(text(start))-\(text(end))")
        // The wall clock never goes back here: what it shows a second time is not looked at.
        var latest = Int64.min
        var isQuiet: Bool?
        var place = QuietHours.Place.outside(next: .min)
        for minute in stride(
          from: Self.seconds("2026-01-01T00:00:00Z"), to: Self.seconds("2027-01-01T00:00:00Z"), by: 60)
        {
          let shown = (minute + Int64(zone.offset(minute))) / 60
          if shown > latest {
            // Every minute that it shows or passes.
            for passed in max(latest + 1, shown - 1440)...shown {
              if passed % 1440 == Int64(start) { isQuiet = true }
              if passed % 1440 == Int64(end) { isQuiet = false }
            }
            latest = shown
          }
          if minute >= place.end { place = hours.place(of: minute, offset: zone.offset) }
          // Not an expectation each minute: they take longer than the minutes do.
          let isWithin = if case .within = place { true } else { false }
          if let isQuiet, isQuiet != isWithin { Issue.record("\(zone), \(hours): \(minute)") }
        }
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
    ("25:00-07:00", "'25:00' is no time of day; expected 00:00 to 23:59"),
    ("22:00-24:00", "'24:00' is no time of day; expected 00:00 to 23:59"),
    ("22:60-07:00", "'22:60' is no time of day; expected 00:00 to 23:59"),
    (
      "22:00-22:00",
      "begins and ends at the same time, '22:00'; for quiet all day long there is 'soundd profile quiet'"
    ),
  ])
  func `what is no pair of times is refused`(text: String, message: String) {
    #expect(throws: QuietHours.Problem(message: message)) { try QuietHours(text) }
  }
}
