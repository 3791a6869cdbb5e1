/// One Swift file below `Sources`.
struct SourceFile {
  /// Relative to the repository.
  let path: String
  let source: String
  let code: SwiftCode
  let outline: SwiftOutline

  init(path: String, source: String) {
    self.path = path
    self.source = source
    code = SwiftCode(source)
    outline = SwiftOutline(code)
  }

  /// All Swift files of the product.
  static func all() throws -> [SourceFile] {
    try Repository.files(in: "Sources", suffix: ".swift").map {
      SourceFile(path: $0, source: try Repository.text($0))
    }
  }

  /// The file's name, with its ending.
  var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// The folder within its module, such as `Mixer`; those of `Configuration/TOML` count as `Configuration`, and all of `SoundWire` is one.
  var folder: String {
    let parts = path.split(separator: "/")
    if parts.count > 2, parts[1] == "SoundWire" { return "SoundWire" }
    return parts.count > 3 ? String(parts[2]) : ""
  }

  /// The modules it imports, with the numbers of the lines.
  var imports: [(module: String, line: Int)] {
    code.lines.enumerated().compactMap { index, line in
      let words = line.words
      // `import struct Module.Type` and the like name the module third.
      guard let keyword = words.firstIndex(of: "import"), words.count > keyword + 1 else { return nil }
      let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
      let isScoped = kinds.contains(words[keyword + 1]) && words.count > keyword + 2
      return (words[keyword + (isScoped ? 2 : 1)], index + 1)
    }
  }

  private static let declarators: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]

  /// The types that it declares at its top level and shows to other files.
  var topLevelTypes: Set<String> {
    Set(
      code.lines.compactMap { line in
        let words = line.words
        guard line.text.utf8.first != UInt8(ascii: " "),
          let keyword = words.firstIndex(where: Self.declarators.contains), words.count > keyword + 1,
          words[..<keyword].allSatisfy({ !["private", "fileprivate"].contains($0) })
        else { return nil }
        return words[keyword + 1]
      })
  }

  /// All types that it declares, at any depth.
  var declaredTypes: Set<String> {
    let words = code.lines.flatMap(\.words)
    return Set(zip(words, words.dropFirst()).filter { Self.declarators.contains($0.0) }.map(\.1))
  }
}
