/// Paths as text; none of these functions asks the file system.
enum FilePathText {
  /// The path; a relative one starts from the folder. Without `.` and doubled slashes.
  ///
  /// A `..` stays: after a symbolic link it does not lead back.
  static func join(_ folder: String, _ path: String) -> String {
    let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)"
    let parts = whole.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
    return (whole.utf8.first == UInt8(ascii: "/") ? "/" : "") + parts.joined(separator: "/")
  }

  /// The folder of the file of an absolute path.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// What stands after the last slash.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Whether the path can only lead to a folder.
  static func namesFolder(_ path: String) -> Bool { ["", ".", ".."].contains(name(of: path)) }
}
