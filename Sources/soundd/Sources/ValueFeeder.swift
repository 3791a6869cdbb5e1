/// Feeds a value from a path, until it is stopped.
protocol ValueFeeder: AnyObject {
  /// Reports what is there now, and from then on every change.
  func start()
  /// Reports nothing more.
  func stop()
  /// Why the path cannot be watched, so that it is polled; `nil` if it is watched.
  var watchProblem: String? { get }
}

/// Receives what a feeder reads; called on the event loop's thread.
protocol ContentReceiver: AnyObject {
  /// The path names nothing: the file or folder is missing. Called each time this is found.
  ///
  /// A path that cannot be read is a `fileProblem` instead.
  func foundNothing()
  /// The whole content, of at most `FileSource.shortLimit` bytes. It may equal the last one.
  ///
  /// `isAgain`: as far as the feeder can tell, nothing was written since this content was received before.
  func receive(content: Span<UInt8>, isAgain: Bool)
  /// Longer content begins; its chunks follow. An earlier one that has not ended is void. `isAgain` is as above.
  func beginLongContent(isAgain: Bool)
  func receive(chunk: Span<UInt8>)
  /// All chunks of the longer content were received.
  func endLongContent()
  /// The path cannot be read, and why; `nil` if it can be read again. A missing file is no problem.
  func fileProblem(_ text: String?)
}

/// Receives lines; called on the event loop's thread.
protocol LineReceiver: ContentReceiver {
  /// All lines from now on are new; `line` is the last one that was there before, `nil` if there was none.
  func linesBegin(after line: Span<UInt8>?)
  /// A line of more than `LineReader.limit` bytes was skipped.
  func skippedLine()
  /// Reports something that is no problem but worth knowing.
  func remark(_ text: String)
}

extension LineReceiver {
  /// Receives a line as `LineReader` returns it; `nil` stands for one that is too long.
  func receive(line: Span<UInt8>?) {
    if let line { receive(content: line, isAgain: false) } else { skippedLine() }
  }
}
