import Glibc

/// What lies where a named pipe should, and what to do about it.
enum NamedPipe {
  /// What lies there, symbolic links followed.
  enum Found: Equatable {
    case pipe(FileIdentity)
    case nothing
    /// A link that leads nowhere.
    case looseLink
    /// Something else; its kind.
    case other(String)
    /// It cannot be told.
    case failed(Int32)
  }

  enum Action: Equatable {
    /// It is the one that is read.
    case none
    /// Open it instead of the one that is read, if any.
    case open
    /// Make one, and look again.
    case make
    /// Read none until something changes; why.
    case fail(String)
    /// Leave everything as it is until something changes; why.
    case wait(String)
  }

  /// What to do; `current` is the one that is read, if any.
  static func action(_ found: Found, at path: String, current: FileIdentity?) -> Action {
    switch found {
    case .pipe(current): .none
    case .pipe: .open
    case .nothing: .make
    case .looseLink:
      .fail("\(path) is a symbolic link that leads nowhere; make the named pipe there, or remove the link")
    case .other(let kind): .fail("\(path) is \(kind), not a named pipe; remove it, or choose another path")
    case .failed(let code): .wait("\(path): \(SystemError.text(code))")
    }
  }

  /// What to know about a pipe that was made by somebody else; `nil`: nothing.
  static func remark(_ status: stat, at path: String, user: uid_t) -> String? {
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
      return "others may write to \(path), by its permissions (chmod 600 keeps them out)"
    }
    if status.st_uid != user { return "\(path) belongs to another user, who may write to it" }
    return nil
  }

  /// Why there can be no pipe; the error number is mkfifo's.
  static func cannotMake(_ path: String, _ code: Int32) -> String {
    let reason = code == ENOENT ? "make its folder first" : SystemError.text(code)
    return "cannot make the named pipe \(path): \(reason)"
  }

  /// Looks with stat and lstat.
  static func look(_ path: String) -> Found {
    var status = stat()
    if stat(path, &status) < 0 {
      let code = errno
      guard code == ENOENT else { return .failed(code) }
      return lstat(path, &status) == 0 ? .looseLink : .nothing
    }
    return status.st_mode & S_IFMT == S_IFIFO ? .pipe(FileIdentity(status)) : .other(kind(status))
  }

  private static func kind(_ status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFREG: "a file"
    case S_IFDIR: "a folder"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
