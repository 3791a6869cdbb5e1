/// The rules of ARCHITECTURE.md, held against source files. Each gives its breaches, with their places.
struct ArchitectureRules {
  let table: LayerTable
  let files: [SourceFile]

  /// Folders that the table does not have, and rows without a folder.
  var strangers: [String] {
    let folders = Set(files.map(\.folder))
    let unknown = folders.subtracting(table.layers.keys).map { "the folder '\($0)' is not in the table" }
    let missing = Set(table.layers.keys).subtracting(folders).map { "there is no folder '\($0)'" }
    return (unknown + missing).sorted()
  }

  /// Imports that the table does not allow.
  var foreignImports: [String] {
    files.flatMap { file in
      let allowed = table.layers[file.folder]?.modules ?? []
      return file.imports.filter { !allowed.contains($0.module) }
        .map { "\(file.path):\($0.line): \(file.folder) may not import \($0.module)" }
    }
  }

  /// Types of another folder that the table does not allow to be named.
  var foreignNames: [String] {
    let folders = Dictionary(grouping: files, by: \.folder)
    let types = folders.mapValues { $0.reduce(into: Set()) { $0.formUnion($1.topLevelTypes) } }
    // A type of one's own may be called like a stranger.
    let own = folders.mapValues { $0.reduce(into: Set()) { $0.formUnion($1.declaredTypes) } }
    return files.flatMap { file -> [String] in
      let allowed = table.layers[file.folder]?.names ?? []
      var forbidden: [String: String] = [:]
      for (folder, names) in types where folder != file.folder && !allowed.contains(folder) {
        for name in names.subtracting(own[file.folder] ?? []) { forbidden[name] = folder }
      }
      return file.code.lines.enumerated().flatMap { index, line in
        line.words.compactMap { word in
          forbidden[word].map { "\(file.path):\(index + 1): \(file.folder) may not name \(word) of \($0)" }
        }
      }
    }
  }

  /// Uses of the C libraries outside the folders that the table gives them.
  var foreignCalls: [String] {
    files.flatMap { file in
      file.code.lines.enumerated().flatMap { index, line in
        line.words.compactMap { word -> String? in
          guard let prefix = table.callers.keys.first(where: { word.lowercased().hasPrefix($0) }),
            let places = table.callers[prefix], !places.contains(file.folder)
          else { return nil }
          return "\(file.path):\(index + 1): \(word) may be used only in \(places.sorted().joined(separator: ", "))"
        }
      }
    }
  }

  /// Files that import CALSA and use nothing of it, or are none of its callers.
  var idleImports: [String] {
    let prefixes = ["snd_", "calsa_", "sf_", "soxr_", "cpattern_", "shipped_", "recipe_"]
    let places = prefixes.reduce(into: Set()) { $0.formUnion(table.callers[$1] ?? []) }
    return files.filter { file in
      file.imports.contains { $0.module == "CALSA" } && !places.contains(file.folder)
    }.map { "\($0.path): imports CALSA" }
  }

  /// Public declarations that show an unsafe type.
  var publicUnsafe: [String] {
    files.flatMap { file in
      let lines = file.code.lines
      return lines.indices.filter { index in
        guard lines[index].words.contains(where: { ["public", "open"].contains($0) }) else { return false }
        // A declaration's head ends with its body, or with the line on which its parentheses are closed.
        var (words, open) = ([String](), 0)
        for line in lines[index...] {
          let head = line.text.prefix { $0 != "{" }
          words += SwiftCode(String(head)).lines.flatMap(\.words)
          open += head.count { $0 == "(" } - head.count { $0 == ")" }
          if line.text.contains("{") || open <= 0 { break }
        }
        return words.contains { $0.hasPrefix("Unsafe") || $0 == "OpaquePointer" }
      }.map { "\(file.path):\($0 + 1): something unsafe is public" }
    }
  }

  /// Folders that have grown too large.
  var largeFolders: [String] {
    Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
      .filter { $0.value.count > 18 }
      .map { "\($0.key): \($0.value.count) files; split it by purpose" }
      .sorted()
  }

  /// Functions, and bodies of computed properties, that have grown too long.
  var longFunctions: [String] {
    files.flatMap { file in
      file.outline.functions.filter { $0.lineCount > 60 }
        .map { "\(file.path):\($0.line): \($0.name) has \($0.lineCount) lines; split it by step" }
    }
  }

  /// What ends the process instead of giving an error.
  var traps: [String] {
    files.flatMap { file in
      file.code.lines.enumerated().compactMap { index, line in
        let isTrap =
          line.words.contains { ["fatalError", "preconditionFailure"].contains($0) }
          || line.text.contains("try!") || line.text.contains("as!")
        guard isTrap else { return nil }
        return "\(file.path):\(index + 1): throw an error instead"
      }
    }
  }

  /// Promises to the compiler that give no reason.
  var unprovedSendables: [String] {
    files.filter { file in
      file.code.text.contains("@unchecked Sendable") && !file.source.contains("`@unchecked Sendable`")
    }.map { "\($0.path): say above the type why `@unchecked Sendable` is safe" }
  }
}
