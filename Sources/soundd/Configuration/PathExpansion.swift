import SoundTrigger

/// Turns the paths of a configuration into absolute ones.
///
/// Replaces `~` at the start, `$HOME` and the `$XDG_…` folders, also as `${HOME}`. Nothing expands wildcards: a `$` before
/// one, or before another `$`, makes it a character of the name. Relative paths start from the folder of the configuration
/// file.
struct PathExpansion {
  private let environment: SystemEnvironment
  /// That of the configuration file.
  let folder: String

  init(configurationFile: String, environment: SystemEnvironment) {
    self.environment = environment
    folder = FilePathText.folder(of: FilePathText.join(environment.workingDirectory, configurationFile))
  }

  /// The absolute path of a file.
  func file(_ text: String) throws(SettingProblem) -> String {
    if !text.isEmpty, FilePathText.namesFolder(text) {
      throw SettingProblem("expected the path of a file, found that of a folder, \(Excerpt.quoting(text))")
    }
    return try entry(text)
  }

  /// The absolute path of a file or a folder.
  func entry(_ text: String) throws(SettingProblem) -> String {
    if text.isEmpty { throw SettingProblem("expected a path, found an empty string") }
    if text.utf8.contains(0) { throw SettingProblem("expected a path, found one with U+0000") }
    return FilePathText.join(folder, try replacingVariables(in: replacingTilde(in: text)))
  }

  private static let wildcards: [Unicode.Scalar] = ["*", "?", "["]

  /// Refuses a path with a wildcard, which its writer expects somebody to expand.
  func refuseWildcard(in text: String) throws(SettingProblem) {
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if previous != "$", Self.wildcards.contains(scalar) {
        throw SettingProblem(
          "soundd expands no wildcards, and \(Excerpt.quoting(text)) has a '\(scalar)': name one path; if the character "
            + "belongs to its name, write '$\(scalar)'")
      }
      // Of two dollar signs the second is a character.
      previous = previous == "$" && scalar == "$" ? nil : scalar
    }
  }

  private func replacingTilde(in text: String) throws(SettingProblem) -> String {
    let scalars = text.unicodeScalars
    if scalars.first != "~" { return text }
    let rest = scalars.dropFirst()
    // As a variable, so that a dollar sign in the name of the home directory is not expanded.
    if rest.isEmpty || rest.first == "/" { return "${HOME}" + String(rest) }
    let user = Excerpt.quoting(text.prefix { $0 != "/" })
    throw SettingProblem("\(user) is not expanded: write '~/…' for your own home directory, or the whole path")
  }

  private func replacingVariables(in text: String) throws(SettingProblem) -> String {
    var result = ""
    var rest = text.unicodeScalars[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += String(rest[..<dollar])
      rest = rest[dollar...].dropFirst()
      if let first = rest.first, first == "$" || Self.wildcards.contains(first) {
        result.unicodeScalars.append(first)
        rest.removeFirst()
      } else {
        result += try value(of: readName(&rest))
      }
    }
    return result + String(rest)
  }

  /// `NAME` or `{NAME}`.
  private func readName(_ rest: inout Substring.UnicodeScalarView) throws(SettingProblem) -> String {
    let isBraced = rest.first == "{"
    if isBraced { rest.removeFirst() }
    let name = rest.prefix { $0 == "_" || ($0.isASCII && Character($0).isLetter) || ("0"..."9").contains($0) }
    rest = rest[name.endIndex...]
    if name.isEmpty { throw SettingProblem("expected a variable after '$'; write '$$' for a dollar sign") }
    if isBraced, rest.popFirst() != "}" {
      throw SettingProblem("expected '}' after \(Excerpt.quoting("${" + String(name)))")
    }
    return String(name)
  }

  private func value(of name: String) throws(SettingProblem) -> String {
    let unset = "the environment variable \(name) is not set to an absolute path"
    if name == "HOME" {
      guard let home = environment.home else { throw SettingProblem(unset) }
      return home
    }
    guard let directory = SystemEnvironment.BaseDirectory(rawValue: name) else {
      let known = ["HOME"] + SystemEnvironment.BaseDirectory.allCases.map(\.rawValue)
      throw SettingProblem(
        "\(Excerpt.quoting("$" + name)) is not known; expected $HOME or one of "
          + "$XDG_{CONFIG,CACHE,DATA,STATE}_HOME and $XDG_RUNTIME_DIR",
        suggestion: Suggestion.nearest(to: name, among: known).map { "$" + $0 })
    }
    guard let path = environment.path(of: directory) else {
      throw SettingProblem(directory == .runtime ? unset : "\(unset), nor is HOME")
    }
    return path
  }
}
