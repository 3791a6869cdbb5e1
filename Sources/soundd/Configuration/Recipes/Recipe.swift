import SoundTrigger

/// A shipped configuration, and its scripts and hooks.
///
/// Lines of its comments that begin with `#: ` say what to install, as CONTRIBUTING.md describes. They are not part of what is installed.
struct Recipe: Equatable, Sendable {
  /// How something is installed; the word in the recipe and in the ledger.
  enum Kind: String, Sendable {
    /// A file, whole.
    case file
    /// An empty folder.
    case folder
    /// JSON, as a part of a file of another program.
    case merge
    /// A line at the end of a file of another program, if there is that file.
    case line
    /// A line at the end of a hook of a repository, which is made if it is missing; in a recipe also the lines for it in
    /// git's settings.
    case hook
    /// Settings of git, which git itself writes.
    case setting
  }

  /// What is installed beside the configuration.
  struct Step: Equatable, Sendable {
    var kind: Kind
    /// The name of a file of the recipe, the line, or the events of git.
    var source: String
    /// As it is written.
    var path: String
    /// The program that needs this step; `nil` if soundd itself does.
    var program: String?
    /// Whether the user decides, because another program reads what this step changes.
    var asks = false
  }

  /// What the user does afterwards.
  struct Advice: Equatable, Sendable {
    var text: String
    /// Only if a step for this program was done.
    var program: String?
  }

  var name: String
  /// What it is for: the first sentence.
  var about: String
  /// The configuration as it is shipped, without the lines for the program.
  var text: String
  /// This machine has a use for it if one of these is there: a path, or a program by its name. Empty: nothing shows that.
  var uses: [String] = []
  /// Paths in the text, each with those that may be there instead; they may have wildcards.
  var paths: [[String]] = []
  var steps: [Step] = []
  var advice: [Advice] = []
  /// Its files, by their names.
  private(set) var files: [String: BuiltInRecipes.File] = [:]

  /// The folder of soundd's own scripts as recipes write it. `$XDG_DATA_HOME` may name another one.
  static let scripts = "~/.local/share/soundd/bin"

  /// Whether a configuration is a recipe, or the part that it became.
  static func isRecipe(_ text: String, name: String) -> Bool { text.contains("\n# soundd add \(name)\n") }

  init(name: String, text: String, files: [BuiltInRecipes.File] = []) {
    (self.name, self.text) = (name, "")
    about = Self.firstSentence(text)
    for file in files { self.files[FilePathText.name(of: file.path)] = file }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#: ") { read(line.dropFirst(3)) } else { self.text += line + "\n" }
    }
    // The file ends with a line feed, after which there is no line.
    self.text.removeLast()
  }

  /// The programs that its steps are for, each once.
  var programs: [String] {
    steps.compactMap(\.program).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The first sentence of a comment, over all of its lines.
  private static func firstSentence(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("# ") }
    let comment = lines.map { $0.dropFirst(2) }.joined(separator: " ")
    let sentence = comment.split(separator: ". ", maxSplits: 1).first.map(String.init) ?? ""
    return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  private mutating func read(_ line: Substring, program: String? = nil, asks: Bool = false) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let rest = words.dropFirst().joined(separator: " ")
    let paths = rest.split(separator: " ").map(String.init).filter { $0 != "or" }
    func step(_ kind: Kind, _ source: String, _ path: String, asks: Bool = asks) {
      steps.append(Step(kind: kind, source: source, path: path, program: program, asks: asks))
    }
    switch (words[0], words.count) {
    case ("with", 3) where program == nil: read(words[2][...], program: words[1])
    case ("ask", 2...) where !asks: read(rest[...], program: program, asks: true)
    case ("if", 2...): uses = paths
    case ("path", 2...):
      self.paths.append(paths)
      if uses.isEmpty { uses = paths }
    case ("file", 3): step(.file, words[1], words[2])
    case ("folder", 2): step(.folder, "", words[1])
    // Others own these files.
    case ("merge", 3): step(.merge, words[1], words[2], asks: true)
    case ("line", 3): step(.line, words[2], words[1], asks: true)
    case ("hook", 3): step(.hook, words[2], words[1], asks: true)
    case ("then", 2...): advice.append(Advice(text: rest, program: program))
    // A test finds such a line in a shipped recipe.
    default: advice.append(Advice(text: "\(name) has a line that this soundd does not know: \(line)"))
    }
  }

  /// The text with other paths in place of those that it is shipped with. A path is a whole string, or its beginning.
  func text(replacing found: [String: String]) -> String {
    found.sorted { $0.key < $1.key }.reduce(text) { text, pair in
      text.split(separator: "\"\(pair.key)", omittingEmptySubsequences: false).joined(separator: "\"\(pair.value)")
    }
  }
}
