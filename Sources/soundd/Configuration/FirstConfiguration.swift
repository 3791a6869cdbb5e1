/// The first configuration of a user: an example whose parts stay on if this machine has their source.
///
/// A part begins at a line `#: NAME` or `#: NAME, if PATH or PATH …` and ends at the next one. It is on if one of its paths can
/// be read, which then replaces the first of them in its text. A part that is off has a `#` before each line that is no comment.
struct FirstConfiguration: Equatable {
  struct Part: Equatable {
    var name: String
    /// The paths as they are written; empty if it needs none.
    var sources: [String]
    /// Which of them is there; `nil` if none is.
    var found: String?

    var isOn: Bool { sources.isEmpty || found != nil }
  }

  var text: String
  var parts: [Part] = []

  /// `find` returns a path, which is given as it is written, if this user can read what is there; for one with a star the first
  /// that matches.
  init(example: String, find: (String) -> String?) {
    text = ""
    for line in example.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#: ") {
        let part = Self.part(line.dropFirst(3), find)
        parts.append(part)
        text +=
          "# --- \(part.name)\(part.isOn ? "" : ": off, because there is no \(part.sources[0]) that this user may read")\n"
      } else {
        text += Self.line(String(line), of: parts.last) + "\n"
      }
    }
    // The example ends with a line feed, after which there is no line.
    text.removeLast()
  }

  private static func part(_ title: Substring, _ find: (String) -> String?) -> Part {
    let name = title.prefix { $0 != "," }
    let condition = title[name.endIndex...].drop { $0 == "," || $0 == " " }
    let words = condition.split(separator: " ").dropFirst().filter { $0 != "or" }.map(String.init)
    return Part(name: String(name), sources: words, found: words.lazy.compactMap(find).first)
  }

  private static func line(_ line: String, of part: Part?) -> String {
    guard let part else { return line }
    if !part.isOn { return line.isEmpty || line.hasPrefix("#") ? line : "#" + line }
    guard let first = part.sources.first, let found = part.found else { return line }
    // A path is a whole string.
    return line.split(separator: "\"", omittingEmptySubsequences: false)
      .map { $0 == first ? found : String($0) }.joined(separator: "\"")
  }
}
