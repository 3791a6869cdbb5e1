import Glibc
import SoundTrigger

/// What is at the path of a named pipe.
enum NamedPipe {
  /// Why there is no pipe to read.
  struct Problem: Error, Equatable {
    var text: String
    /// Whether there is certainly another thing at the path than the pipe that was read before.
    var endsReading = true
  }

  /// The pipe at a path; `nil` if there is nothing (stat, lstat). Symbolic links are followed.
  static func identity(at path: String) throws(Problem) -> FileIdentity? {
    var status = stat()
    if stat(path, &status) == 0 {
      guard let (finding, remedy) = wrongKind(status, at: path) else { return FileIdentity(status) }
      throw Problem(text: "\(finding): \(remedy)")
    }
    if errno != ENOENT { throw Problem(text: "\(path): \(SystemError.text(errno))", endsReading: false) }
    if lstat(path, &status) < 0 { return nil }
    throw Problem(text: "\(path) is a symbolic link that leads nowhere; make the named pipe there, or remove the link")
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

  /// What is wrong with what a path names, and what to do; `nil` for a named pipe.
  static func wrongKind(_ status: stat, at path: String) -> (finding: String, remedy: String)? {
    let kind: String
    switch status.st_mode & S_IFMT {
    case S_IFIFO: return nil
    case S_IFREG: kind = "a file"
    case S_IFDIR: kind = "a folder"
    case S_IFSOCK: kind = "a socket"
    default: kind = "a device"
    }
    return ("\(path) is \(kind), not a named pipe", "remove it, or choose another path")
  }
}
