import Glibc

/// Whether a stream is read by the journal, which takes priorities such as `<3>` off the lines (sd-daemon(3)).
enum JournalStream {
  /// Compares a descriptor with `$JOURNAL_STREAM`, as systemd.exec(5) has it.
  ///
  /// `variable` is `DEVICE:INODE` in decimal, or `nil` if it is not set. That it is set says nothing: it is inherited by
  /// what a service starts, whose streams may go elsewhere.
  static func isJournal(_ descriptor: Int32, variable: String?) -> Bool {
    guard let variable else { return false }
    let parts = variable.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}
