import SoundTrigger

/// What a file thread has found out, for the event loop.
enum FileReport: Sendable {
  /// The path names nothing; see `ContentReceiver.foundNothing`.
  case nothing
  case content([UInt8], isAgain: Bool)
  /// A content of more than `FileSource.shortLimit` bytes.
  case long(ContentAccumulator, isAgain: Bool)
  /// See `ContentReceiver.linesBegin`.
  case linesBegin(after: [UInt8]?)
  case skippedLine
  case remark(String)
  /// The path cannot be read, and why; `nil`: it can be read again.
  case problem(String?)
  /// Something about a path that is only watched may have changed; a writer may have the file open.
  case changed(isBeingWritten: Bool)
  /// The first look is over; the text says why the path is polled, if it should be watched.
  case begun(polledBecause: String?)
  /// Another thread must follow the path, the one of these foreign mounts.
  case leaves(FileTenant, to: Set<String>)
  /// A job of `FileThread.perform` is done.
  case jobDone

  /// About how much memory it takes.
  var size: Int {
    switch self {
    case .content(let bytes, _): bytes.count + 64
    case .long: FileSource.shortLimit
    default: 64
    }
  }
}
