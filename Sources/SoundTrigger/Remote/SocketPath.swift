/// Where the daemon's socket is.
package enum SocketPath {
  /// The longest path that fits `sun_path`, in bytes.
  package static let limit = 107

  /// What keeps a path from being used; the description says what to do.
  package enum Problem: Error, Equatable, CustomStringConvertible {
    case notSet
    case empty
    case abstract(String)
    case tooLong(String)

    package var description: String {
      switch self {
      case .notSet:
        "there is no path for the socket: give --socket PATH, or set SOUNDD_SOCKET or XDG_RUNTIME_DIR"
      case .empty: "the path of the socket is empty: give --socket PATH"
      case .abstract(let path):
        "\(path): an abstract socket has no permissions; give a path (./\(path) for a file of that name)"
      case .tooLong(let path):
        "\(path): the path of a socket has at most \(SocketPath.limit) bytes, this one has \(path.utf8.count)"
      }
    }
  }

  /// `--socket PATH`, else `$SOUNDD_SOCKET`, else `$XDG_RUNTIME_DIR/soundd.sock`.
  ///
  /// An empty variable counts as unset.
  package static func resolve(option: String?, environment: (String) -> String?) throws(Problem) -> String {
    if let option { return try check(option) }
    if let path = environment("SOUNDD_SOCKET"), !path.isEmpty { return try check(path) }
    if let folder = environment("XDG_RUNTIME_DIR"), !folder.isEmpty { return try check(folder + "/soundd.sock") }
    throw .notSet
  }

  private static func check(_ path: String) throws(Problem) -> String {
    if path.isEmpty { throw .empty }
    if path.utf8.first == UInt8(ascii: "@") { throw .abstract(path) }
    if path.utf8.count > limit { throw .tooLong(path) }
    return path
  }
}
