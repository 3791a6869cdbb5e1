import Logging
import SoundTrigger

/// Carries what a file, folder or pipe tells to its value.
final class FileFeed: LineReceiver {
  private unowned let daemon: Daemon
  private let value: ValueID
  private let declaration: ValueDeclaration
  private var long: ContentAccumulator?
  private var lastRefusal: ValueRefusal?
  private var lastEvent: [UInt8]?
  private var hasSkippedLine = false
  /// What this receives from; kept here so that both go together.
  var source: (any ValueFeeder)?

  init(daemon: Daemon, value: ValueID, declaration: ValueDeclaration) {
    self.daemon = daemon
    self.value = value
    self.declaration = declaration
  }

  var name: ValueName { declaration.name }

  func receive(content: Span<UInt8>) {
    hasSkippedLine = false
    // A poll reads whether or not anything was written: without this, every one would be an arrival.
    if declaration.kind == .event, declaration.repeatsItself {
      let bytes = content.withUnsafeBufferPointer { Array($0) }
      if bytes == lastEvent { return }
      lastEvent = bytes
    }
    report(daemon.pipeline.update(value, content: content, at: daemon.loop.now))
  }

  func beginLongContent() { long = daemon.pipeline.store.makeAccumulator(for: value) }

  func receive(chunk: Span<UInt8>) { long?.append(chunk) }

  func endLongContent() {
    guard let long else { return }
    report(daemon.pipeline.update(value, content: long, at: daemon.loop.now))
    self.long = nil
  }

  func linesBegin(after line: Span<UInt8>?) {
    let store = daemon.pipeline.store
    // Another source of the same lines has told it, before a reload: as an event it would come twice.
    let isKnown = declaration.kind == .event && store.value(of: value) != nil
    if let line, !isKnown { receive(content: line) }
    store.expectNews(value)
  }

  func skippedLine() {
    if !hasSkippedLine {
      daemon.log.warning(
        "value '\(declaration.name)': a line of more than \(LineReader.limit) bytes was skipped; the old one stays")
    }
    hasSkippedLine = true
  }

  func remark(_ text: String) { daemon.log.info("value '\(declaration.name)': \(text)") }

  func fileProblem(_ text: String?) {
    if let text { daemon.log.error("value '\(declaration.name)': \(text)") }
  }

  /// Says it once, and again when the reason changes: a file may be read many times a second.
  private func report(_ refusal: ValueRefusal?) {
    if let refusal, !refusal.hasSameReason(as: lastRefusal) {
      daemon.log.warning("value '\(declaration.name)': \(refusal); the old one stays")
    }
    lastRefusal = refusal
  }
}
