import Glibc
import SoundTrigger

/// Feeds the lines that are appended to a file, as `tail -F` prints them.
///
/// Lines from before the start are no news: of a file that exists at the start, only the last complete line is passed on.
/// Afterwards all complete lines are, in their order: from rotated and truncated files as well (`LogRotation`,
/// `TailPosition`), and from a file that appears later beginning with its first line.
final class LinesSource: ValueFeeder {
  /// How much is read in one turn of its thread's loop, and before the path is checked for another file: a file that comes and
  /// goes while a slice is read is missed.
  private static let slice = 16_384

  private var rotation = LogRotation()
  /// Whether the receiver knows what was there before.
  private var hasBegun = false
  /// Why the file cannot be read, as far as this turn has found out.
  private var problem: String?

  override class var subject: PathWatch.Subject { .lines }

  override func stop() {
    super.stop()
    rotation = LogRotation()
  }

  // MARK: Which files

  override func read(onlyIfOther: Bool) { continueReading() }

  /// Checks the path and reads a slice.
  override func continueReading() {
    problem = nil
    checkPath()
    isReading = !isStopped && hasBegun && !readTails()
    if isStopped { return }
    report(problem)
    if isReading { return schedule() }
    rotation.readToEnd(at: loop.now)
    if let next = rotation.nextCheck(after: loop.now) { schedule(at: next) }
    endReading()
  }

  /// Finds out what the path names, and opens it if it is another file.
  private func checkPath() {
    do throws(FileReading.Problem) {
      let identity = FileIdentity(try FileReading.status(of: path))
      if rotation.found(identity, at: loop.now) { try open(identity) }
    } catch {
      _ = rotation.found(nil, at: loop.now)
      if case .unusable(let text) = error {
        problem = text
      } else if !hasBegun {
        begin(after: nil)
      }
    }
  }

  private func open(_ identity: FileIdentity) throws(FileReading.Problem) {
    let file = try FileReading(path: path, staysOpen: keepsFilesOpen)
    // If it is another file by now, that was an event, too.
    guard let stamp = file.stamp(), stamp.identity == identity else { return }
    let tail = Tail(file, identity)
    if !hasBegun {
      receiver.found(writtenAt: stamp.written)
      try readLastLine(tail, stamp.length)
    }
    // It makes room for the file that the path has just left.
    if rotation.current?.identity != identity, let previous = rotation.previous { readToEnd(previous) }
    if !isStopped { rotation.opened(tail) }
  }

  private func begin(after line: Span<UInt8>?) {
    hasBegun = true
    receiver.linesBegin(after: line)
  }

  // MARK: Lines

  /// Finds the last line of a file that is there at the beginning.
  private func readLastLine(_ tail: Tail, _ length: Int) throws(FileReading.Problem) {
    let start = max(0, length - TailPosition.windowLength)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: TailPosition.windowLength)
    defer { buffer.deallocate() }
    guard let count = try tail.file?.read(at: start, into: buffer, path: path) else { return }
    // It was emptied since its length was read: all its lines are new.
    if count < length - start { return begin(after: nil) }
    let bytes = UnsafeBufferPointer(rebasing: buffer[..<count]).span
    tail.position = TailPosition(endOf: bytes, at: start)
    // The first line may lack its beginning.
    let first = start == 0 ? 0 : LineReader.firstNewline(in: bytes, from: 0).map { $0 + 1 } ?? 0
    var last: [UInt8]?
    // An incomplete last line waits for its end.
    tail.reader.feed(bytes.extracting(first..<bytes.count)) { line, _ in
      if let line { last = line.withUnsafeBufferPointer { Array($0) } } else { last = nil }
      return true
    }
    if let last { begin(after: last.span) } else { begin(after: nil) }
  }

  /// Reads a slice of each file; returns whether both were read to their ends.
  private func readTails() -> Bool {
    guard let current = rotation.current else { return true }
    return withBuffer { buffer in
      guard let previous = rotation.previous else { return passOn(fetch(current, buffer), of: current, in: buffer) }
      // The new file is fetched first and passed on last, because a writer of the new file no longer writes to the old one.
      let count = fetch(current, buffer)
      let isAtEnd = withBuffer { passOn(fetch(previous, $0), of: previous, in: $0) }
      return isAtEnd && !isStopped && passOn(count, of: current, in: buffer)
    }
  }

  /// Reads what a file has now. A writer that still writes to it does not hold up the thread.
  private func readToEnd(_ tail: Tail) {
    let end = tail.file?.stamp()?.length ?? 0
    withBuffer { buffer in
      while !isStopped, tail.position.readOffset < end, !passOn(fetch(tail, buffer), of: tail, in: buffer) {
        watch.noteProgress()
      }
    }
  }

  private func withBuffer<Result>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.slice + TailPosition.markLength)
    defer { buffer.deallocate() }
    return body(buffer)
  }

  /// Reads the next bytes, and before them the mark of `TailPosition`; `nil` if the file cannot be read.
  private func fetch(_ tail: Tail, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    do throws(FileReading.Problem) {
      return try tail.file?.read(at: tail.position.readOffset, into: buffer, path: path)
    } catch {
      if case .unusable(let text) = error { problem = text }
      return nil
    }
  }

  /// Passes on the lines that end in the bytes that were read; returns whether the file was read to its end.
  private func passOn(_ count: Int?, of tail: Tail, in buffer: UnsafeMutableBufferPointer<UInt8>) -> Bool {
    guard let count else { return true }
    let bytes = UnsafeBufferPointer(rebasing: buffer[..<count]).span
    guard let new = tail.position.advance(over: bytes) else {
      // Truncated or written anew: all its lines are new.
      tail.reader = LineReader()
      return passOn(fetch(tail, buffer), of: tail, in: buffer)
    }
    let receiver = receiver
    tail.reader.feed(bytes.extracting(new)) { line, _ in
      receiver.receive(line: line)
      return !isStopped
    }
    return count < buffer.count
  }
}
