import SoundTrigger

/// A shipped configuration, and what belongs to it.
///
/// Lines of its comments that begin with `#: ` say so, as CONTRIBUTING.md describes. They are not part of what is installed.
struct Recipe: Equatable {
  /// What is installed beside the configuration. Paths are as they are written.
  enum Step: Equatable {
    /// A file of the recipe.
    case file(String, at: String)
    case link(String, to: String)
    case folder(String)
    /// The JSON of a file of the recipe, as a part of a file of another program.
    case merge(String, into: String)
    /// A line at the end of a file of another program, if there is that file.
    case line(String, in: String)
    /// git's folder for the hooks of all repositories.
    case hooks(String)
  }

  var name: String
  /// Where its files are.
  var folder: String
  /// The name of its configuration there.
  var file: String
  /// What it is for, in a few words.
  var about: String
  /// The configuration as it is shipped, without the lines for the program.
  var text: String
  /// This machine has a use for it if one of these paths is there; empty: any machine may have.
  var uses: [String] = []
  /// Paths in the text, each with those that may be there instead; they may have wildcards.
  var paths: [[String]] = []
  var steps: [Step] = []
  /// What to do then.
  var advice: [String] = []

  init(name: String, folder: String, file: String, text: String) {
    (self.name, self.folder, self.file, self.text) = (name, folder, file, "")
    let first = text.split(separator: "\n").first ?? ""
    about = String(first.drop { "# ".contains($0) }.prefix { !".:".contains($0) })
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#: ") { read(line.dropFirst(3)) } else { self.text += line + "\n" }
    }
    // The file ends with a line feed, after which there is no line.
    self.text.removeLast()
  }

  private mutating func read(_ line: Substring) {
    let words = line.split(separator: " ").map(String.init)
    let alternatives = words.dropFirst().filter { $0 != "or" }
    func rest(after count: Int) -> String { words.dropFirst(count).joined(separator: " ") }
    switch (words[0], words.count) {
    case ("if", 2...): uses = alternatives
    case ("path", 2...): paths.append(alternatives)
    case ("file", 3): steps.append(.file(words[1], at: words[2]))
    case ("link", 3): steps.append(.link(words[1], to: words[2]))
    case ("folder", 2): steps.append(.folder(words[1]))
    case ("merge", 3): steps.append(.merge(words[1], into: words[2]))
    case ("line", 3...): steps.append(.line(rest(after: 2), in: words[1]))
    case ("hooks", 2): steps.append(.hooks(words[1]))
    case ("unit", 2):
      steps.append(.file(words[1], at: "$XDG_CONFIG_HOME/systemd/user/\(words[1])"))
      advice.append("systemctl --user daemon-reload && systemctl --user enable --now \(words[1])")
    case ("then", 2...): advice.append(rest(after: 1))
    // A test finds such a line in a shipped recipe.
    default: advice.append("\(name) has a line that this soundd does not know: \(line)")
    }
  }

  /// The text with other paths in place of those that it is shipped with. A path is a whole string, or its beginning.
  func text(replacing found: [String: String]) -> String {
    found.sorted { $0.key < $1.key }.reduce(text) { text, pair in
      text.split(separator: "\"\(pair.key)", omittingEmptySubsequences: false).joined(separator: "\"\(pair.value)")
    }
  }
}
