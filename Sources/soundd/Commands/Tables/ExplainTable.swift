import SoundTrigger

/// The last changes of a trigger for people.
struct ExplainTable {
  private struct Row {
    var time: String
    var value: String
    var change: String
    var verdict: String
    var reason: String
  }

  /// How many characters of a content are shown.
  private static let contentLength = 24
  /// The daemon may have truncated contents of about this many bytes: they need not be the same.
  private static let truncatedLength = 120
  private let title: String
  /// Whether the trigger watches several values.
  private let isPlural: Bool
  private let rows: [Row]

  /// A table of what the daemon answered to `explain`.
  init(_ reply: [UInt8]) throws(Failure) {
    let report = try JSONObject(reply: reply)
    rows = try JSONObject.array(reply: report["verdicts"]).map { judgement in
      let (verdict, reason) = (judgement.shown("verdict"), judgement.shown("reason"))
      return Row(
        time: Table.localTime(judgement.shown("at")), value: judgement.shown("value"), change: Self.change(judgement),
        verdict: verdict,
        // What the word says already needs no sentence.
        reason: reason == verdict ? "" : reason)
    }
    let (name, value) = (report.shown("name"), report.shown("value"))
    // No value's name has a comma.
    isPlural = value.contains(",")
    title = name == value ? name : "\(name) (\(value))"
  }

  func text(inColour: Bool) -> String {
    guard !rows.isEmpty else { return "\(title): no change so far" }
    // Whose change it is goes without saying if the trigger watches one value.
    let header = Row(time: "TIME", value: "VALUE", change: "CHANGE", verdict: "VERDICT", reason: "REASON")
    let cells = ([header] + rows).map { row in
      [row.time] + (isPlural ? [row.value] : []) + [row.change, row.verdict, row.reason]
    }
    let lines = Table.lines(cells)
    let coloured = zip(lines.dropFirst(), rows).map { line, row in
      inColour ? Colour.of(verdict: row.verdict)?.paint(line) ?? line : line
    }
    return ([title, "", lines[0]] + coloured).joined(separator: "\n")
  }

  /// The old and the new content; one of them, if they are the same.
  private static func change(_ judgement: JSONObject) -> String {
    let (old, new) = (judgement.text("old") ?? "-", judgement.text("new") ?? "-")
    let isSame = old == new && new.utf8.count < truncatedLength
    return isSame ? content(new) : "\(content(old)) → \(content(new))"
  }

  /// A content for a terminal: plain words and numbers as they are, all else in quotes, long ones truncated.
  private static func content(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isPlain = !scalars.isEmpty && scalars.count <= contentLength && scalars.allSatisfy(isPlain)
    return isPlain ? text : Excerpt.quoting(text, limit: contentLength)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "+-_.,:/%".unicodeScalars.contains(scalar)
  }
}

extension Colour {
  /// Green: heard. Yellow: not decided yet. Red: it should have been heard. `nil`: it was not meant to be heard.
  fileprivate static func of(verdict: String) -> Colour? {
    switch verdict {
    case "played": .green
    case "starting", "waiting", "delayed", "queued": .yellow
    case "late", "no_device", "broken", "crowded", "queue_full", "too_costly_to_match", "too_long_to_match": .red
    default: nil
    }
  }
}
