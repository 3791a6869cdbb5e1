import SoundTrigger

/// A shipped configuration, and what belongs to it.
///
/// Lines of its comments that begin with `#: ` say so, as CONTRIBUTING.md describes. They are not part of what is installed.
struct Recipe: Equatable {
  /// How something is installed; the word in the recipe and in the ledger.
  enum Kind: String {
    /// A file, whole.
    case file
    /// An empty folder.
    case folder
    /// JSON, as a part of a file of another program.
    case merge
    /// A line at the end of a file of another program, if there is that file.
    case line
  }

  /// What is installed beside the configuration.
  struct Step: Equatable {
    var kind: Kind
    /// The name of a file of the recipe, or the line.
    var source: String
    /// As it is written.
    var path: String
  }

  var name: String
  /// Where its files are.
  var folder: String
  /// What it is for: the first sentence, as far as the first line has it.
  var about: String
  /// The configuration as it is shipped, without the lines for the program.
  var text: String
  /// This machine has a use for it if one of these paths is there; empty: any machine may have.
  var uses: [String] = []
  /// Paths in the text, each with those that may be there instead; they may have wildcards.
  var paths: [[String]] = []
  var steps: [Step] = []
  /// A folder that becomes git's folder for the hooks of all repositories.
  var hooks: String?
  /// What to do then.
  var advice: [String] = []

  init(name: String, folder: String, text: String) {
    (self.name, self.folder, self.text) = (name, folder, "")
    let first = text.split(separator: "\n").first ?? ""
    about = String(first.drop { "# ".contains($0) }.prefix { $0 != "." })
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#: ") { read(line.dropFirst(3)) } else { self.text += line + "\n" }
    }
    // The file ends with a line feed, after which there is no line.
    self.text.removeLast()
  }

  private mutating func read(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let rest = words.dropFirst().joined(separator: " ")
    let paths = rest.split(separator: " ").map(String.init).filter { $0 != "or" }
    switch (words[0], words.count) {
    case ("if", 2...): uses = paths
    case ("path", 2...):
      self.paths.append(paths)
      if uses.isEmpty { uses = paths }
    case ("file", 3): steps.append(Step(kind: .file, source: words[1], path: words[2]))
    case ("merge", 3): steps.append(Step(kind: .merge, source: words[1], path: words[2]))
    case ("folder", 2): steps.append(Step(kind: .folder, source: "", path: words[1]))
    case ("line", 3): steps.append(Step(kind: .line, source: words[2], path: words[1]))
    case ("hooks", 2): hooks = words[1]
    case ("then", 2...): advice.append(rest)
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
