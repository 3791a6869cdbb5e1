import Glibc

/// A sound file in one of the folders in which sounds are looked up.
package struct FoundSound: Equatable, Sendable {
  /// What plays it.
  package var name: String
  package var path: String
  /// The file that plays instead of this one, because it is looked up before it; `nil` if this one plays.
  package var hiddenBy: String?

  /// Whether it is inside the program, and `path` is no file.
  package var isBuiltIn: Bool { BuiltInSounds.index(of: path) != nil }
}

extension SoundLocator {
  /// All sound files of the folders and of the themes, in the order in which they are looked up; those of a folder by name. Folders
  /// without sounds are left out, and built-in sounds for which a file plays.
  package func catalogue() -> [(folder: String, sounds: [FoundSound])] {
    var first: [String: String] = [:]
    return (folders + (themes.map { $0.load { _ in nil }.folders } ?? [])).compactMap { folder in
      let files = Self.files(in: folder).compactMap { file in Self.name(of: file).map { (name: $0, file: file) } }
        .filter { folder != BuiltInSounds.folder || first[$0.name] == nil }
      let order = Dictionary(uniqueKeysWithValues: zip(Self.extensions, 0...))
      func rank(_ file: String) -> Int { file.split(separator: ".").last.flatMap { order[String($0)] } ?? 0 }
      let sorted = files.filter { !$0.name.hasPrefix(".") }
        .sorted { ($0.name, rank($0.file)) < ($1.name, rank($1.file)) }
      if sorted.isEmpty { return nil }
      let sounds = sorted.map { entry in
        let path = "\(folder)/\(entry.file)"
        defer { if first[entry.name] == nil { first[entry.name] = path } }
        return FoundSound(name: entry.name, path: path, hiddenBy: first[entry.name])
      }
      return (folder, sounds)
    }
  }
}

/// What the shipped sounds mean.
package enum ShippedSounds {
  /// A short phrase for each.
  package static let meanings = [
    "success": "a task ended well", "warning": "look at this", "error": "a task failed", "message": "somebody wrote",
    "alarm": "something must be done", "increase": "a value went up", "decrease": "a value went down",
    "start": "an activity begins", "stop": "an activity ends", "path-complete": "a path or drawing closed",
    "impact": "two bodies meet", "impact-light": "small bodies meet", "impact-medium": "bodies of middle size meet",
    "impact-heavy": "large bodies meet", "impact-rigid": "hard bodies meet", "impact-solid": "firm bodies meet",
    "impact-soft": "soft bodies meet", "press": "a button went down", "release": "a button came up",
    "selection-on": "something was switched on", "selection-off": "something was switched off",
    "selection": "the selection moved", "alignment": "a dragged thing snapped into line",
    "level-change": "a dial passed a detent", "tick": "a watch's tick",
  ]

  /// What a sound of this name means: that of the shipped one, or of the one for which the name is an alias.
  package static func meaning(of name: String) -> String? {
    meanings[name] ?? SoundAliases.names(for: name).lazy.compactMap { meanings[$0] }.first
  }
}

extension ClipLoader {
  /// How long the sound of a file is, by its header; `nil` if that does not say it. Decodes nothing, so a sound may have a length
  /// and be damaged.
  package func length(path: String) throws(SoundError) -> Duration? {
    try DetachedThread.quietly { () throws(SoundError) in
      let decoder = try SoundDecoder(path: path, limitSeconds: limitSeconds)
      return decoder.frames.map { .seconds(Double($0) / Double(decoder.rate)) }
    }
  }
}
