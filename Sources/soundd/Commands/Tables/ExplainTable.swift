import SoundTrigger

/// The last changes of a trigger for people.
enum ExplainTable {
  /// A table of what the daemon answered to `explain`. `width`: see `Table`.
  static func text(
    _ reply: [UInt8], inColour: Bool, width: Int? = nil, now: Timestamp = .now()
  ) throws(Failure) -> String {
    let report = try JSONObject(reply: reply)
    let changes = try JSONObject.array(reply: report["verdicts"])
    let (name, value) = (report.shownName(), report.shownName("value"))
    let title = name == value ? name : "\(name) (\(value))"
    let ending = try files(report, width: width) + ending(report, now: now)
    if changes.isEmpty { return (["\(title): no change so far"] + ending).joined(separator: "\n") }
    // Whose change it is goes without saying if the trigger watches one value. No value's name has a comma or an asterisk.
    let isPlural = value.contains { ",*".contains($0) }
    let header = ["TIME"] + (isPlural ? ["VALUE"] : []) + ["CHANGE", "VERDICT", "REASON"]
    let rows = changes.map { change in
      [Table.localTime(change.shown("at"), now: now, toMillisecond: true)]
        + (isPlural ? [change.shownName("value")] : [])
        + [contents(change), change.shown("verdict"), change.reason]
    }
    let lines = Table(rows: [header] + rows, dropping: [0], wrapsLast: true).lines(width: width)
    let coloured = zip(lines.dropFirst(), changes).flatMap { lines, change in
      let colour = Colour.of(verdict: change.shown("verdict"))
      return lines.map { colour.paint($0, if: inColour) }
    }
    return ([title, "", lines[0][0]] + coloured + ending).joined(separator: "\n")
  }

  /// Which file each of its sounds is, and how it was found; and what it said.
  private static func files(_ report: JSONObject, width: Int?) throws(Failure) -> [String] {
    var lines = try JSONObject.array(reply: report["sounds"]).compactMap { sound in
      // A tone has no file.
      sound.text("path").flatMap { $0 == sound.text("name") ? nil : $0 }.map { path in
        "'\(sound.shown("name"))' is \(path)" + (sound.text("found").map { " (\($0))" } ?? "")
      }
    }
    let said = report.object("said")
    if said.text("text") != nil {
      lines.append(said.text("problem") == nil ? "said '\(said.shown("text"))'" : said.shown("problem"))
    }
    return lines.isEmpty
      ? [] : [""] + Table(rows: lines.map { [$0] }, wrapsLast: true).lines(width: width).flatMap { $0 }
  }

  /// When and why its sound was last stopped, if it ever was.
  private static func ending(_ report: JSONObject, now: Timestamp) -> [String] {
    let stop = report.object("stopped")
    guard let time = stop.text("at") else { return [] }
    return ["", "last stopped at \(Table.localTime(time, now: now, toMillisecond: true)): \(stop.shown("reason"))"]
  }

  /// The old and the new content; one of them, if they are the same.
  private static func contents(_ change: JSONObject) -> String {
    let (old, new) = (change.text("old") ?? "-", change.text("new") ?? "-")
    return old == new ? Table.content(new) : Table.change(old, new)
  }
}

extension JSONObject {
  /// Of a verdict: its reason, without what the word says already.
  var reason: String {
    let (word, reason) = (shown("verdict"), shown("reason"))
    return reason == word ? "" : reason.hasPrefix("\(word): ") ? String(reason.dropFirst(word.count + 2)) : reason
  }
}

extension Colour {
  /// Green: heard. Yellow: not decided yet. Red: it should have been heard. `nil`: it was not meant to be heard.
  static func of(verdict: String) -> Colour? {
    switch verdict {
    case "played": .green
    case "starting", "waiting", "delayed", "queued": .yellow
    case "late", "no_device", "broken", "crowded", "queue_full", "too_costly_to_match", "too_long_to_match": .red
    default: nil
    }
  }
}
