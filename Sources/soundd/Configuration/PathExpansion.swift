import SoundTrigger

/// Turns the paths of a configuration into absolute ones.
///
/// Replaces `~` at the start, `$HOME` and the `$XDG_…` folders, also as `${HOME}`; `$$` is a dollar sign. Relative paths
/// start from the folder of the configuration file.
struct PathExpansion {
  /// Why a path cannot be expanded.
  struct Problem: Error, Equatable {
    var message: String
    var suggestion: String?
  }

  private let environment: ConfigurationEnvironment
  private let folder: String

  init(configurationFile: String, environment: ConfigurationEnvironment) {
    self.environment = environment
    folder = FilePathText.folder(of: FilePathText.join(environment.workingDirectory, configurationFile))
  }

  /// The absolute path of a file.
  func file(_ text: String) throws(Problem) -> String {
    guard text.isEmpty || !FilePathText.namesFolder(text) else {
      throw Problem(message: "expected the path of a file, found that of a folder, \(Excerpt.quoting(text))")
    }
    return try entry(text)
  }

  /// The absolute path of a file or a folder.
  func entry(_ text: String) throws(Problem) -> String {
    guard !text.isEmpty else { throw Problem(message: "expected a path, found an empty string") }
    guard !text.utf8.contains(0) else { throw Problem(message: "expected a path, found one with U+0000") }
    return FilePathText.join(folder, try replacingVariables(in: replacingTilde(in: text)))
  }

  private func replacingTilde(in text: String) throws(Problem) -> Substring {
    guard text.utf8.first == UInt8(ascii: "~") else { return text[...] }
    let rest = text[text.utf8.index(after: text.startIndex)...]
    guard rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") else {
      let user = Excerpt.quoting(text.prefix { $0 != "/" })
      throw Problem(message: "\(user) is not expanded: write '~/…' for your own home directory, or the whole path")
    }
    // As a variable, so that a dollar sign in the name of the home directory is not expanded.
    return "${HOME}" + rest
  }

  private func replacingVariables(in text: Substring) throws(Problem) -> String {
    var result = ""
    var rest = text
    while let dollar = rest.utf8.firstIndex(of: UInt8(ascii: "$")) {
      result += rest[..<dollar]
      rest = rest[rest.utf8.index(after: dollar)...]
      if rest.utf8.first == UInt8(ascii: "$") {
        result += "$"
        rest = rest[rest.utf8.index(after: rest.startIndex)...]
      } else {
        result += try value(of: readName(&rest))
      }
    }
    return result + rest
  }

  /// `NAME` or `{NAME}`.
  private func readName(_ rest: inout Substring) throws(Problem) -> String {
    let isBraced = rest.utf8.first == UInt8(ascii: "{")
    if isBraced { rest = rest[rest.utf8.index(after: rest.startIndex)...] }
    let end = rest.utf8.firstIndex { $0 != UInt8(ascii: "_") && !(TOMLKey.isBare($0) && $0 != UInt8(ascii: "-")) }
    let name = rest[..<(end ?? rest.endIndex)]
    rest = rest[name.endIndex...]
    guard !name.isEmpty else { throw Problem(message: "expected a variable after '$'; write '$$' for a dollar sign") }
    if isBraced {
      guard rest.utf8.first == UInt8(ascii: "}") else {
        throw Problem(message: "expected '}' after \(Excerpt.quoting("${" + name))")
      }
      rest = rest[rest.utf8.index(after: rest.startIndex)...]
    }
    return String(name)
  }

  private func value(of name: String) throws(Problem) -> String {
    if name == "HOME" {
      guard let home = environment.home else {
        throw Problem(message: "the environment variable HOME is not set to an absolute path")
      }
      return home
    }
    guard let directory = ConfigurationEnvironment.BaseDirectory(rawValue: name) else {
      let known = ["HOME"] + ConfigurationEnvironment.BaseDirectory.allCases.map(\.rawValue)
      throw Problem(
        message:
          "\(Excerpt.quoting("$" + name)) is not known; expected $HOME or one of $XDG_{CONFIG,CACHE,DATA,STATE}_HOME and $XDG_RUNTIME_DIR",
        suggestion: Suggestion.nearest(to: name, among: known).map { "$" + $0 })
    }
    guard let path = environment.path(of: directory) else {
      let fallback = directory == .runtime ? "" : ", nor is HOME"
      throw Problem(message: "the environment variable \(name) is not set to an absolute path\(fallback)")
    }
    return path
  }
}

/// Paths as text; none of these functions asks the file system.
enum FilePathText {
  /// The path; a relative one starts from the folder.
  static func join(_ folder: String, _ path: String) -> String {
    normal(path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)")
  }

  /// The folder of the file of an absolute path.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// What stands after the last slash.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Whether the path can only lead to a folder.
  static func namesFolder(_ path: String) -> Bool { ["", ".", ".."].contains(name(of: path)) }

  /// The path without `.` and doubled slashes.
  ///
  /// A `..` stays: after a symbolic link it does not lead back.
  private static func normal(_ path: String) -> String {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
    return (path.utf8.first == UInt8(ascii: "/") ? "/" : "") + parts.joined(separator: "/")
  }
}
