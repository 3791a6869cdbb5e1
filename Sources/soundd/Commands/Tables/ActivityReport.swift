import SoundTrigger
import SoundWire

/// What triggers did in the last days, and which keys would make them quieter.
///
/// The limits are those of EEMUA 191 and ISA-18.2: more than 10 alarms in 10 minutes are a flood, 3 of one alarm in a minute are
/// chattering, one that is active for more than a day is stale, and about 6 an hour are manageable.
struct ActivityReport {
  /// Triggers: the noisiest.
  private(set) var message = ReportMessage()

  private static let mostTriggers = 10

  /// `standing`: the triggers whose alarms are not normal, and how long ago these became active.
  init(_ counts: ActivityCounts, standing: [String: Duration], days: Int, now: Timestamp) {
    let present = Int(now.seconds) / 3600
    let counted = counts.hours.filter { (0..<days * 24).contains(present - $0.number) }
    let first = counted.map(\.number).min() ?? present
    (message.from, message.until) = (Timestamp(seconds: Int64(first) * 3600), counts.writtenAt)
    message.hours = present - first + 1
    var sums: [String: ActivityCounts.Figures] = standing.mapValues { _ in .init() }
    for (name, figures) in counted.flatMap(\.triggers) { sums[name, default: .init()].add(hour: figures) }
    for (name, sum) in sums.sorted(by: {
      ($1.value.plays, $1.value.alarms, $0.key) < ($0.value.plays, $0.value.alarms, $1.key)
    }) {
      if message.triggers.count < Self.mostTriggers, sum != .init() {
        message.triggers.append(ReportedTriggerMessage(name, sum, hours: message.hours))
      }
      for finding in Self.findings(sum, standing: standing[name] ?? .zero) {
        var line = FindingMessage()
        (line.code, line.trigger, line.problem, line.keys) = (finding.code, name, finding.problem, finding.keys)
        message.findings.append(line)
      }
    }
  }

  /// `code` never changes. `problem` continues the trigger's name.
  private static func findings(
    _ sum: ActivityCounts.Figures, standing: Duration
  ) -> [(applies: Bool, code: String, problem: String, keys: [String])] {
    let (minute, ten, wait) = (sum.alarmsInMinute, sum.allInTenMinutes, sum.meanWait ?? .zero)
    return [
      // Alarms bypass groups, so against a flood gates and delays help.
      (ten > 10, "flood", "rang as one of \(ten) alarms in ten minutes", ["unless", "delay"]),
      (minute >= 3, "chattering", "rang \(minute) times in a minute", ["hysteresis", "off_delay"]),
      (minute < 3 && sum.alarmsInHour > 6, "many_alarms", "rang \(sum.alarmsInHour) times in an hour", ["hysteresis"]),
      // An alarm that repeats its sound plays often. 60 in an hour are as many as in a flood.
      (
        sum.alarms == 0 && sum.playsInHour > 60, "many_plays", "played \(sum.playsInHour) times in an hour",
        ["throttle"]
      ),
      (standing > .seconds(86_400), "stale", "has been active for \(standing.rounded)", ["loop_limit", "unless"]),
      (wait > .seconds(600), "late", "was acknowledged after \(wait.rounded) on average", ["escalate"]),
    ].filter(\.0)
  }

  /// Whether nothing was counted, and no alarm is stale.
  var isEmpty: Bool { message.triggers.isEmpty && message.findings.isEmpty }

  /// `width`: see `Table`.
  func text(width: Int?, now: Timestamp) -> String {
    let title =
      "from \(message.from.localTime(at: now)), counted until \(message.until?.localTime(at: now) ?? "-")"
    // The members after the name, in words.
    let header = MemberList(of: ReportedTriggerMessage.self).entries.dropFirst().map {
      $0.name.uppercased().replacing("_", with: " ")
    }
    let table = Table(rows: [["TRIGGER"] + header] + message.triggers.map(\.cells), dropping: [8, 6, 5, 7])
    let sentences = message.findings.map { finding in
      let keys = finding.keys.map { "'\($0)'" }.joined(separator: " or ")
      return "'\(Excerpt.escaping(NameEscape.original(finding.trigger)))' \(finding.problem): add \(keys)"
    }
    return ([title, ""] + table.lines(width: width).flatMap(\.self) + (sentences.isEmpty ? [] : [""]) + sentences)
      .joined(separator: "\n")
  }
}

extension ReportedTriggerMessage {
  fileprivate init(_ name: String, _ sum: ActivityCounts.Figures, hours: Int) {
    func perHour(_ number: Int) -> Double { (Double(number * 10) / Double(hours)).rounded() / 10 }
    self.init()
    self.name = name
    (plays, playsPerHour) = (sum.plays, perHour(sum.plays))
    (alarms, alarmsPerHour, alarmsInHour) = (sum.alarms, perHour(sum.alarms), sum.alarmsInHour)
    (acknowledged, acknowledgedAfter) = (sum.acknowledged, sum.meanWait)
    longestWait = sum.meanWait.map { _ in .microseconds(sum.longestWait) }
  }

  /// A row of the table: all members, in their order.
  fileprivate var cells: [String] {
    [
      NameEscape.original(name), "\(plays)", playsPerHour.shortestText, "\(alarms)", alarmsPerHour.shortestText,
      "\(alarmsInHour)", "\(acknowledged)", acknowledgedAfter?.rounded ?? "-", longestWait?.rounded ?? "-",
    ]
  }
}

extension ActivityCounts.Figures {
  /// How long it took on average until the alarm was acknowledged.
  fileprivate var meanWait: Duration? { acknowledged == 0 ? nil : .microseconds(wait / acknowledged) }
}
