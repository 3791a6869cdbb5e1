import CALSA

/// The shipped sounds, inside the program. They look like the files of a folder, which is looked up last: so a file replaces them,
/// and a program without any files still sounds.
package enum BuiltInSounds {
  /// Stands for them in a list of folders. The path of a folder begins with `/`.
  package static let folder = "(built in)"

  /// The shipped alarm, whatever sound of this name the user has.
  package static let alarm = "\(folder)/alarm.wav"

  /// Their files.
  static let files = names.map { "\($0).wav" }

  private static let names = (0..<shipped_count()).map { String(cString: shipped_name($0)) }

  /// The path of a sound; `nil` if none has this name.
  static func path(of name: String) -> String? { names.contains(name) ? "\(folder)/\(name).wav" : nil }

  /// The index of a path's sound among them; `nil` if it is the path of a real file.
  static func index(of path: String) -> Int? {
    path.hasPrefix(folder) ? names.firstIndex { Self.path(of: $0) == path } : nil
  }
}
