import SoundTrigger
import SoundWire

extension RefusalMembers {
  /// `refused 3, the last at 14:05:11: 'x' is not a number`; `nil` if nothing was refused.
  func sentence(now: Timestamp) -> String? {
    guard let count, count > 0 else { return nil }
    let time = time.map { " at \($0.localTime(at: now))" } ?? ""
    return "refused \(count), the last\(time): \(last.map { Excerpt.escaping($0) } ?? "-")"
  }
}

extension StatusMessage {
  var feeds: [CommandMessage] { commands.filter { $0.kind == .feed } }
}

extension FeedStatusMessage {
  /// What is wrong with the feeds, a line each: those that do not work, and those whose lines were refused.
  func feedProblems(now: Timestamp) -> [(name: String, problem: String)] {
    commands.filter { $0.kind == .feed }.flatMap { feed in
      let refusal = feed.refusals.sentence(now: now).map { "lines \($0)" }
      return [feed.problem.map { Excerpt.escaping($0) }, refusal].compactMap(\.self)
        .map { ("feed '\(Excerpt.escaping(feed.name))'", $0) }
    }
  }
}
