import Glibc

/// Why a sound cannot be played. The remedy is in the file, or in the configuration that names it.
package enum SoundError: Error, Equatable, CustomStringConvertible {
  /// No file of that name in any folder. `near` is one that is there and has a similar name.
  case notFound(name: String, searched: [String], near: String? = nil)
  /// Silence is wanted: a sound theme disables the sound by the file at `path`, or the pack with this manifest lacks the category.
  /// `near` is a category of the pack with a similar name. Not an error for the caller.
  case disabled(path: String, near: String? = nil)
  /// The file is missing.
  case missing(path: String)
  /// The file cannot be opened.
  case unreadable(path: String, reason: String)
  /// The file system of the file does not answer.
  case unavailable(path: String, reason: String)
  /// It cannot be decoded or resampled, is empty, or has a sample far beyond full scale.
  case corrupt(path: String, reason: String)
  /// soundd does not decode its format; `format` is the name of it, if that is known.
  case foreign(path: String, format: String?)
  /// There is no room for it in `limits.memory`, of which contents and other sounds leave `left` bytes.
  case noRoom(path: String, left: Int, limit: Int)
  /// There is no memory or no time for it now.
  case noMemory(path: String, reason: String)
  /// No program can speak the text.
  case unspoken(text: String, reason: String)
  /// Longer than `limits.sound_seconds`.
  case tooLong(path: String, limitSeconds: Int)

  /// How the description of `unspoken` begins.
  package static let speechFailed = "cannot say "

  /// One line; of a sound that was not found a second one with the folders.
  package var description: String {
    switch self {
    case .notFound(let name, let searched, let near):
      (SoundPack.isWhole(name)
        ? "no pack is called '\(Excerpt.escaping(String(name.dropFirst(SoundPack.prefix.count))))'"
        : "no sound is called '\(name)'") + Suggestion.question(near)
        + (searched.isEmpty ? "" : "\n  searched: \(searched.joined(separator: ", "))")
    case .disabled(let path, _): "its theme or pack has silence for it: \(path)"
    case .missing(let path): "cannot read the sound \(path): \(String(cString: strerror(ENOENT)))"
    case .unreadable(let path, let reason), .unavailable(let path, let reason):
      "cannot read the sound \(path): \(reason)"
    case .corrupt(let path, let reason): "cannot decode the sound \(path): \(reason)"
    case .foreign(let path, let format):
      "cannot decode the sound \(path): it is \(format ?? "not a sound that soundd knows"); to convert it: "
        + "ffmpeg -i \(Excerpt.shellWord(path: path)) \(Excerpt.shellWord(path: "\(path).wav"))"
    case .noRoom(let path, let left, let limit):
      "the sound \(path) takes more than the \(SizeText.text(left)) that contents and other sounds leave of limits.memory "
        + "(\(SizeText.text(limit))): raise it, or use a shorter sound"
    case .noMemory(let path, let reason): "cannot load the sound \(path): \(reason)"
    case .unspoken(let text, let reason): "\(Self.speechFailed)'\(Excerpt.escaping(text))': \(reason)"
    case .tooLong(let path, let limit):
      "the sound \(path) is longer than \(limit) s (limits.sound_seconds)"
    }
  }

  /// The description in one line.
  package var line: String {
    description.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
  }

  /// Why the file at `path` cannot be opened, by the error of the system.
  static func opening(_ path: String, code: Int32) -> SoundError {
    // A part of the path may be a file instead of a folder.
    if code == ENOENT || code == ENOTDIR { return .missing(path: path) }
    return .unreadable(path: path, reason: String(cString: strerror(code)))
  }
}
