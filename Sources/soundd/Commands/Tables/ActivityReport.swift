import SoundTrigger

/// What triggers did in the last days, and which keys would make them quieter.
///
/// The limits are those of EEMUA 191 and ISA-18.2: more than 10 alarms in 10 minutes are a flood, 3 of one alarm in a minute are
/// chattering, one that is active for more than a day is stale, and about 6 an hour are manageable.
struct ActivityReport {
  /// `code` never changes. `problem` continues the trigger's name.
  typealias Finding = (code: String, trigger: String, problem: String, keys: [String])

  /// When the first hour began, how many have begun since, and when the daemon wrote its counts.
  let (from, hours, until): (Timestamp, Int, Timestamp?)
  /// The noisiest triggers.
  private(set) var triggers: [(name: String, columns: KeyValuePairs<String, Double?>)] = []
  private(set) var findings: [Finding] = []

  /// `standing`: the alarms that are not normal, and how long ago they became active.
  init(_ counts: ActivityCounts, standing: [String: Duration], days: Int, now: Timestamp) {
    let present = Int(now.seconds) / 3600
    let counted = counts.hours.filter { (0..<days * 24).contains(present - $0.number) }
    let first = counted.map(\.number).min() ?? present
    (from, hours, until) = (Timestamp(seconds: Int64(first) * 3600), present - first + 1, counts.writtenAt)
    var sums: [String: ActivityCounts.Figures] = standing.mapValues { _ in .init() }
    for (name, figures) in counted.flatMap(\.triggers) { sums[name, default: .init()].add(hour: figures) }
    for (name, sum) in sums.sorted(by: {
      ($1.value.plays, $1.value.alarms, $0.key) < ($0.value.plays, $0.value.alarms, $1.key)
    }) {
      if triggers.count < 10, sum != .init() { triggers.append((name, columns(sum))) }
      findings += Self.findings(sum, standing: standing[name] ?? .zero).map { ($0.1, name, $0.2, $0.3) }
    }
  }

  /// The figures by their names in JSON. Times are in microseconds.
  private func columns(_ sum: ActivityCounts.Figures) -> KeyValuePairs<String, Double?> {
    func perHour(_ number: Int) -> Double { (Double(number * 10) / Double(hours)).rounded() / 10 }
    return [
      "plays": Double(sum.plays), "plays_per_hour": perHour(sum.plays),
      "alarms": Double(sum.alarms), "alarms_per_hour": perHour(sum.alarms), "alarms_in_hour": Double(sum.alarmsInHour),
      "acknowledged": Double(sum.acknowledged), "acknowledged_after": sum.meanWait.map(Double.init),
      "acknowledged_after_max": sum.meanWait.map { _ in Double(sum.longestWait) },
    ]
  }

  private static func findings(
    _ sum: ActivityCounts.Figures, standing: Duration
  ) -> [(applies: Bool, code: String, problem: String, keys: [String])] {
    let (minute, ten, wait) = (sum.alarmsInMinute, sum.allInTenMinutes, Duration.microseconds(sum.meanWait ?? 0))
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

  var json: [UInt8] {
    JSONWriter.object { line in
      line.member("from", from)
      line.member("until", until)
      line.member("hours", hours)
      line.member("triggers") { line in
        line.array(triggers) { trigger, line in
          line.object { line in
            line.member("name", trigger.name)
            for (name, value) in trigger.columns {
              line.member(name) { if let value { $0.number(value) } else { $0.null() } }
            }
          }
        }
      }
      line.member("findings") { line in
        line.array(findings) { finding, line in
          line.object { line in
            line.member("code", finding.code)
            line.member("trigger", finding.trigger)
            line.member("problem", finding.problem)
            line.member("keys") { $0.array(finding.keys) { $1.string($0) } }
          }
        }
      }
    }
  }

  /// `width`: see `Table`.
  func text(width: Int?, now: Timestamp) -> String {
    if triggers.isEmpty, findings.isEmpty { return "nothing has played, or the daemon has not written it yet" }
    let title = "from \(from.localTime(at: now)), counted until \(until?.localTime(at: now) ?? "-")"
    let header = columns(.init()).map { $0.key.uppercased().replacing("_", with: " ") }
    let rows = triggers.map { name, columns in
      [NameEscape.original(name)]
        + columns.map { column, value in
          let isTime = column.hasPrefix("acknowledged_after")
          return value.map { isTime ? Duration.microseconds(Int($0)).rounded : $0.shortestText } ?? "-"
        }
    }
    let table = Table(rows: [["TRIGGER"] + header] + rows, dropping: [8, 6, 5, 7]).lines(width: width)
    let sentences = findings.map { finding in
      let keys = finding.keys.map { "'\($0)'" }.joined(separator: " or ")
      return "'\(Excerpt.escaping(NameEscape.original(finding.trigger)))' \(finding.problem): add \(keys)"
    }
    return ([title, ""] + table.flatMap(\.self) + (sentences.isEmpty ? [] : [""]) + sentences).joined(separator: "\n")
  }
}

extension ActivityCounts.Figures {
  /// How long it took on average until the alarm was acknowledged.
  fileprivate var meanWait: Int? { acknowledged == 0 ? nil : wait / acknowledged }
}
