import CALSA
import SoundTrigger

/// The shipped recipes, inside the program: a copy of it on another machine has them, too.
enum BuiltInRecipes {
  /// A file of `examples/`.
  struct File: Equatable, Sendable {
    /// Below `examples/`.
    var path: String
    var bytes: [UInt8]
    var isExecutable = false
  }

  /// All files, in the order of their paths.
  static let files: [File] = {
    let bytes = UnsafeBufferPointer(start: recipe_files(), count: recipe_files_length())
    return bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(recipe_count()).enumerated().map {
      File(path: String(cString: recipe_path($0)), bytes: Array($1), isExecutable: recipe_is_executable($0))
    }
  }()

  /// The configuration that `soundd init` writes.
  static var first: [UInt8] { files.first { $0.path == "first.toml" }?.bytes ?? [] }

  /// The recipes, in the order of their names: each file that has the line `# soundd add NAME`.
  static let all: [Recipe] = files.compactMap { file in
    let parts = file.path.split(separator: "/").map(String.init)
    let name = parts.count > 1 ? parts[0] : String(parts[0].dropLast(".toml".count))
    guard parts.count == 1 || parts[1] == "config.toml" else { return nil }
    let text = String(decoding: file.bytes, as: UTF8.self)
    guard Recipe.isRecipe(text, name: name) else { return nil }
    return Recipe(name: name, text: text, files: files.filter { $0.path.hasPrefix(name + "/") })
  }.sorted { $0.name < $1.name }
}
