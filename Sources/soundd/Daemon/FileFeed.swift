import Logging
import SoundTrigger

/// Carries a file's content to its value.
final class FileFeed: ContentReceiver {
  private unowned let daemon: Daemon
  private let value: ValueID
  private let declaration: ValueDeclaration
  private var long: ContentAccumulator?
  private var lastRefusal: ValueRefusal?
  private var lastEvent: [UInt8]?
  /// What this receives from; kept here so that both go together.
  var source: FileSource?

  init(daemon: Daemon, value: ValueID, declaration: ValueDeclaration) {
    self.daemon = daemon
    self.value = value
    self.declaration = declaration
  }

  var name: ValueName { declaration.name }

  func receive(content: Span<UInt8>) {
    // A poll reads whether or not anything was written: without this, every one would be an arrival.
    if declaration.kind == .event, declaration.isPolled {
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
