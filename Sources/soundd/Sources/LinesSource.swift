import Glibc
import SoundTrigger

/// Feeds the lines that are appended to a file, as `tail -F` prints them.
///
/// Lines from before the start are no news: of a file that exists at the start, only the last complete line is passed on.
/// Afterwards all complete lines are, in their order: from rotated and truncated files as well (`LogRotation`,
/// `TailPosition`), and from a file that appears later beginning with its first line.
final class LinesSource: ValueFeeder {
  /// A file and how far it was read.
  private final class Tail {
    /// `nil` if it is closed; it may come back.
    var file: FileReading?
    var position = TailPosition()
    var reader = LineReader()

    init(_ file: consuming FileReading) { self.file = consume file }
  }

  /// How much is read in one turn of the event loop, and before the path is checked for another file: a file that comes and
  /// goes while a slice is read is missed.
  private static let slice = 16_384

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any LineReceiver
  private var watch: PathWatch?
  private var rotation = LogRotation()
  /// The leaving files, and the current one last.
  private var tails: [Tail] = []
  /// Whether the receiver knows what was there before.
  private var hasBegun = false
  /// Why the file cannot be read, as far as this turn has found out.
  private var problem: String?
  private var sliceTimer: EventLoop.Timer?
  private var rotationTimer: EventLoop.Timer?
  private var isStopped = false

  /// Prepares to read `path`; for `poll` see `PathWatch`. `receiver` has to outlive the source.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any LineReceiver) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, .lines, poll: poll, watcher: watcher, on: loop) { [unowned self] _ in readUnlessBusy() }
    sliceTimer = EventLoop.Timer { [unowned self] in read() }
    rotationTimer = EventLoop.Timer { [unowned self] in readUnlessBusy() }
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
    for timer in [sliceTimer, rotationTimer] { if let timer { loop.cancel(timer) } }
    tails = []
  }

  // MARK: Which files

  private func readUnlessBusy() {
    // The next slice checks the path as well.
    if isStopped || sliceTimer?.isScheduled == true { return }
    read()
  }

  /// Checks the path and reads a slice.
  private func read() {
    problem = nil
    checkPath()
    let isAtEnd = isStopped || !hasBegun || readTails()
    if isStopped { return }
    watch?.report(problem, to: receiver)
    if !hasBegun { return }
    if !isAtEnd {
      if let sliceTimer { loop.schedule(sliceTimer, at: loop.now) }
      return
    }
    let expired = rotation.readToEnd(at: loop.now)
    tails.removeFirst(expired.leaving)
    if expired.closesCurrent { tails.last?.file = nil }
    if let rotationTimer, let next = rotation.nextCheck(after: loop.now) { loop.schedule(rotationTimer, at: next) }
  }

  /// Finds out what the path names, and opens it if it is another file.
  private func checkPath() {
    do throws(FileReading.Problem) {
      let identity = try FileReading.identity(path)
      switch rotation.found(.file(identity), at: loop.now) {
      case .none: break
      case .goBack(let index):
        tails.append(tails.remove(at: index))
        // It may have been closed.
        if let tail = tails.last, tail.file?.stamp() == nil { tail.file = try FileReading(path: path) }
      case .open: try open()
      }
    } catch {
      _ = rotation.found(.nothing, at: loop.now)
      if case .unusable(let text) = error {
        problem = text
      } else if !hasBegun {
        begin(after: nil)
      }
    }
  }

  private func open() throws(FileReading.Problem) {
    let file = try FileReading(path: path)
    guard let stamp = file.stamp() else { return }
    let tail = Tail(file)
    if !hasBegun { try readLastLine(tail, stamp.length) }
    if isStopped { return }
    if rotation.opened(stamp.identity, at: loop.now), let current = tails.last {
      swap(&current.file, &tail.file)
    } else {
      tails.append(tail)
    }
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
    let (line, rest) = TailPosition.lastLine(of: bytes, isWhole: start == 0)
    if let line {
      var reader = LineReader()
      reader.feed(bytes.extracting(line)) { line, _ in
        begin(after: line)
        return true
      }
    } else {
      begin(after: nil)
    }
    // An incomplete line waits for its end.
    tail.reader.feed(bytes.extracting(rest)) { _, _ in true }
  }

  /// Reads a slice of each file; returns whether all files were read to their ends.
  private func readTails() -> Bool {
    guard let current = tails.last else { return true }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.slice + TailPosition.markLength)
    defer { buffer.deallocate() }
    if tails.count == 1 { return passOn(fetch(current, buffer), of: current, in: buffer) }
    // The new file is fetched first and passed on last, because a writer of the new file no longer writes to the old ones.
    let count = fetch(current, buffer)
    let other = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.slice + TailPosition.markLength)
    defer { other.deallocate() }
    for tail in tails.dropLast() where !passOn(fetch(tail, other), of: tail, in: other) || isStopped {
      return false
    }
    return passOn(count, of: current, in: buffer)
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

extension FileReading {
  /// Which file a path names (stat). It must be a regular one.
  fileprivate static func identity(_ path: String) throws(Problem) -> FileIdentity {
    var status = stat()
    if stat(path, &status) < 0 { throw problem(path, errno) }
    try check(path, status)
    return FileIdentity(status)
  }
}
