import Foundation

/// The files that tests read, found from this source file: they belong to no bundle.
enum Fixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures", directoryHint: .isDirectory)

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }

  /// The paths below a folder of the fixtures, relative to it, sorted.
  static func paths(in subfolder: String, suffix: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: subfolder).path)
      .filter { $0.hasSuffix(suffix) }
      .sorted()
  }
}
