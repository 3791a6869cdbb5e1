import SoundTrigger

/// The hours in which only important sounds are heard, by local time.
struct QuietHours: Equatable, Sendable {
  /// So many entries a list may have.
  static let mostSpans = 32

  /// At least one.
  var spans: [Span]
}

extension QuietHours {
  /// Hours that begin on some days of the week.
  struct Span: Equatable, Sendable {
    /// When they begin, in seconds since midnight as the wall clock shows it.
    let start: Int
    /// When they end: the same day if that is later than `start`, else the next.
    let end: Int
    /// The days on which they begin: Sunday is 0.
    private(set) var days = Set(0...6)
  }
}

extension QuietHours.Span {
  private static let dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// `22:00-07:00`, each day, or `mon-fri 22:00-07:00`: hours of two digits, 00 to 23.
  init(_ text: String) throws(SettingProblem) {
    guard let blank = text.firstIndex(of: " "), let first = text.first, first.isLetter else {
      try self.init(hours: text)
      return
    }
    try self.init(hours: String(text[blank...].drop { $0 == " " }))
    let names = text[..<blank].split(separator: "-", omittingEmptySubsequences: false)
    let ends = names.compactMap { Self.dayNames.firstIndex(of: $0.lowercased()) }
    guard ends.count == names.count, ends.count <= 2, let from = ends.first, let to = ends.last else {
      throw SettingProblem(
        "expected a day such as mon, or days such as mon-fri, found \(Excerpt.quoting(text[..<blank]))")
    }
    days = Set((0...(to - from + 7) % 7).map { (from + $0) % 7 })
  }

  private init(hours text: String) throws(SettingProblem) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false)
    let minutes = times.map { Self.digits($0) }
    guard times.count == 2, let first = minutes[0], let last = minutes[1] else {
      throw SettingProblem("expected two times of day such as \"22:00-07:00\", found \(Excerpt.quoting(text))")
    }
    for (time, digits) in zip(times, [first, last]) where digits.hour > 23 || digits.minute > 59 {
      throw SettingProblem("\(Excerpt.quoting(time)) is no time of day; expected 00:00 to 23:59")
    }
    start = first.hour * 3600 + first.minute * 60
    end = last.hour * 3600 + last.minute * 60
    if start == end {
      throw SettingProblem(
        "begins and ends at the same time, \(Excerpt.quoting(times[0])); for quiet all day long there is "
          + "'soundd profile quiet'")
    }
  }

  /// `HH:MM` with any digits.
  private static func digits(_ text: Substring) -> (hour: Int, minute: Int)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard parts.count == 2, areDigits, let hour = Int(parts[0]), let minute = Int(parts[1]) else { return nil }
    return (hour, minute)
  }
}
