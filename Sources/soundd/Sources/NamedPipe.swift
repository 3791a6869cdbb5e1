import Glibc

/// Decides what to do about what is at the path of a named pipe.
enum NamedPipe {
  /// What is there; symbolic links are followed.
  enum Found: Equatable {
    case pipe(FileIdentity)
    case nothing
    /// A link that leads nowhere.
    case danglingLink
    /// Something else, of this kind.
    case other(String)
    /// stat failed with this error.
    case failed(Int32)
  }

  enum Action: Equatable {
    /// It is the pipe that is read.
    case none
    /// Open it instead of the pipe that is read, if any.
    case open
    /// Make a pipe and check the path again.
    case make
    /// Close the pipe and report this problem.
    case fail(String)
    /// Keep the pipe, if any, and report this problem.
    case wait(String)
  }

  /// What to do; `current` is the pipe that is read, if any.
  static func action(_ found: Found, at path: String, current: FileIdentity?) -> Action {
    switch found {
    case .pipe(current): .none
    case .pipe: .open
    case .nothing: .make
    case .danglingLink:
      .fail("\(path) is a symbolic link that leads nowhere; make the named pipe there, or remove the link")
    case .other(let kind): .fail("\(path) is \(kind), not a named pipe; remove it, or choose another path")
    case .failed(let code): .wait("\(path): \(SystemError.text(code))")
    }
  }

  /// A warning about a pipe that others may write to; `nil` if they may not.
  static func remark(_ status: stat, at path: String, user: uid_t) -> String? {
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
      return "others may write to \(path), by its permissions (chmod 600 keeps them out)"
    }
    if status.st_uid != user { return "\(path) belongs to another user, who may write to it" }
    return nil
  }

  /// Why the pipe cannot be made; `code` is the error of mkfifo.
  static func cannotMake(_ path: String, _ code: Int32) -> String {
    let reason = code == ENOENT ? "make its folder first" : SystemError.text(code)
    return "cannot make the named pipe \(path): \(reason)"
  }

  /// What is at a path (stat, lstat).
  static func found(at path: String) -> Found {
    var status = stat()
    if stat(path, &status) < 0 {
      let code = errno
      guard code == ENOENT else { return .failed(code) }
      return lstat(path, &status) == 0 ? .danglingLink : .nothing
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
