/// Paths as text, without a look at the file system.
enum FilePathText {
  /// The path, seen from the folder unless it is absolute.
  static func join(_ folder: String, _ path: String) -> String {
    normal(path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)")
  }

  /// The folder of the file of an absolute path.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Whether the path can only lead to a folder.
  static func namesFolder(_ path: String) -> Bool {
    let last = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    return last.isEmpty || last == "." || last == ".."
  }

  /// The path without `.` and doubled slashes.
  ///
  /// A `..` stays: after a symbolic link it does not lead back.
  private static func normal(_ path: String) -> String {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
    return (path.utf8.first == UInt8(ascii: "/") ? "/" : "") + parts.joined(separator: "/")
  }
}
