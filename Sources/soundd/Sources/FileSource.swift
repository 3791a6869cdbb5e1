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
  /// How much of a long file is read in one turn of the event loop.
  private static let slice = 1 << 20

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any ContentReceiver
  private(set) var watch: PathWatch?
  private(set) var emptiness: Emptiness
  /// Whether the path was read before, or found missing.
  private var hasRead = false
  /// The state in which the file was read last; `nil` if it was missing or could not be read then.
  private var lastStamp: FileStamp?
  /// The state whose content was passed on last.
  private var receivedStamp: FileStamp?
  /// A long file that is being read.
  private var reading: FileReading?
  /// The file has changed since that reading began: it is read again afterwards.
  private var isOutdated = false
  private var sliceTimer: EventLoop.Timer?
  private var isStopped = false

  /// Prepares to read `path`; for `poll` see `PathWatch`. `receiver` has to outlive the source.
  init(
    path: String, poll: Duration? = nil, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver,
    emptiness: Emptiness = Emptiness()
  ) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    self.emptiness = emptiness
    watch = PathWatch(path, .content, poll: poll, watcher: watcher, on: loop) { [unowned self] onlyIfOther in
      if !onlyIfOther || isOther { read() }
    }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    read()
  }

  func stop() {
    isStopped = true
    watch?.stop()
    if let sliceTimer { loop.cancel(sliceTimer) }
    reading = nil
  }

  /// Whether the path names another file than the one that was read last, or that one in another state.
  private var isOther: Bool {
    var status = stat()
    if stat(path, &status) < 0 { return false }
    let stamp = FileStamp(status)
    if stamp.identity != lastStamp?.identity { return true }
    // A file that is being written is read when its writer pauses.
    return stamp != lastStamp && watch?.isSettling == false && watch?.isBeingWritten == false
  }

  // MARK: Reading

  private func read() {
    if isStopped { return }
    if reading != nil {
      isOutdated = true
      return
    }
    do throws(FileReading.Problem) {
      try readBeginning(FileReading(path: path))
    } catch {
      fail(error)
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
    let count = try file.read(into: buffer, path: path)
    watch?.report(nil, to: receiver)
    if count > 0 { emptiness.end() } else if isEmptyForNow(stamp) { return }
    hasRead = true
    let content = UnsafeBufferPointer(rebasing: buffer[..<count])
    if count <= Self.shortLimit {
      receivedStamp = stamp
      receiver.receive(content: content.span, isAgain: isAgain)
      return
    }
    reading = consume file
    isOutdated = false
    receiver.beginLongContent(isAgain: isAgain)
    receiver.receive(chunk: content.span)
    if !isStopped { readSlice() }
  }

  /// Whether the file, which was just read and holds nothing, may be about to be filled; then it is read again later.
  private func isEmptyForNow(_ stamp: FileStamp?) -> Bool {
    // Before the first reading there is no content that a writer could have removed.
    guard hasRead, let watch,
      let time = emptiness.found(stamp, isBeingWritten: watch.isBeingWritten, at: loop.now)
    else { return false }
    watch.readAgain(at: time)
    return true
  }

  /// Reads a slice of a long file; the next one follows in the next turn.
  private func readSlice() {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.shortLimit)
    defer { buffer.deallocate() }
    var total = 0
    do throws(FileReading.Problem) {
      while total < Self.slice {
        // `nil` if the receiver has called `stop`.
        guard let count = try reading?.read(into: buffer, path: path) else { return }
        if count > 0 { receiver.receive(chunk: UnsafeBufferPointer(rebasing: buffer[..<count]).span) }
        if count < buffer.count { return endReading() }
        total += count
      }
    } catch {
      reading = nil
      fail(error)
      return readAgainIfOutdated()
    }
    let timer = sliceTimer ?? EventLoop.Timer { [unowned self] in readSlice() }
    sliceTimer = timer
    loop.schedule(timer, at: loop.now)
  }

  private func endReading() {
    if reading == nil { return }
    reading = nil
    receivedStamp = lastStamp
    receiver.endLongContent()
    readAgainIfOutdated()
  }

  private func readAgainIfOutdated() {
    if !isOutdated { return }
    isOutdated = false
    read()
  }

  private func fail(_ problem: FileReading.Problem) {
    // A file that comes back may be another one with the same number, or may have been written to elsewhere.
    lastStamp = nil
    switch problem {
    case .missing:
      hasRead = true
      watch?.report(nil, to: receiver)
      receiver.foundNothing()
    case .unusable(let text): watch?.report(text, to: receiver)
    }
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
  private var since: Instant?

  init() {}

  /// Whether the file was empty at the last reading.
  var isPossible: Bool { since != nil }

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
