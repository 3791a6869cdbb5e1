/// Where something stands in a file.
struct TOMLPlace: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  var line: Int
  /// In Unicode scalars, counted from 1; a byte order mark does not count.
  var column: Int

  var description: String { "\(line):\(column)" }

  static func < (left: TOMLPlace, right: TOMLPlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
