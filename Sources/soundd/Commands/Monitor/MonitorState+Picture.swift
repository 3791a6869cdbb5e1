import SoundTrigger
import SoundWire

/// A line of the screen, harmless on a terminal.
struct StyledLine: Equatable {
  var text: String
  var colour: Colour?
  var isBold = false
  /// Whether it is the selected row.
  var isReversed = false
}

/// What the monitor shows.
extension MonitorState {
  /// The smallest terminal, in columns and rows.
  static let leastSize = (width: 60, height: 12)
  static let keys = """
    q            quit
    ?            show these keys
    Up, Down     select a row
    Enter        explain why its trigger played or stayed silent
    a            acknowledge the selected alarm
    s            snooze it for 10 min
    m            mute or unmute
    + -          volume up or down
    Space        pause the drawing, or continue
    """
  private static let hints = "q quit  ? help  Enter explain  a acknowledge  s snooze"

  /// The lines for a terminal, at most `height`, each of at most `width` columns.
  mutating func picture(width: Int, height: Int, now: Timestamp) -> [StyledLine] {
    let fits = width >= Self.leastSize.width && height >= Self.leastSize.height
    settleSelection(isVisible: fits && page == nil)
    let lines =
      switch page {
      case _ where !fits: tooSmall(width, height)
      case nil: parts(width, height - 1, now, fills: true) + [bottom]
      case .help: help
      case .explanation(let reply, let back): explanation(reply, back, width, height, now)
      }
    return lines.map { fitted($0, width) }
  }

  /// The picture for a file: without the keys and without empty lines.
  mutating func picture(width: Int, now: Timestamp) -> [StyledLine] {
    parts(width, 23, now, fills: false).map { fitted($0, width) }
  }

  private func fitted(_ line: StyledLine, _ width: Int) -> StyledLine {
    var line = line
    line.text = TextWidth.truncate(line.text, to: width)
    if !isUnicode { line.text = Self.ascii(line.text) }
    return line
  }

  /// As wide as before, in characters that every terminal has.
  static func ascii(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    let known: [Character: String] = ["→": ">", "…": "~", "–": "-", "µ": "u"]
    return text.map { character in
      known[character]
        ?? (character.isASCII ? String(character) : String(repeating: "?", count: TextWidth.of(String(character))))
    }.joined()
  }

  private func tooSmall(_ width: Int, _ height: Int) -> [StyledLine] {
    let text = "too small: soundd monitor needs \(Self.leastSize.width) columns and \(Self.leastSize.height) rows"
    return TextWidth.wrap(text, to: width).prefix(height).map { StyledLine(text: $0) }
  }

  // MARK: Parts

  /// Alarms and sounds have at most two thirds of the rows. The last one is the daemon's health, the others are verdicts.
  private func parts(_ width: Int, _ height: Int, _ now: Timestamp, fills: Bool) -> [StyledLine] {
    var lines = notices(width)
    lines += present(width, (height - 1) * 2 / 3 - lines.count, now)
    lines += verdicts(width, height - 1 - lines.count, now)
    while fills, lines.count < height - 1 { lines.append(StyledLine(text: "")) }
    return lines + [health(width, now)]
  }

  /// Says that the configuration's file is not what runs.
  private func notices(_ width: Int) -> [StyledLine] {
    (facts.status?.warnings ?? []).filter(\.isAboutStart).flatMap { warning in
      TextWidth.wrap(Excerpt.escaping(warning.message), to: width).prefix(3).map {
        StyledLine(text: $0, colour: .red)
      }
    }
  }

  private func present(_ width: Int, _ height: Int, _ now: Timestamp) -> [StyledLine] {
    let heading = StyledLine(text: "ALARMS AND SOUNDS", isBold: true)
    if let loss { return [heading, StyledLine(text: "  – \(loss)", colour: .yellow)] }
    guard let alarms = facts.alarms else { return [heading, StyledLine(text: "  –")] }
    let rows =
      alarms.map { alarm in
        let value = alarm.value == nil ? "" : ", \(alarm.valueAndContent)"
        return ([alarm.name.shownName, Excerpt.escaping(alarm.sentence) + value], alarm.colour)
      }
      + otherSounds.map {
        (
          [Excerpt.escaping(NameEscape.original($0.trigger ?? "by hand")), "sounds: \(Excerpt.escaping($0.sound))"],
          .green
        )
      }
    if rows.isEmpty { return [heading, StyledLine(text: "  none")] }
    // The last row says how many more there are.
    let room = rows.count < height ? rows.count : height - 2
    let lines = lines(rows, Array(items.prefix(rows.count)), room, width)
    let rest = StyledLine(text: "  and \(rows.count - room) more: use the arrow keys", colour: .yellow)
    return [heading] + lines + (room < rows.count ? [rest] : [])
  }

  private func verdicts(_ width: Int, _ height: Int, _ now: Timestamp) -> [StyledLine] {
    let title = "LAST VERDICTS\(paused == nil ? "" : " (paused: Space continues)")"
    let heading = StyledLine(text: title, isBold: true)
    let verdicts = facts.verdicts.reversed() as [MonitorFacts.Verdict]
    if verdicts.isEmpty { return [heading, StyledLine(text: "  none yet")] }
    let items = Array(items.suffix(verdicts.count))
    let start = start(items, height - 1)
    let shown = start..<min(items.count, start + height - 1)
    let rows = verdicts[shown].map { verdict in
      let judged = verdict.judged
      let change = Table.change(judged.old, judged.new)
      return (
        [verdict.at.localTime(at: now), verdict.trigger.shownName, change, judged.text(sound: verdict.sound)],
        Colour.of(judged.verdict)
      )
    }
    return [heading] + lines(rows, Array(items[shown]), shown.count, width)
  }

  // MARK: Rows

  /// The index of the first row that is shown: the selected one is among them.
  private func start(_ items: [Item], _ room: Int) -> Int {
    max(0, min((selection.flatMap { items.firstIndex(of: $0) } ?? 0) - room + 1, items.count - room))
  }

  /// Columns two spaces apart. The last one has what the others leave.
  private func lines(
    _ all: [(cells: [String], colour: Colour?)], _ items: [Item], _ room: Int, _ width: Int
  ) -> [StyledLine] {
    let start = start(items, room)
    let rows = all[start..<start + room]
    let widths = (0..<(rows.first?.cells.count ?? 1) - 1).map { column in
      min(max(19, width / 5), rows.map { TextWidth.of($0.cells[column]) }.max() ?? 0)
    }
    return zip(rows, items[start...]).map { row, item in
      let columns = zip(row.cells, widths).map { cell, width in
        let text = TextWidth.truncate(cell, to: width)
        return text + String(repeating: " ", count: width - TextWidth.of(text) + 2)
      }
      let text = (item == selection ? "> " : "  ") + columns.joined() + (row.cells.last ?? "")
      return StyledLine(text: text, colour: row.colour, isReversed: item == selection)
    }
  }

  // MARK: The last rows

  private func health(_ width: Int, _ now: Timestamp) -> StyledLine {
    guard let status = facts.status else {
      return StyledLine(text: "device –  volume –  mute –  profile –  xruns –  p99 –", colour: .yellow)
    }
    let (device, level) = (status.device, status.level)
    let gate = status.profile.gate.map { " ('\($0.shownName)')" } ?? ""
    let figures = [
      VolumeText.level(level.volume), level.mute(now: now),
      "profile \(Excerpt.escaping(status.profile.profile.text))\(gate)", "xruns \(status.xruns)",
      "p99 \(status.latency.p99.map(\.rounded) ?? "–")",
    ]
    let end = "  " + figures.joined(separator: "  ")
    let name = "\(Excerpt.escaping(device.name)) \(Excerpt.escaping(device.state.text))"
    let text = TextWidth.truncate(name, to: max(10, width - TextWidth.of(end))) + end
    let isSilent = level.isMuted || level.isInaudible || device.state == .clock
    return StyledLine(text: text, colour: device.state == .missing ? .red : isSilent ? .yellow : nil)
  }

  private var bottom: StyledLine {
    guard let message else { return StyledLine(text: Self.hints, colour: .dim) }
    return StyledLine(text: message.text, colour: message.isError ? .red : .green)
  }

  private var help: [StyledLine] {
    let keys = Self.keys.split(separator: "\n").map { StyledLine(text: "  \($0)") }
    return [StyledLine(text: "KEYS", isBold: true)] + keys + [StyledLine(text: "any key: back", colour: .dim)]
  }

  private mutating func explanation(
    _ reply: ExplainMessage, _ back: Int, _ width: Int, _ height: Int, _ now: Timestamp
  ) -> [StyledLine] {
    let text = ExplainTable.text(reply, inColour: false, width: width, now: now)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { StyledLine(text: String($0)) }
    let (title, room) = (StyledLine(text: lines[0].text, isBold: true), height - 2)
    let hidden = max(0, lines.count - 1 - room)
    let start = hidden - min(back, hidden)
    page = .explanation(reply, back: hidden - start)
    let keys = "\(hidden == 0 ? "" : "Up, Down: scroll  ")any other key: back  q: quit"
    return [title] + lines.dropFirst(1 + start).prefix(room) + [StyledLine(text: keys, colour: .dim)]
  }
}
