import Foundation

/// The checkout that the tests were compiled in.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The files below a folder, relative to the root, sorted; what is hidden is left out.
  static func files(in folder: String, suffix: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { path in path.hasSuffix(suffix) && !path.split(separator: "/").contains { $0.hasPrefix(".") } }
      .map { "\(folder)/\($0)" }
      .sorted()
  }
}
