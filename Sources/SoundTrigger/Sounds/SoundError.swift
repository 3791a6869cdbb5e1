/// Why a sound cannot be played. All of it is mended in the file or in the configuration that names it.
package enum SoundError: Error, Equatable, CustomStringConvertible {
  /// No file of that name in any folder.
  case notFound(name: String, searched: [String])
  /// The file is not there or cannot be opened.
  case unreadable(path: String, reason: String)
  /// libsndfile cannot make sense of it, or what it decodes is no sound.
  case corrupt(path: String, reason: String)
  /// Longer than `limits.sound_seconds`.
  case tooLong(path: String, limitSeconds: Int)

  package var description: String {
    switch self {
    case .notFound(let name, let searched):
      searched.isEmpty
        ? "no sound is called '\(name)'"
        : "no sound is called '\(name)' (searched \(searched.joined(separator: ", ")))"
    case .unreadable(let path, let reason): "cannot read the sound \(path): \(reason)"
    case .corrupt(let path, let reason): "cannot decode the sound \(path): \(reason)"
    case .tooLong(let path, let limit):
      "the sound \(path) is longer than \(limit) s (limits.sound_seconds)"
    }
  }
}
