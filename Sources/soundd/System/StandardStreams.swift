import Glibc
import SoundTrigger

/// Unbuffered writes to standard output and standard error.
enum StandardStreams {
  /// Writes text and a newline to standard output.
  static func print(_ text: String) throws(Failure) { try print(Array(text.utf8)) }

  /// Writes bytes and a newline to standard output; SIGPIPE ends the process if the reader is gone, as in any filter.
  static func print(_ bytes: [UInt8]) throws(Failure) {
    if !write(STDOUT_FILENO, bytes + [UInt8(ascii: "\n")]) { throw failure }
  }

  /// Why the last write to standard output failed.
  static var failure: Failure { Failure(.inputOutput, "cannot write to standard output: \(SystemError.text(errno))") }

  private static let errorsGoToTheJournal = JournalStream.isJournal(
    STDERR_FILENO, variable: getenv("JOURNAL_STREAM").map { String(cString: $0) })

  /// Writes each line of a text to standard error: as `soundd: …`, or to the journal with a syslog priority (3: error).
  ///
  /// Nothing that the text quotes acts on a terminal.
  static func show(_ text: String, priority: Int = 3) {
    let prefix = errorsGoToTheJournal ? "<\(priority)>" : "soundd: "
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(STDERR_FILENO, Array(lines.map { "\(prefix)\(Excerpt.escaping(String($0)))\n" }.joined().utf8))
  }

  @discardableResult
  static func write(_ fd: Int32, _ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return false }
      done += count
    }
    return true
  }
}

/// Whether the journal reads a stream; it removes priorities such as `<3>` from the lines (sd-daemon(3)).
enum JournalStream {
  /// Compares a descriptor with `$JOURNAL_STREAM`, as systemd.exec(5) has it.
  ///
  /// `variable` is `DEVICE:INODE` in decimal, or `nil` if it is not set. Child processes of a service inherit it, although
  /// their streams may go elsewhere.
  static func isJournal(_ descriptor: Int32, variable: String?) -> Bool {
    guard let variable else { return false }
    let parts = variable.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}
