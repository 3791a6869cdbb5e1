import SoundTrigger

/// A path that a file thread reads or watches for the event loop.
///
/// Safety of `@unchecked Sendable`: one thread at a time uses it. The event loop makes it and passes it to a file thread in a
/// job. A thread that may not follow its path suspends it, forgets it, and passes it back in a report.
final class WatchedFile: @unchecked Sendable, ContentReceiver {
  /// Which one it is, for reports.
  let number: Int
  private let make: (WatchedFile, FileThreadLoop) -> ValueFeeder
  /// Whether white space around a long content is dropped.
  private let trims: Bool
  /// Where it is now. The thread's loop owns it.
  private weak var thread: FileThreadLoop?
  private var feeder: ValueFeeder?
  private var long: (content: ContentAccumulator, isAgain: Bool)?
  /// Whether its first look is over.
  private var hasBegun = false

  /// A path that is read as `kind` does; `poll` is as in `PathWatch`.
  init(_ number: Int, _ path: String, _ kind: ValueFeeder.Type, poll: Duration?, trims: Bool) {
    self.number = number
    self.trims = trims
    make = { kind.init(path: path, poll: poll, watcher: $1.watcher, on: $1.loop, receiver: $0) }
  }

  /// Begins on a thread, or continues there what another one has suspended.
  func enter(_ thread: FileThreadLoop) {
    self.thread = thread
    feeder?.move(to: thread.watcher, on: thread.loop)
    let feeder = feeder ?? make(self, thread)
    self.feeder = feeder
    feeder.watch.leave = { [unowned self] in leave(to: $0) }
    feeder.start()
    // It may have left again.
    if self.thread == nil || hasBegun { return }
    hasBegun = true
    post(.begun(polledBecause: feeder.watch.problem))
  }

  /// Ends.
  func stop() {
    feeder?.stop()
    thread = nil
  }

  private func leave(to mounts: Set<String>) {
    feeder?.suspend()
    long = nil
    let thread = thread
    self.thread = nil
    thread?.pass(on: self, to: mounts)
  }

  private func post(_ report: FileReport) { thread?.post(number, report) }

  // MARK: What the feeder reads

  func foundNothing() { post(.nothing) }

  func found(writtenAt time: Instant) { post(.written(time)) }

  func receive(content: Span<UInt8>, isAgain: Bool) { post(.content(Self.bytes(content), isAgain: isAgain)) }

  func beginLongContent(isAgain: Bool) { long = (ContentAccumulator(trim: trims), isAgain) }

  func receive(chunk: Span<UInt8>) { long?.content.append(chunk) }

  func endLongContent() {
    if let (content, isAgain) = long { post(.long(content, isAgain: isAgain)) }
    long = nil
  }

  func fileProblem(_ text: String?) { post(.problem(text)) }

  func linesBegin(after line: Span<UInt8>?) {
    if let line { post(.linesBegin(after: Self.bytes(line))) } else { post(.linesBegin(after: nil)) }
  }

  func skippedLine() { post(.skippedLine) }

  func remark(_ text: String) { post(.remark(text)) }

  func changed(isBeingWritten: Bool) {
    post(.changed(isBeingWritten: isBeingWritten))
    if let problem = feeder?.watch.problem { post(.begun(polledBecause: problem)) }
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}

/// What a file thread has found out, for the event loop.
enum FileReport: Sendable {
  /// The path names nothing; see `ContentReceiver.foundNothing`.
  case nothing
  /// See `ContentReceiver.found`.
  case written(Instant)
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
  /// The first look is over; the text says why events do not report all changes, although they should.
  case begun(polledBecause: String?)
  /// Another thread must follow the path, the one of these foreign mounts.
  case leaves(WatchedFile, to: Set<String>)

  /// About how much memory it takes.
  var size: Int {
    switch self {
    case .content(let bytes, _): bytes.count + 64
    case .long: FileSource.shortLimit
    default: 64
    }
  }
}
