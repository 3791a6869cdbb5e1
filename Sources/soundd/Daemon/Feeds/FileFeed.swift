import Logging
import SoundTrigger

/// Passes what a file thread reads from a path on to its value.
final class FileFeed {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  private let value: ValueID
  private(set) var declaration: ValueDeclaration
  private var lastRefusal: ValueRefusal?
  private var lastEvent: Value?
  /// Whether the first reading is over. A named pipe has none, because it holds no content.
  private var hasRead: Bool
  private var hasSkippedLine = false
  /// Whether the path gave no content when it was last looked at, or was not looked at yet.
  private(set) var isUnread = true
  private var logLimit = RateLimit(.seconds(1))
  /// When the content was written that the first look has found.
  private var writtenAt: Instant?
  /// Whether the first look is over.
  var hasBegun = false
  /// Its number among the paths of `FileThreads`.
  var number = 0

  init(_ pipeline: Pipeline, _ value: ValueID, _ declaration: ValueDeclaration, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    self.value = value
    self.declaration = declaration
    hasRead = if case .file(_, _, .fifo) = declaration.source { true } else { false }
  }

  var name: ValueName { declaration.name }

  /// Continues with a declaration that a reload brings.
  func redeclare(_ declaration: ValueDeclaration) {
    self.declaration = declaration
    // If the value begins anew, it begins behind the last line that was read.
    if hasRead, case .file(_, _, .lines) = declaration.source { pipeline.store.beginAtNothing(value) }
  }

  func receive(_ report: FileReport) {
    switch report {
    case .nothing:
      isUnread = true
      endFirstReading()
    case .written(let time):
      writtenAt = SavedState.instant(of: time.nanoseconds / 1_000_000, at: loop.now)
    case .content(let content, let isAgain): receive(content: content.span, isAgain: isAgain)
    case .long(let content, let isAgain): receive(long: content, isAgain: isAgain)
    case .linesBegin(let line): linesBegin(after: line)
    case .skippedLine: skippedLine()
    case .remark(let text): log.info("value '\(declaration.name)': \(text)")
    case .problem(let text): fileProblem(text)
    // `ValueFeeds` and `FileThreads` take the others.
    case .changed, .begun, .leaves: break
    }
  }

  private func receive(content: Span<UInt8>, isAgain: Bool) {
    hasSkippedLine = false
    isUnread = false
    if hasArrived(.text(ByteString(content)), isAgain: isAgain) {
      report(pipeline.update(value, content: content, writtenAt: writtenAt, at: loop.now))
    }
    endFirstReading()
  }

  /// If the first reading found no content, or none that the value accepts, the value begins at nothing: the first content that
  /// comes later is a change. A failed reading does not count.
  private func endFirstReading() {
    writtenAt = nil
    if hasRead { return }
    hasRead = true
    if pipeline.store.value(of: value) == nil { pipeline.store.beginAtNothing(value) }
  }

  /// Whether a content has arrived, rather than having been read once more. This matters to events only.
  ///
  /// A poll reads whether or not anything was written, and one reading may already have seen what two events report.
  private func hasArrived(_ content: @autoclosure () -> Value, isAgain: Bool) -> Bool {
    if declaration.kind != .event { return true }
    let content = content()
    defer { lastEvent = content }
    return content != lastEvent || !(isAgain || declaration.isPolled)
  }

  private func receive(long content: ContentAccumulator, isAgain: Bool) {
    isUnread = false
    if hasArrived(content.value, isAgain: isAgain) {
      report(pipeline.update(value, content: content, writtenAt: writtenAt, at: loop.now))
    }
    endFirstReading()
  }

  private func linesBegin(after line: [UInt8]?) {
    // A missing log has no line either.
    if line != nil { isUnread = false }
    // Before a reload another feeder has passed on the same line: as an event it would arrive twice.
    let isKnown = declaration.kind == .event && pipeline.store.value(of: value) != nil
    if let line, !isKnown { receive(content: line.span, isAgain: false) }
    endFirstReading()
  }

  private func skippedLine() {
    if !hasSkippedLine, mayLog() {
      log.warning(
        "value '\(declaration.name)': a line of more than \(LineReader.limit) bytes was skipped; the old one stays")
    }
    hasSkippedLine = true
  }

  private func fileProblem(_ text: String?) {
    guard let text else { return }
    isUnread = true
    log.error("value '\(declaration.name)': \(text)")
  }

  /// Logs a refusal once, and again when the reason changes, because a file may be read many times a second.
  private func report(_ refusal: ValueRefusal?) {
    guard let refusal else {
      if lastRefusal != nil { lastRefusal = nil }
      return
    }
    if refusal.hasSameReason(as: lastRefusal) || !mayLog() { return }
    log.warning("value '\(declaration.name)': \(refusal); the old one stays")
    lastRefusal = refusal
  }

  /// Whether a problem may be logged. Lines may come by the million, good and bad ones in turn: one problem a second is enough.
  private func mayLog() -> Bool {
    guard case .file(_, _, let aspect) = declaration.source, aspect == .lines || aspect == .fifo else { return true }
    return logLimit.allows(at: loop.now)
  }
}
