import Glibc

/// Writing to the process's standard output and error, past any buffer.
enum StandardStreams {
  /// Writes text and a newline to standard output.
  static func print(_ text: String) throws(Failure) { try print(Array(text.utf8)) }

  /// Writes bytes and a newline to standard output; a reader that has left ends the process by SIGPIPE, as in any filter.
  static func print(_ bytes: [UInt8]) throws(Failure) {
    if !write(STDOUT_FILENO, bytes + [UInt8(ascii: "\n")]) { throw failure }
  }

  /// Why standard output could not be written, right after that.
  static var failure: Failure { Failure(.inputOutput, "cannot write to standard output: \(SystemError.text(errno))") }

  private static let errorsGoToTheJournal = JournalStream.isJournal(
    STDERR_FILENO, variable: getenv("JOURNAL_STREAM").map { String(cString: $0) })

  /// Writes each line of a text to standard error: as `soundd: …`, or to the journal with a syslog priority (3: error).
  static func complain(_ text: String, priority: Int = 3) {
    let prefix = errorsGoToTheJournal ? "<\(priority)>" : "soundd: "
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(STDERR_FILENO, Array(lines.map { "\(prefix)\($0)\n" }.joined().utf8))
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
