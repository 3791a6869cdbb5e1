import Glibc

/// Finds the file of a sound: by name in a list of folders, or by path.
package struct SoundLocator: Sendable {
  /// What a sound's file may end in, in the order in which it is looked for.
  package static let extensions = ["wav", "flac", "oga", "ogg", "opus", "mp3"]

  /// Where names are looked up; the first folder that has the sound wins.
  package var folders: [String]
  /// What a relative path begins at.
  package var base: String

  package init(folders: [String], base: String = ".") {
    self.folders = folders
    self.base = base
  }

  /// The file of `sound`: with a `/` in it a path, otherwise a name.
  package func locate(_ sound: String) throws(SoundError) -> String {
    // A C string would end at a NUL and name another file.
    if sound.utf8.contains(0) { throw .notFound(name: sound, searched: []) }
    if sound.contains("/") {
      let path = sound.hasPrefix("/") ? sound : base + "/" + sound
      if access(path, F_OK) == 0 { return path }
      throw .unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    if !sound.isEmpty, !sound.hasPrefix(".") {
      for folder in folders {
        for ending in Self.extensions {
          let path = "\(folder)/\(sound).\(ending)"
          if access(path, F_OK) == 0 { return path }
        }
      }
    }
    throw .notFound(name: sound, searched: folders)
  }
}
