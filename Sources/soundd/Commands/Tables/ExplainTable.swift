import SoundTrigger
import SoundWire

/// The last changes of a trigger for people.
enum ExplainTable {
  /// A table of what the daemon answered to `explain`. `width`: see `Table`.
  static func text(
    _ report: ExplainMessage, inColour: Bool, width: Int? = nil, now: Timestamp = .now()
  ) -> String {
    let (name, value) = (report.name.shownName, report.value?.shownName ?? "-")
    let title = name == value ? name : "\(name) (\(value))"
    let ending = files(report, width: width) + ending(report, now: now)
    if report.verdicts.isEmpty { return (["\(title): no change so far"] + ending).joined(separator: "\n") }
    // Whose change it is goes without saying if the trigger watches one value. No value's name has a comma or an asterisk.
    let isPlural = value.contains { ",*".contains($0) }
    let header = ["TIME"] + (isPlural ? ["VALUE"] : []) + ["CHANGE", "VERDICT", "REASON"]
    let rows = report.verdicts.map { change in
      [change.at.localTime(at: now, toMillisecond: true)] + (isPlural ? [change.judged.value.shownName] : [])
        + [Table.change(change.judged.old, change.judged.new), change.judged.verdict.text, change.judged.shortReason]
    }
    let lines = Table(rows: [header] + rows, dropping: [0], wrapsLast: true).lines(width: width)
    let coloured = zip(lines.dropFirst(), report.verdicts).flatMap { lines, change in
      let colour = Colour.of(change.judged.verdict)
      return lines.map { colour.paint($0, if: inColour) }
    }
    return ([title, "", lines[0][0]] + coloured + ending).joined(separator: "\n")
  }

  /// Which file each of its sounds is, and how it was found; and what it said.
  private static func files(_ report: ExplainMessage, width: Int?) -> [String] {
    var lines = report.sounds.compactMap { sound in
      // A tone has no file.
      sound.path.flatMap { $0 == sound.name ? nil : $0 }.map { path in
        "'\(Excerpt.escaping(sound.name))' is \(path)" + (sound.found.map { " (\($0))" } ?? "")
      }
    }
    if let said = report.said, let text = said.text {
      lines.append(Excerpt.escaping(said.problem ?? "said '\(text)'"))
    }
    return lines.isEmpty
      ? [] : [""] + Table(rows: lines.map { [$0] }, wrapsLast: true).lines(width: width).flatMap { $0 }
  }

  /// When and why its sound was last stopped, if it ever was.
  private static func ending(_ report: ExplainMessage, now: Timestamp) -> [String] {
    guard let stop = report.stopped else { return [] }
    return ["", "last stopped at \(stop.at.localTime(at: now, toMillisecond: true)): \(Excerpt.escaping(stop.reason))"]
  }
}
