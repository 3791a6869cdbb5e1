import Foundation
import SoundTrigger

@testable import soundd

/// A home in which recipes are installed by the very code of the commands. Which programs are installed is up to the test.
final class RecipeRig {
  let home = NSTemporaryDirectory() + "soundd-recipes-\(UUID().uuidString)"
  /// The only folder in PATH.
  let programs: String
  var variables: [String: String]
  var workingDirectory: String

  /// What a machine with everything has. Its git runs hooks from its settings, as 2.54 does.
  static let everything = ["claude", "codex", "opencode", "bash", "zsh", "fish"]
  private static let newGit = """
    #!/bin/sh
    case " $* " in *" hook list "*) exit 1 ;; " version ") echo "git version 2.54.0"; exit ;; esac
    exec /usr/bin/git "$@"

    """

  init(_ names: [String] = everything, hasNewGit: Bool = true) throws {
    programs = home + "-programs"
    variables = ["HOME": home, "PATH": programs]
    workingDirectory = home
    let manager = FileManager.default
    for folder in [home, programs] { try manager.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    for name in names { try write(program: name, "#!/bin/sh\n") }
    if hasNewGit { try write(program: "git", Self.newGit) }
  }

  deinit { for folder in [home, programs] { try? FileManager.default.removeItem(atPath: folder) } }

  func write(program name: String, _ text: String) throws {
    let path = "\(programs)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  func useNewGit() throws {
    try? FileManager.default.removeItem(atPath: programs + "/git")
    try write(program: "git", Self.newGit)
  }

  /// Puts the real git, which runs only hooks of repositories, in place of the new one.
  func useOldGit() throws {
    try? FileManager.default.removeItem(atPath: programs + "/git")
    try write(
      program: "git",
      """
      #!/bin/sh
      case " $* " in *" hook list "*) exit 129 ;; esac
      exec /usr/bin/git "$@"

      """)
  }

  var shelf: RecipeShelf {
    get throws {
      try RecipeShelf(nil, environment: SystemEnvironment(variables: variables, workingDirectory: workingDirectory))
    }
  }

  func write(_ name: String, _ text: String, mode: Int = 0o644) throws {
    let file = URL(filePath: "\(home)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    if mode != 0o644 { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path) }
  }

  /// Writes a ledger as soundd 0.2.0 did. Nothing in it needs an escape but the line breaks of additions.
  func writeOldLedger(
    folders: [String] = [], _ items: [(recipe: String, path: String, kind: String, digest: String, addition: String)]
  ) throws {
    let items = items.map { item in
      #"{"recipe":"\#(item.recipe)","path":"\#(item.path)","kind":"\#(item.kind)","digest":"\#(item.digest)","#
        + #""addition":"\#(item.addition.replacing("\n", with: #"\n"#).replacing("\t", with: #"\t"#))"}"#
    }
    let folders = folders.map { "\"\($0)\"" }.joined(separator: ",")
    try write(
      ".local/state/soundd/recipes", #"{"folders":[\#(folders)],"items":[\#(items.joined(separator: ","))]}"# + "\n")
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8) }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(home)/\(name)") }

  /// What recipes may change.
  func fill() throws {
    try write(
      ".claude/settings.json",
      "{\n    \"model\": \"x\",\n    \"hooks\": {\"Stop\": [{\"hooks\": []}], \"Other\": [1.50]}}")
    try write(".codex/hooks.json", "{}\n")
    try write(".gitconfig", "[user]\n\tname = N\n")
    for name in [".bashrc", ".zshrc", ".config/i3/config", ".config/sway/config"] { try write(name, "# mine\n") }
    try write(".config/soundd/config.toml", "[value.mine]\n[[trigger]]\nvalue = \"mine\"\nsound = \"tick\"\n")
    try write(".local/bin/other", "x")
  }

  /// Everything there is, with modes and the targets of links.
  func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: home) {
      let path = "\(home)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let mode = attributes[.posixPermissions] as? Int ?? 0
      switch attributes[.type] as? FileAttributeType {
      case .typeSymbolicLink?: contents[name] = try FileManager.default.destinationOfSymbolicLink(atPath: path)
      case .typeDirectory?: contents[name] = "folder"
      default: contents[name] = "\(mode) " + (try Data(contentsOf: URL(filePath: path))).base64EncodedString()
      }
    }
    return contents
  }

  /// Plans to add, with consent to everything unless the test says otherwise.
  func add(
    _ names: [String], repository: String? = nil, allowed: (RecipePlan.Change) -> Bool = { _ in true }
  ) throws -> RecipePlan {
    try shelf.planAdding(names, repository: repository, allowed: allowed)
  }

  func remove(_ names: [String], repository: String? = nil) throws -> RecipePlan {
    try shelf.planRemoving(names, repository: repository)
  }

  func run(_ plan: RecipePlan) throws {
    let shelf = try shelf
    for action in plan.actions { try shelf.perform(action) }
  }
}
