import Glibc

/// Looks up the file of a sound: by name in a list of folders, or by path.
package struct SoundLocator: Sendable {
  /// The extensions of sound files, in the order in which they are tried.
  package static let extensions = ["wav", "flac", "oga", "ogg", "opus", "mp3"]

  /// Where names are looked up; the first folder that has the sound wins.
  package var folders: [String]
  /// The folder that relative paths start from.
  package var base: String

  package init(folders: [String], base: String = ".") {
    self.folders = folders
    self.base = base
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
    /// The symbolic links that decided it: the file that was found, if it is a link, and dangling links tried before it.
    package var links: [String]
  }

  /// The path of the file of `sound`, which is a path if it contains a `/`, otherwise a name or an alias of one.
  package func locate(_ sound: String) throws(SoundError) -> String { try search(sound).path.get() }

  /// The same, and the links that decided it (readlink, access).
  ///
  /// `mayTouch` is asked before each path; if it refuses one, that ends the search.
  package func search(_ sound: String, mayTouch: (String) -> Bool = { _ in true }) -> Search {
    var links: [String] = []
    // A C string would end at a NUL and name another file.
    if sound.utf8.contains(0) { return Search(path: .failure(.notFound(name: sound, searched: [])), links: []) }
    if sound.contains("/") {
      let path = sound.hasPrefix("/") ? sound : base + "/" + sound
      if !mayTouch(path) { return Self.refused(path, links) }
      if Self.exists(path, &links) { return Search(path: .success(path), links: links) }
      let reason = String(cString: strerror(errno))
      return Search(path: .failure(.unreadable(path: path, reason: reason)), links: links)
    }
    if !sound.isEmpty, !sound.hasPrefix(".") {
      for name in Self.names(for: sound) {
        for folder in folders {
          for ending in Self.extensions {
            let path = "\(folder)/\(name).\(ending)"
            if !mayTouch(path) { return Self.refused(path, links) }
            if Self.exists(path, &links) { return Search(path: .success(path), links: links) }
          }
        }
      }
    }
    // A link that leads nowhere has the name itself.
    // A hidden name is looked up in no folder, so `mayTouch` has not approved any of them.
    let names = sound.isEmpty || sound.hasPrefix(".") ? [] : availableNames.filter { $0 != sound }
    // `success.wav`.
    let near = names.first { $0 == Self.name(of: sound) } ?? Suggestion.nearest(to: sound, among: names)
    return Search(path: .failure(.notFound(name: sound, searched: folders, near: near)), links: links)
  }

  private static func refused(_ path: String, _ links: [String]) -> Search {
    Search(path: .failure(.unavailable(path: path, reason: "its file system does not answer")), links: links)
  }

  /// The names of the sounds in all folders, those of a folder sorted. Hidden files are left out.
  package var availableNames: [String] {
    folders.flatMap { folder in
      (Folder.names(in: folder) ?? []).compactMap(Self.name(of:)).filter { !$0.hasPrefix(".") }.sorted()
    }
  }

  /// Whether there is a file; if not, `errno` says why. A link is appended to `links`, wherever it leads.
  private static func exists(_ path: String, _ links: inout [String]) -> Bool {
    var byte: CChar = 0
    if readlink(path, &byte, 1) >= 0 {
      links.append(path)
    } else if errno == ENOENT || errno == ENOTDIR {
      // Most paths are missing: one system call is enough for them.
      return false
    }
    return access(path, F_OK) == 0
  }
}
