import Glibc

/// Looks up the file of a sound: by name in a list of folders, or by path.
package struct SoundLocator: Sendable {
  /// The extensions of sound files, in the order in which they are tried.
  package static let extensions = ["wav", "flac", "oga", "ogg", "opus", "mp3"]

  /// Where names are looked up; the first folder that has the sound wins. `BuiltInSounds.folder` may be one.
  package var folders: [String]
  /// The folder that relative paths start from.
  package var base: String
  /// Where a name is looked up that no folder has; `nil`: nowhere.
  package var themes: SoundThemes?
  /// The folders that have sound packs.
  package var packs: [String]
  /// Whether the sounds of themes and packs get the loudness of the shipped ones.
  package var normalizes: Bool
  /// Says why no program can speak; `nil`: one can. The argument is the `refusal` of `search`.
  package var speechProblem: @Sendable (_ refusal: (String) -> String?) -> String? = { _ in "nobody speaks here" }

  package init(
    folders: [String], base: String = ".", themes: SoundThemes? = nil, packs: [String] = [], normalizes: Bool = false
  ) {
    self.folders = folders
    self.base = base
    self.themes = themes
    self.packs = packs
    self.normalizes = normalizes
  }

  /// Whether the text that names a sound is a path, and not a name.
  package static func isPath(_ sound: String) -> Bool {
    sound.contains("/") && !sound.hasPrefix(SoundPack.prefix) && !sound.hasPrefix(Speech.prefix)
  }

  /// Where a data folder of the XDG Base Directory Specification has the shared sounds.
  package static let folderInData = "soundd/sounds"

  /// The system's folders of shared sounds, best first, by the content of XDG_DATA_DIRS. Relative paths are ignored.
  package static func systemFolders(dataDirectories: String?) -> [String] {
    let directories = dataDirectories.flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    return directories.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(folderInData)" }
  }

  /// The name of a sound whose file has this path; `nil` if it has no extension of a sound.
  package static func name(of path: String) -> String? {
    let file = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    return extensions.contains(String(file[file.index(after: dot)...])) ? String(file[..<dot]) : nil
  }

  /// The names under which a sound is looked up, best first: its own and its aliases.
  package static func names(for sound: String) -> [String] { [sound] + SoundAliases.names(for: sound) }

  /// The result of a search.
  package struct Search: Sendable {
    /// The file's path, or why there is none.
    package var path: Result<String, SoundError>
    /// The paths of the further files of which one plays at a time.
    var others: [String] = []
    /// The symbolic links that decided it: the file that was found, if it is a link, and dangling links tried before it. And the
    /// folders of the themes that were asked.
    package var links: [String]
    /// How it was found, if not by its own name in a folder; for people.
    package var step: String?
    /// Whether a theme or a pack has it.
    package var isFromCollection = false
  }

  /// The path of a file of `sound`, which is a path, a name, an alias of one, or a category of a pack.
  package func locate(_ sound: String) throws(SoundError) -> String { try search(sound).path.get() }

  /// The same, and the links that decided it (readlink, access).
  ///
  /// `refusal` is asked before each folder and link, and says why it must not be touched. That ends the search.
  package func search(_ sound: String, refusal: (String) -> String? = { _ in nil }) -> Search {
    search(sound, in: themes.map { $0.load(refusal: refusal) }, refusal: refusal)
  }

  /// The same, in themes that are read already.
  func search(_ sound: String, in themes: LoadedThemes?, refusal: (String) -> String?) -> Search {
    var links: [String] = []
    // A C string would end at a NUL and name another file.
    if sound.utf8.contains(0) { return Search(path: .failure(.notFound(name: sound, searched: [])), links: []) }
    if sound.hasPrefix(SoundPack.prefix) { return searchPack(sound, refusal: refusal) }
    if sound.hasPrefix(Speech.prefix) {
      let text = String(sound.dropFirst(Speech.prefix.count))
      return Search(
        path: speechProblem(refusal).map { .failure(.unspoken(text: text, reason: $0)) } ?? .success(sound), links: [])
    }
    if sound.hasPrefix(Tone.prefix) {
      let problem = SoundError.unreadable(path: sound, reason: "expected a tone as \(Tone.form)")
      return Search(path: Tone(sound) == nil ? .failure(problem) : .success(sound), links: [])
    }
    if sound == BuiltInSounds.alarm { return Search(path: .success(sound), links: []) }
    if sound.contains("/") {
      let path = sound.hasPrefix("/") ? sound : base + "/" + sound
      if let reason = refusal(path) { return Self.refused(path, reason, links) }
      if let found = Self.found(path, &links, refusal) { return found }
      return Search(path: .failure(.opening(path, code: errno)), links: links)
    }
    if !sound.isEmpty, !sound.hasPrefix(".") {
      let names = Self.names(for: sound)
      if let found = find(sound, &links, refusal) { return found }
      if let themes {
        if let found = Self.find(names, in: themes, &links) { return found }
      }
      for name in names.dropFirst() {
        guard var found = find(name, &links, refusal) else { continue }
        found.step = "as '\(name)'"
        return found
      }
      // The decoder says what the file is, and how to convert it.
      if let found = find(sound, endings: ForeignFormat.extensions, &links, refusal) { return found }
    }
    // A link that leads nowhere has the name itself.
    // A hidden name is looked up in no folder, so `refusal` was not asked of any of them.
    let names = sound.isEmpty || sound.hasPrefix(".") ? [] : availableNames.filter { $0 != sound }
    // `success.wav`.
    let near = names.first { $0 == Self.name(of: sound) } ?? Suggestion.nearest(to: sound, among: names)
    return Search(path: .failure(.notFound(name: sound, searched: folders, near: near)), links: links)
  }

  /// The file of exactly this name in one of the folders.
  private func find(
    _ name: String, endings: [String] = extensions, _ links: inout [String], _ refusal: (String) -> String?
  ) -> Search? {
    for folder in folders {
      if folder == BuiltInSounds.folder {
        if endings == Self.extensions, let path = BuiltInSounds.path(of: name) {
          return Search(path: .success(path), links: links)
        }
        continue
      }
      if let reason = refusal(folder) { return Self.refused(folder, reason, links) }
      for ending in endings {
        let path = "\(folder)/\(name).\(ending)"
        if let found = Self.found(path, &links, refusal) { return found }
      }
    }
    return nil
  }

  /// What themes have for the first of these names for which they have anything.
  private static func find(
    _ names: [String], in themes: LoadedThemes, _ links: inout [String]
  ) -> Search? {
    links += themes.watched
    for name in names {
      guard let found = themes.find(name) else { continue }
      let path: Result<String, SoundError> =
        switch found.outcome {
        case .file: .success(found.path)
        case .disabled: .failure(.disabled(path: found.path))
        case .failed: .failure(.unreadable(path: found.path, reason: "its folder cannot be read"))
        }
      let step = (name == names[0] ? "" : "as '\(name)', ") + found.step
      return Search(path: path, links: links, step: step, isFromCollection: true)
    }
    return nil
  }

  private static func refused(_ path: String, _ reason: String, _ links: [String]) -> Search {
    Search(path: .failure(.unavailable(path: path, reason: reason)), links: links)
  }

  /// The names of the sounds in all folders, those of a folder sorted. Hidden files are left out.
  package var availableNames: [String] {
    folders.flatMap { folder in
      Self.files(in: folder).compactMap(Self.name(of:)).filter { !$0.hasPrefix(".") }.sorted()
    }
  }

  /// The names of all files of a folder, in no order.
  static func files(in folder: String) -> [String] {
    folder == BuiltInSounds.folder ? BuiltInSounds.files : Folder.names(in: folder) ?? []
  }

  /// The file at a path, or why it must not be touched; `nil` if there is none, and `errno` says why. A link is appended to
  /// `links`, wherever it leads.
  private static func found(_ path: String, _ links: inout [String], _ refusal: (String) -> String?) -> Search? {
    var byte: CChar = 0
    if readlink(path, &byte, 1) >= 0 {
      links.append(path)
      if let reason = refusal(path) { return refused(path, reason, links) }
    } else if errno == ENOENT || errno == ENOTDIR {
      // Most paths are missing: one system call is enough for them.
      return nil
    }
    return access(path, F_OK) == 0 ? Search(path: .success(path), links: links) : nil
  }
}
