import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Records the lines and numbers that it receives.
final class LineRecorder: ContentReceiver {
  /// What was received; a line that was too long is `nil`.
  var lines: [String?] = []
  /// What was there at the beginning; a beginning without a line is `nil`.
  var beginnings: [String?] = []
  var problems: [String?] = []
  var remarks: [String] = []
  /// Called with each line.
  var onLine: (() -> Void)?

  /// How often nothing was found.
  var nothings = 0

  func foundNothing() { nothings += 1 }
  func receive(content: Span<UInt8>, isAgain: Bool) {
    lines.append(Self.text(content))
    onLine?()
  }
  func linesBegin(after line: Span<UInt8>?) {
    if let line { beginnings.append(Self.text(line)) } else { beginnings.append(nil) }
  }
  func skippedLine() { lines.append(nil) }
  func remark(_ text: String) { remarks.append(text) }
  func fileProblem(_ text: String?) { problems.append(text) }

  func beginLongContent(isAgain: Bool) { Issue.record("a line is short") }
  func receive(chunk: Span<UInt8>) {}
  func endLongContent() {}

  private static func text(_ bytes: Span<UInt8>) -> String {
    bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

extension FileRig {
  func lines(_ name: String, poll: Duration? = nil, to recorder: LineRecorder) -> LinesSource {
    let source = LinesSource(path: folder(name), poll: poll, watcher: watcher, on: loop, receiver: recorder)
    source.start()
    return source
  }

  func count(_ name: String, poll: Duration? = nil, to recorder: LineRecorder) -> CountSource {
    let source = CountSource(path: folder(name), poll: poll, watcher: watcher, on: loop, receiver: recorder)
    source.start()
    return source
  }

  func exists(_ name: String, poll: Duration? = nil, to recorder: LineRecorder) -> ExistsSource {
    let source = ExistsSource(path: folder(name), poll: poll, watcher: watcher, on: loop, receiver: recorder)
    source.start()
    return source
  }

  func fifo(_ name: String, to recorder: LineRecorder) -> FifoSource {
    let source = FifoSource(path: folder(name), watcher: watcher, on: loop, receiver: recorder)
    source.start()
    return source
  }

  /// As `echo >> FILE` does.
  func append(_ text: String, _ name: String) {
    let fd = open(folder(name), O_CREAT | O_WRONLY | O_APPEND, 0o600)
    Self.put(text, fd)
    close(fd)
  }

  static func put(_ text: String, _ fd: Int32) { #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count) }

  /// Turns until these lines have come, in this order and no others.
  func expect(_ lines: [String?], of recorder: LineRecorder, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try loop.turn(until: { recorder.lines.count >= lines.count }, sourceLocation: sourceLocation)
    #expect(recorder.lines == lines, sourceLocation: sourceLocation)
  }
}
