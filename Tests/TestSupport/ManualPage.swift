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
    /// The words after `.It`, macros among them.
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

  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/man").path
  package static let names = ["soundd.1", "soundd.toml.5", "soundd-socket.7"]

  /// The entries, in the order of the page.
  package private(set) var items: [Item] = []
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
      case ".Bl": open.append(nil)
      case ".El": open.removeLast()
      case ".It":
        let around = open.dropLast().compactMap { $0.map { items[$0].tag } }
        items.append(Item(section: section, part: part, around: around, tag: Array(words.dropFirst())))
        open[open.count - 1] = items.count - 1
      default: for place in open.compactMap(\.self) { items[place].lines.append(words) }
      }
    }
  }

  /// The entries of a section that are in no other entry.
  package func items(_ section: String, part: String? = nil) -> [Item] {
    items.filter { $0.section == section && $0.around.isEmpty && (part == nil || $0.part == part) }
  }

  private static func unescaped(_ text: String) -> String {
    let escapes = [
      (#"\-"#, "-"), (#"\(dq"#, "\""), (#"\(aq"#, "'"), (#"\(ti"#, "~"), (#"\(ha"#, "^"), (#"\&"#, ""), (#"\(->"#, "→"),
      (#"\(mc"#, "µ"), (#"\e"#, #"\"#),
    ]
    return escapes.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
