import CLinux
import Glibc
import SoundTrigger

/// Who may write to a file.
enum FileWriters {
  /// Says that others than this user and root may write to an open file, and what to do about it; `nil` if they may not (fstat).
  ///
  /// The user's primary group does not count as others.
  static func problem(of fd: Int32, _ path: String) -> String? {
    var status = stat()
    let shown = Excerpt.shellWord(path: path)
    if fstat(fd, &status) < 0 { return "soundd cannot tell who may write to \(path): see ls -l \(shown)" }
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "\(path) belongs to another user: sudo chown \(geteuid()) \(shown)"
    }
    // With an access control list the bits of the group are those of others, too.
    let hasOthers = status.st_gid != getegid() || clinux_has_access_list(fd) != 0
    if status.st_mode & S_IWOTH == 0, status.st_mode & S_IWGRP == 0 || !hasOthers { return nil }
    return "others may write to \(path): chmod go-w \(shown)"
  }
}
