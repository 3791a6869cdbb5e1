/// What feeds a value from a path, until it is stopped.
protocol ValueFeeder: AnyObject {
  /// Hands out what is there now, and from then on whatever changes.
  func start()
  /// Hands out nothing more.
  func stop()
  /// Why the path cannot be watched, so that it is looked at every second; `nil`: it is.
  var watchProblem: String? { get }
}

extension FileSource: ValueFeeder {}

/// Receives lines; called on the event loop's thread.
protocol LineReceiver: ContentReceiver {
  /// Everything received from now on has just been written; `line` is the last one from before, if there is any.
  func linesBegin(after line: Span<UInt8>?)
  /// A line of more than `LineReader.limit` bytes was skipped.
  func skippedLine()
  /// Something that is no problem and that somebody may want to know.
  func remark(_ text: String)
}

extension LineReceiver {
  /// A line as `LineReader` hands it out.
  func receive(line: Span<UInt8>?) {
    if let line { receive(content: line) } else { skippedLine() }
  }
}
