import Logging
import SoundTrigger

/// Carries what a file, folder or pipe tells to its value.
final class FileFeed: LineReceiver {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  private let value: ValueID
  var declaration: ValueDeclaration
  private var long: (content: ContentAccumulator, isAgain: Bool)?
  private var lastRefusal: ValueRefusal?
  private var lastEvent: Value?
  private var hasSkippedLine = false
  private var lastComplaint: Instant?
  /// What this receives from; kept here so that both go together.
  var source: (any ValueFeeder)?

  init(_ pipeline: Pipeline, _ value: ValueID, _ declaration: ValueDeclaration, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    self.value = value
    self.declaration = declaration
  }

  var name: ValueName { declaration.name }

  func receive(content: Span<UInt8>, isAgain: Bool) {
    if hasArrived(.text(ByteString(content)), isAgain: isAgain) { receive(content: content) }
  }

  /// Whether a content is to be told.
  ///
  /// A poll reads whether or not anything was written, and one reading may have met what two events tell of: what is there
  /// once more has not arrived once more.
  private func hasArrived(_ content: @autoclosure () -> Value, isAgain: Bool) -> Bool {
    if declaration.kind != .event { return true }
    let content = content()
    defer { lastEvent = content }
    return content != lastEvent || !(isAgain || declaration.isPolled)
  }

  func receive(content: Span<UInt8>) {
    hasSkippedLine = false
    report(pipeline.update(value, content: content, at: loop.now))
  }

  func beginLongContent(isAgain: Bool) { long = (pipeline.store.makeAccumulator(for: value), isAgain) }

  func receive(chunk: Span<UInt8>) { long?.content.append(chunk) }

  func endLongContent() {
    guard let (content, isAgain) = long else { return }
    long = nil
    if hasArrived(content.value, isAgain: isAgain) { report(pipeline.update(value, content: content, at: loop.now)) }
  }

  func linesBegin(after line: Span<UInt8>?) {
    // Another source of the same lines has told it, before a reload: as an event it would come twice.
    let isKnown = declaration.kind == .event && pipeline.store.value(of: value) != nil
    if let line, !isKnown { receive(content: line) }
    pipeline.store.expectNews(value)
  }

  func skippedLine() {
    if !hasSkippedLine, mayComplain() {
      log.warning(
        "value '\(declaration.name)': a line of more than \(LineReader.limit) bytes was skipped; the old one stays")
    }
    hasSkippedLine = true
  }

  func remark(_ text: String) { log.info("value '\(declaration.name)': \(text)") }

  func fileProblem(_ text: String?) {
    if let text { log.error("value '\(declaration.name)': \(text)") }
  }

  /// Says it once, and again when the reason changes: a file may be read many times a second.
  private func report(_ refusal: ValueRefusal?) {
    guard let refusal else {
      if lastRefusal != nil { lastRefusal = nil }
      return
    }
    if refusal.hasSameReason(as: lastRefusal) || !mayComplain() { return }
    log.warning("value '\(declaration.name)': \(refusal); the old one stays")
    lastRefusal = refusal
  }

  /// Of lines there may be millions a second, good ones and bad ones in turn: one complaint a second is enough.
  private func mayComplain() -> Bool {
    guard case .file(_, _, let aspect) = declaration.source, aspect == .lines || aspect == .fifo else { return true }
    if let lastComplaint, lastComplaint.duration(to: loop.now) < .seconds(1) { return false }
    lastComplaint = loop.now
    return true
  }
}
