import Foundation

/// A manual page of `docs/man`, as its source in mdoc has it.
package struct ManualPage {
  /// An entry of a list with tags.
  package struct Item {
    /// The heading of the section, and of the part of it if the entry is in one.
    package var section: String
    package var part: String
    /// The tags of the lists around it, the outermost first.
    package var around: [[String]]
    /// The words after `.It`, macros among them; in a table those of the first cell.
    package var tag: [String]
    /// The words of each line of its text, macros among them, with the lists in it.
    package var lines: [[String]] = []

    package var words: [String] { lines.flatMap(\.self) }

    /// The names in the lines that begin with a macro, such as `Va`.
    package func names(_ macro: String) -> [String] {
      lines.filter { $0.first == ".\(macro)" }.flatMap { $0.dropFirst().filter { $0.first?.isLetter == true } }
    }

    /// The texts of a macro in the tag: of `Fl` and `-json` that is `-json`.
    package func tagged(_ macro: String) -> [String] {
      zip(tag, tag.dropFirst()).filter { $0.0 == macro }.map(\.1)
    }
  }

  /// The rows of a list of columns; in the first of them an object is named, if the others are its members.
  package struct Table {
    package var section: String
    package var part: String
    /// The texts that are as wide as the columns but the last one.
    package var widths: [String]
    /// The words of each cell, macros among them.
    package var rows: [[[String]]] = []

    /// The object: of `.It Sy value Ta Ta A value.` that is `value`.
    package var object: String? {
      guard let row = rows.first, row.count == 3, row[0].first == "Sy", row[1].isEmpty else { return nil }
      return row[0].dropFirst().first
    }
  }

  /// A member of an object, as a row of a table has it.
  package struct Member: Equatable, Sendable {
    package var name: String
    package var kind: String
    package var meaning: String

    package var isOptional: Bool { kind.hasPrefix("[") }
  }

  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/man").path
  package static let names = ["soundd.1", "soundd.toml.5", "soundd-socket.7"]

  /// The entries, in the order of the page.
  package private(set) var items: [Item] = []
  package private(set) var tables: [Table] = []
  /// What the page shows to be copied: the text of each literal display.
  package private(set) var displays: [String] = []
  /// The same as in the source, with escapes.
  package private(set) var rawDisplays: [String] = []

  /// Reads one of the pages by its file's name.
  package init(_ name: String) throws {
    let source = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
    var (section, part) = ("", "")
    // For each open list the place of its last item; `nil`: it has none yet.
    var open: [Int?] = []
    var isInTable = false
    var display: [String]?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line == ".Ed" {
        if let lines = display {
          rawDisplays.append(lines.joined(separator: "\n"))
          displays.append(Self.unescaped(lines.joined(separator: "\n")))
        }
        display = nil
      } else if display != nil {
        display?.append(line)
        continue
      } else if line.hasPrefix(".Bd") {
        display = []
      }
      let words = line.split(separator: " ").map { Self.unescaped(String($0)) }
      let rest = line.dropFirst(4)
      switch words.first {
      case ".Sh": (section, part) = (String(rest), "")
      case ".Ss": part = rest.filter { $0 != "\"" }
      case ".Bl":
        open.append(nil)
        isInTable = words.contains("-column")
        let widths = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        if isInTable { tables.append(Table(section: section, part: part, widths: widths)) }
      case ".El":
        open.removeLast()
        isInTable = false
      case ".It":
        let around = open.dropLast().compactMap { $0.map { items[$0].tag } }
        let cells = words.dropFirst().split(separator: "Ta", omittingEmptySubsequences: false).map(Array.init)
        if isInTable { tables[tables.count - 1].rows.append(cells) }
        let tag = isInTable ? cells[0] : Array(words.dropFirst())
        items.append(Item(section: section, part: part, around: around, tag: tag))
        open[open.count - 1] = items.count - 1
      default: for place in open.compactMap(\.self) { items[place].lines.append(words) }
      }
    }
  }

  /// The entries of a section that are in no other entry.
  package func items(_ section: String, part: String? = nil) -> [Item] {
    items.filter { $0.section == section && $0.around.isEmpty && (part == nil || $0.part == part) }
  }

  /// The members that the table of an object has, in order, with those of the tables to which it refers by `and`.
  ///
  /// The table is that of the section, or else that of any.
  package func members(of object: String, in section: String) -> [Member] {
    let named = tables.filter { $0.object == object }
    guard let table = named.first(where: { $0.section == section }) ?? named.first else { return [] }
    return table.rows.dropFirst().flatMap { row in
      if row[0].first == "and" { return members(of: row[0].last ?? "", in: "REPLIES") }
      guard row.count == 3 else { return [] }
      let texts = row.map { $0.joined(separator: " ") }
      return [Member(name: row[0].last ?? "", kind: texts[1], meaning: texts[2])]
    }
  }

  private static func unescaped(_ text: String) -> String {
    let escapes = [
      (#"\-"#, "-"), (#"\(dq"#, "\""), (#"\(aq"#, "'"), (#"\(ti"#, "~"), (#"\(ha"#, "^"), (#"\&"#, ""), (#"\(->"#, "→"),
      (#"\(mc"#, "µ"), (#"\e"#, #"\"#),
    ]
    return escapes.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
