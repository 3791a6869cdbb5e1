import Glibc
import SoundTrigger

/// Columns for people.
enum Table {
  /// A line for each row: columns as wide as their widest cell, two spaces apart, harmless on a terminal.
  static func lines(_ rows: [[String]]) -> [String] {
    let cells = rows.map { $0.map { Excerpt.escaping($0) } }
    var widths: [Int] = []
    for row in cells {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return cells.map { row in
      var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// A moment as the daemon writes it (`Timestamp`) as local time to the millisecond, `2026-01-31 09:15:00.250`; anything else
  /// as it is.
  static func localTime(_ text: String) -> String {
    let parts = text.split(omittingEmptySubsequences: false) { !$0.isASCII || !$0.isNumber }
    // The last part is what follows the Z.
    guard text.utf8.count == 27, text.hasSuffix("Z"), parts.map(\.utf8.count) == [4, 2, 2, 2, 2, 2, 6, 0] else {
      return text
    }
    let numbers = parts.compactMap { Int32($0) }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
    let local = Timestamp(seconds: Int64(timegm(&time))).localDescription
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)).\(parts[6].prefix(3))"
  }
}

/// Colours of a terminal (ECMA-48, SGR).
enum Colour: Int {
  case red = 31
  case green = 32
  case yellow = 33

  /// Whether standard output is a terminal that shows colours, and its user wants them (https://no-color.org).
  static var isWanted: Bool {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    return refusal.isEmpty && terminal != "dumb" && isatty(STDOUT_FILENO) == 1
  }

  func paint(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
