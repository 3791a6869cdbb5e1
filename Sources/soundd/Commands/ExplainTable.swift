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
  /// Contents of about that many bytes may have been cut by the daemon, and need not be the same.
  private static let cutLength = 120
  private let title: String
  /// Whether the trigger watches several values.
  private let isPlural: Bool
  private let rows: [Row]

  /// A table of what the daemon answered to `explain`.
  init(_ reply: [UInt8]) throws(Failure) {
    let report = JSONReply(reply)
    var rows: [Row] = []
    for judgement in try JSONReply.elements(of: try report.text("verdicts") ?? Array("[]".utf8)) {
      let (verdict, reason) = (try judgement.string("verdict"), try judgement.string("reason"))
      rows.append(
        Row(
          time: CivilTime.local(try judgement.string("at")), value: try judgement.string("value"),
          change: try Self.change(judgement), verdict: verdict,
          // What the word says already needs no sentence.
          reason: reason == verdict ? "" : reason))
    }
    let (name, value) = (try report.string("name"), try report.string("value"))
    // No value's name has a comma.
    isPlural = value.contains(",")
    title = name == value ? name : "\(name) (\(value))"
    self.rows = rows
  }

  func text(inColour: Bool) -> String {
    guard !rows.isEmpty else { return "\(title): no change so far" }
    // Whose change it is goes without saying if the trigger watches one value.
    let header = Row(time: "TIME", value: "VALUE", change: "CHANGE", verdict: "VERDICT", reason: "REASON")
    let cells = ([header] + rows).map { row in
      [row.time] + (isPlural ? [row.value] : []) + [row.change, row.verdict, row.reason]
    }
    let lines = StatusTable.table(cells)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let coloured = zip(lines.dropFirst(), rows).map { line, row in
      inColour ? Colour.of(verdict: row.verdict)?.paint(line) ?? line : line
    }
    return ([title, "", lines[0]] + coloured).joined(separator: "\n")
  }

  /// The old and the new content; one of them, if they are the same.
  private static func change(_ judgement: JSONReply) throws(Failure) -> String {
    let (old, new) = (try judgement.string("old"), try judgement.string("new"))
    let isSame = old == new && new.utf8.count < cutLength
    return isSame ? content(new) : "\(content(old)) → \(content(new))"
  }

  /// A content on its way to a terminal: plain words and numbers as they are, all else in quotes, long ones cut.
  private static func content(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isPlain = !scalars.isEmpty && scalars.count <= contentLength && scalars.allSatisfy(isPlain)
    return isPlain ? text : QuotedText.single(text, limit: contentLength)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "+-_.,:/%".unicodeScalars.contains(scalar)
  }
}

extension Colour {
  /// Green for what was heard, yellow for what may yet be, red for what should have been; `nil` for what was not meant
  /// to be heard.
  fileprivate static func of(verdict: String) -> Colour? {
    switch verdict {
    case "played": .green
    case "waiting", "delayed", "queued": .yellow
    case "late", "no_device", "broken", "crowded", "queue_full", "too_costly_to_match", "too_long_to_match": .red
    default: nil
    }
  }
}
