/// Where the daemon's socket is.
package enum SocketPath {
  /// The longest path that fits `sun_path`, in bytes.
  package static let limit = 107

  /// What keeps a path from being used; the description says what to do.
  package enum Problem: Error, Equatable, CustomStringConvertible {
    /// Nothing names a path, and the user has no runtime folder.
    case noFolder(RuntimeFolder)
    case empty
    case abstract(String)
    case tooLong(String)

    package var description: String {
      switch self {
      case .noFolder(let folder): "\(Self.noFolder(folder)): log in, give --socket PATH, or set SOUNDD_SOCKET"
      case .empty: "the path of the socket is empty: give --socket PATH"
      case .abstract(let path):
        "\(path): an abstract socket has no permissions; give a path (./\(path) for a file of that name)"
      case .tooLong(let path):
        "\(path): the path of a socket has at most \(SocketPath.limit) bytes, this one has \(path.utf8.count)"
      }
    }

    static func noFolder(_ folder: RuntimeFolder) -> String {
      "there is no folder for the socket: \(folder.flaw.map { "\($0), and " } ?? "")\(folder.fallback) is missing"
    }
  }

  /// `--socket PATH`, else `$SOUNDD_SOCKET`, else `soundd.sock` in the user's runtime folder.
  ///
  /// An empty variable counts as unset. `folder` finds the runtime folder for `$XDG_RUNTIME_DIR`.
  package static func resolve(
    option: String?, folder: (_ variable: String?) -> RuntimeFolder = { RuntimeFolder(variable: $0) },
    environment: (String) -> String?
  ) throws(Problem) -> String {
    if let option { return try check(option) }
    if let path = environment("SOUNDD_SOCKET"), !path.isEmpty { return try check(path) }
    let folder = folder(environment("XDG_RUNTIME_DIR"))
    guard let path = folder.path else { throw .noFolder(folder) }
    return try check(path + "/soundd.sock")
  }

  private static func check(_ path: String) throws(Problem) -> String {
    if path.isEmpty { throw .empty }
    if path.utf8.first == UInt8(ascii: "@") { throw .abstract(path) }
    if path.utf8.count > limit { throw .tooLong(path) }
    return path
  }
}
