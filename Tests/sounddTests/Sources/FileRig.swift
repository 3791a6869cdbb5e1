import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Records what it receives.
final class RecordingReceiver: ContentReceiver {
  var contents: [String] = []
  var problems: [String?] = []
  var long: [UInt8] = []
  var longLengths: [Int] = []
  var largestChunk = 0

  /// How many of the contents came from a file without a write in between.
  var repetitions = 0
  /// How often something that is only watched has changed.
  var changes = 0
  /// How often nothing was found before the first content.
  var nothings = 0

  func foundNothing() { if contents.isEmpty { nothings += 1 } }
  func receive(content: Span<UInt8>, isAgain: Bool) {
    if isAgain { repetitions += 1 }
    contents.append(content.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
  }
  func beginLongContent(isAgain: Bool) { long = [] }
  func receive(chunk: Span<UInt8>) {
    largestChunk = max(largestChunk, chunk.count)
    chunk.withUnsafeBufferPointer { long.append(contentsOf: $0) }
  }
  func endLongContent() { longLengths.append(long.count) }
  func fileProblem(_ text: String?) { problems.append(text) }
  func changed(isBeingWritten: Bool) { changes += 1 }
  func linesBegin(after line: Span<UInt8>?) { Issue.record("a file has no lines") }
  func skippedLine() { Issue.record("a file has no lines") }
  func remark(_ text: String) { Issue.record("\(text)") }
}

/// A loop, a watcher and a folder for files.
final class FileRig {
  let loop: EventLoop
  let watcher: FolderWatcher
  let folder: TemporaryFolder
  let receiver = RecordingReceiver()

  init() throws {
    loop = try EventLoop()
    watcher = FolderWatcher(on: loop)
    folder = TemporaryFolder()
  }

  func source(_ name: String, poll: Duration? = nil, emptiness: Emptiness = Emptiness()) -> FileSource {
    let source = FileSource(path: folder(name), poll: poll, watcher: watcher, on: loop, receiver: receiver)
    source.emptiness = emptiness
    source.start()
    return source
  }

  /// open, write, close: as `echo > FILE` does.
  func write(_ text: String, _ name: String) {
    let fd = open(folder(name), O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count)
    close(fd)
  }

  func stamp(_ name: String) -> FileStamp {
    var status = stat()
    #expect(stat(folder(name), &status) == 0)
    return FileStamp(status)
  }

  /// As a careful writer does.
  func replace(_ text: String, _ name: String) {
    write(text, name + ".new")
    move(name + ".new", name)
  }

  func move(_ old: String, _ new: String) { #expect(rename(folder(old), folder(new)) == 0) }
  func make(_ name: String) { #expect(mkdir(folder(name), 0o700) == 0) }
  func link(_ target: String, _ name: String) { #expect(symlink(target, folder(name)) == 0) }
  func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: folder(name)) }

  /// Turns until the last content is this one.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try loop.turn(until: { receiver.contents.last == text }, sourceLocation: sourceLocation)
  }
}
