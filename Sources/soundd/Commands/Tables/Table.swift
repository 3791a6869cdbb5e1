import CLinux
import Glibc
import SoundTrigger
import SoundWire

/// Columns for people, two spaces apart, no wider than a terminal.
struct Table {
  /// The cells of each row, the titles first.
  var rows: [[String]]
  /// The indices of the columns that may be left out if not all fit, the least important first.
  var dropping: [Int] = []
  /// Whether the last column continues on further lines. Otherwise the widest cells are truncated.
  var wrapsLast = false

  /// A wrapped column has at least this width, as long as others can be left out.
  private static let leastWrapped = 24
  private static let gap = 2

  /// A line for each row, as wide as it takes, harmless on a terminal.
  static func lines(_ rows: [[String]]) -> [String] { Table(rows: rows).lines(width: nil).flatMap(\.self) }

  /// The lines of each row; `width` in columns of the terminal, `nil`: as wide as it takes.
  func lines(width: Int?) -> [[String]] {
    var cells = rows.map { $0.map { Excerpt.escaping($0) } }
    var widths: [Int] = []
    for row in cells {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], TextWidth.of(cell))
      }
    }
    guard let width, !widths.isEmpty else { return cells.map { [Self.line($0, widths)] } }
    for column in columnsWithoutRoom(widths, width) {
      widths.remove(at: column)
      for row in cells.indices where column < cells[row].count { cells[row].remove(at: column) }
    }
    let last = widths.count - 1
    if wrapsLast {
      widths[last] = min(widths[last], max(Self.leastWrapped / 2, width - Self.total(widths.dropLast()) - Self.gap))
    }
    while Self.total(widths) > width, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 4
    {
      widths[widest] -= 1
    }
    return cells.map { row in
      let isWrapped = wrapsLast && row.count == widths.count
      let parts = isWrapped ? TextWidth.wrap(row[last], to: widths[last]) : []
      let first = row.enumerated().map { isWrapped && $0 == last ? parts[0] : TextWidth.truncate($1, to: widths[$0]) }
      let indent = String(repeating: " ", count: widths.dropLast().reduce(0) { $0 + $1 + Self.gap })
      return [Self.line(first, widths)] + parts.dropFirst().map { indent + $0 }
    }
  }

  /// The columns to leave out, the rightmost first.
  private func columnsWithoutRoom(_ natural: [Int], _ width: Int) -> [Int] {
    var widths = natural
    if wrapsLast, let last = widths.indices.last { widths[last] = min(widths[last], Self.leastWrapped) }
    var total = Self.total(widths)
    var left: [Int] = []
    for column in dropping where total > width {
      total -= widths[column] + Self.gap
      left.append(column)
    }
    return left.sorted(by: >)
  }

  private static func total(_ widths: some Collection<Int>) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  private static func line(_ row: [String], _ widths: [Int]) -> String {
    var line = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - TextWidth.of($0))) }
      .joined(separator: String(repeating: " ", count: gap))
    while line.last == " " { line.removeLast() }
    return line
  }

  /// A content for a terminal: plain words and numbers as they are, all else in quotes, long ones truncated.
  static func content(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isPlain = !scalars.isEmpty && scalars.count <= contentLength && scalars.allSatisfy(isPlain)
    return isPlain ? text : Excerpt.quoting(text, limit: contentLength)
  }

  /// The old and the new value of a change for a terminal, of long ones the parts that differ; one of them if they are the same,
  /// as for a repeated event.
  static func change(_ old: RawJSON?, _ new: RawJSON?) -> String {
    let (old, new) = (old?.text ?? "-", new?.text ?? "-")
    if old == new { return content(new) }
    var shown = (old, new)
    if content(old) == content(new) {
      let same = max(0, zip(old, new).prefix { $0 == $1 }.count - contentLength / 3)
      shown = ("…\(old.dropFirst(same))", "…\(new.dropFirst(same))")
    }
    return "\(content(shown.0)) → \(content(shown.1))"
  }

  /// How many characters of a content are shown.
  private static let contentLength = 24

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "+-_.,:/%".unicodeScalars.contains(scalar)
  }
}
