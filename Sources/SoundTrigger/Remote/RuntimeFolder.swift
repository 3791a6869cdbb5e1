package import Glibc

/// The user's runtime folder, which has the daemon's socket.
///
/// It is `$XDG_RUNTIME_DIR` if that is a folder of the effective user. cron does not set the variable, and after su it may be that of
/// the user before. Then it is `/run/user/UID`, where logind makes it.
package struct RuntimeFolder: Equatable, Sendable {
  /// Why `$XDG_RUNTIME_DIR` is not the folder.
  package enum Flaw: Equatable, Sendable, CustomStringConvertible {
    case notSet
    case relative(String)
    /// There is no such folder.
    case missing(String)
    /// It belongs to another user.
    case foreign(String)

    package var description: String {
      switch self {
      case .notSet: "XDG_RUNTIME_DIR is not set"
      case .relative(let text): "XDG_RUNTIME_DIR is \(Excerpt.quoting(text)), which is not an absolute path"
      case .missing(let path): "XDG_RUNTIME_DIR is \(path), which is not a folder"
      case .foreign(let path): "XDG_RUNTIME_DIR is \(path), which belongs to another user"
      }
    }
  }

  /// The folder, or `nil` if this user has none.
  ///
  /// If `/run/user/UID` is missing, too, this is the missing folder of the variable: errors then name what the user has set.
  package let path: String?
  /// The flaw of the variable, or `nil` if its folder is used.
  package let flaw: Flaw?
  /// The folder that logind makes for this user.
  package let fallback: String

  /// Looks at the folders (stat). An empty variable counts as unset. `owner` returns the user to whom a folder belongs, or `nil` if
  /// there is no such folder.
  package init(variable: String?, user: uid_t = geteuid(), owner: (String) -> uid_t? = Self.owner(of:)) {
    fallback = "/run/user/\(user)"
    flaw =
      switch variable {
      case nil, "": .notSet
      case let text? where text.utf8.first != UInt8(ascii: "/"): .relative(text)
      case let folder?:
        switch owner(folder) {
        case nil: .missing(folder)
        case user: nil
        default: .foreign(folder)
        }
      }
    path =
      switch flaw {
      case nil: variable
      case _ where owner(fallback) == user: fallback
      case .missing(let folder): folder
      default: nil
      }
  }

  /// The user to whom a folder belongs, or `nil` if there is no such folder.
  package static func owner(of path: String) -> uid_t? {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? status.st_uid : nil
  }
}
