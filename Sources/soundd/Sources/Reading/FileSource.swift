import Glibc
import SoundTrigger

/// Feeds the content of a file, read whenever it changes or on a timer.
///
/// The file and any folder on the way to it may be missing, appear, vanish, be replaced, or be symbolic links. After a file
/// vanishes its last content counts. Three kinds of changes need `poll`, because inotify does not report them: through a
/// memory map, through another hard link, and on another machine of a network file system.
final class FileSource: ValueFeeder {
  /// Content of up to this many bytes is passed on in one piece.
  static let shortLimit = 65_536
  /// How much of a long file is read in one turn of its thread's loop.
  private static let slice = 1 << 20

  var emptiness = Emptiness()
  /// Whether the path was read before, or found missing.
  private var hasRead = false
  /// The state in which the file was read last; `nil` if it was missing or could not be read then.
  private var lastStamp: FileStamp?
  /// The state whose content was passed on last.
  private var receivedStamp: FileStamp?
  /// A long file that is being read, and how far it was read.
  private var reading: FileReading?
  private var offset = 0

  override func stop() {
    super.stop()
    reading = nil
  }

  override func suspend() {
    super.suspend()
    reading = nil
  }

  /// Whether the path names another file than the one that was read last, or that one in another state.
  private var isOther: Bool {
    var status = stat()
    if stat(path, &status) < 0 { return false }
    let stamp = FileStamp(status)
    if stamp.identity != lastStamp?.identity { return true }
    // A file that is being written is read when its writer pauses.
    return stamp != lastStamp && !watch.awaitsReading && !watch.isBeingWritten
  }

  // MARK: Reading

  override func read(onlyIfOther: Bool) {
    if onlyIfOther && !isOther { return }
    do throws(FileReading.Problem) {
      try readBeginning(FileReading(path: path, staysOpen: keepsFilesOpen))
    } catch {
      failed(error)
    }
  }

  /// Reads the beginning and, if that is all, passes it on.
  private func readBeginning(_ file: consuming FileReading) throws(FileReading.Problem) {
    // One more byte than short content has shows whether there is more.
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit + 1)
    defer { buffer.deallocate() }
    // Before the content is read, because a write in between makes another state.
    let stamp = file.stamp()
    let isAgain = stamp != nil && stamp == receivedStamp
    lastStamp = stamp
    let count = try file.read(at: 0, into: buffer, path: path)
    report(nil)
    if count > 0 { emptiness.end() } else if isEmptyForNow(file, stamp) { return }
    if !hasRead, let stamp { receiver.found(writtenAt: stamp.written) }
    hasRead = true
    let content = UnsafeBufferPointer(rebasing: buffer[..<count])
    if count <= Self.shortLimit {
      receivedStamp = stamp
      receiver.receive(content: content.span, isAgain: isAgain)
      return
    }
    reading = consume file
    offset = count
    isReading = true
    receiver.beginLongContent(isAgain: isAgain)
    receiver.receive(chunk: content.span)
    if !isStopped { continueReading() }
  }

  /// Whether the file, which was just read and holds nothing, may be about to be filled; then it is read again later.
  private func isEmptyForNow(_ file: borrowing FileReading, _ stamp: FileStamp?) -> Bool {
    // Before the first reading there is no content that a writer could have removed. After truncate(2) nobody closes the file.
    guard hasRead,
      let time = emptiness.found(stamp, isBeingWritten: watch.isBeingWritten && file.mayHaveWriter, at: loop.now)
    else { return false }
    watch.readAgain(at: time)
    return true
  }

  /// Reads a slice of a long file; the next one follows in the next turn.
  override func continueReading() {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit)
    defer { buffer.deallocate() }
    let end = offset + Self.slice
    do throws(FileReading.Problem) {
      while offset < end {
        // `nil` if the receiver has called `stop`.
        guard let count = try reading?.read(at: offset, into: buffer, path: path) else { return }
        if count > 0 { receiver.receive(chunk: UnsafeBufferPointer(rebasing: buffer[..<count]).span) }
        if count < buffer.count { return endLongReading() }
        offset += count
      }
    } catch {
      reading = nil
      failed(error)
      return endReading()
    }
    schedule()
  }

  private func endLongReading() {
    if reading == nil { return }
    reading = nil
    receivedStamp = lastStamp
    receiver.endLongContent()
    endReading()
  }

  private func failed(_ problem: FileReading.Problem) {
    // A file that comes back may be another one with the same number, or may have been written to elsewhere.
    lastStamp = nil
    if problem == .missing { hasRead = true }
    fail(problem)
  }
}

/// Decides when to believe that a file is empty.
///
/// A shell empties a file before it writes into it, and its command may take a while. So a file counts as empty only if it
/// stays empty for some time.
struct Emptiness {
  /// How long a closed file must stay empty: longer than a busy machine delays a writer that has just opened it.
  var closedPatience = Duration.milliseconds(500)
  /// The same for a file that a writer may have open.
  var openPatience = Duration.seconds(10)
  private var stamp: FileStamp?
  /// When it was first found empty; `nil` if it was not empty at the last reading.
  private(set) var since: Instant?

  /// The file was read and is empty; returns when to read it again, `nil` if it counts as empty now.
  mutating func found(_ stamp: FileStamp?, isBeingWritten: Bool, at now: Instant) -> Instant? {
    // If the state is another one, the file may have been filled in between.
    let since = stamp == self.stamp ? self.since ?? now : now
    (self.stamp, self.since) = (stamp, since)
    let end = since.advanced(by: isBeingWritten ? openPatience : closedPatience)
    return end <= now ? nil : end
  }

  /// The file was read and is not empty.
  mutating func end() { since = nil }
}
