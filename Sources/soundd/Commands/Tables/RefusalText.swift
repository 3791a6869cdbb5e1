import SoundTrigger

/// What a value or a feed has refused, for people.
enum RefusalText {
  /// `refused 3, the last at 14:05:11: 'x' is not a number`; `nil` if nothing was refused. `report` is a value of `list` or
  /// `status`, or a feed of `status`.
  static func sentence(_ report: JSONObject, now: Timestamp) -> String? {
    guard let count = report.number("refused"), count > 0 else { return nil }
    let time = report.text("refused_at").map { " at \(Table.localTime($0, now: now))" } ?? ""
    return "refused \(count), the last\(time): \(report.shown("refusal"))"
  }

  /// What is wrong with the feeds of a status, a line each: those that do not work, and those whose lines were refused.
  static func feeds(_ status: JSONObject, now: Timestamp) -> [(name: String, problem: String)] {
    feedReports(status).flatMap { feed in
      let problem = feed["problem"].map { _ in feed.shown("problem") }
      let refusal = sentence(feed, now: now).map { "lines \($0)" }
      return [problem, refusal].compactMap(\.self).map { ("feed '\(feed.shown("name"))'", $0) }
    }
  }

  /// The feeds of a status.
  static func feedReports(_ status: JSONObject) -> [JSONObject] {
    let commands = status["commands"].flatMap { try? JSONObject.array($0) } ?? []
    return commands.filter { $0.text("kind") == "feed" }
  }
}
