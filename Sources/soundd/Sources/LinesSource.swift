import Glibc
import SoundTrigger

/// The lines that are appended to a file, as `tail -F` tells them, and before them the last one that is there already.
///
/// What was written while nobody listened is no news: of a file that is there at the beginning, only its last complete
/// line is told. Afterwards all complete lines are told in order, from rotated and truncated files as well (`LogRotation`,
/// `TailPosition`), and of files that appear later from their beginning.
final class LinesSource: ValueFeeder {
  /// A file, and how far it was read.
  private final class Tail {
    /// `nil`: it is closed, and may come back.
    var file: FileReading?
    var position = TailPosition()
    var reader = LineReader()

    init(_ file: consuming FileReading) { self.file = consume file }
  }

  /// How much is read before others get their turn, and before it is looked whether the file is still the same: one that
  /// comes and goes within a slice is missed.
  private static let slice = 16_384

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any LineReceiver
  private var watch: PathWatch?
  private var rotation = LogRotation()
  /// Those that are leaving, and the current one last.
  private var tails: [Tail] = []
  /// Whether it is known what was there before.
  private var hasBegun = false
  /// Why the file cannot be read, as far as it is known in this turn.
  private var problem: String?
  private var sliceTimer: EventLoop.Timer?
  private var rotationTimer: EventLoop.Timer?
  private var isStopped = false

  /// Prepares to read `path`; `poll` looks on a timer instead of watching. `receiver` has to outlive it.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any LineReceiver) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, .content, poll: poll, watcher: watcher, on: loop) { [unowned self] _ in look() }
    sliceTimer = EventLoop.Timer { [unowned self] in readOn() }
    rotationTimer = EventLoop.Timer { [unowned self] in look() }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    look()
  }

  func stop() {
    isStopped = true
    watch?.stop()
    for timer in [sliceTimer, rotationTimer] { if let timer { loop.cancel(timer) } }
    tails = []
  }

  // MARK: Which files

  private func look() {
    // What is read in slices looks before each of them.
    if isStopped || sliceTimer?.isScheduled == true { return }
    readOn()
  }

  private func readOn() {
    problem = nil
    follow()
    let isAtEnd = isStopped || !hasBegun || readTails()
    if isStopped { return }
    watch?.report(problem, to: receiver)
    if !hasBegun { return }
    if !isAtEnd {
      if let sliceTimer { loop.schedule(sliceTimer, at: loop.now) }
      return
    }
    let farewell = rotation.readToEnd(at: loop.now)
    tails.removeFirst(farewell.gone)
    if farewell.closesCurrent { tails.last?.file = nil }
    if let rotationTimer, let next = rotation.nextLook(after: loop.now) { loop.schedule(rotationTimer, at: next) }
  }

  /// Finds out what the path names, and opens it if it is another file.
  private func follow() {
    do throws(FileReading.Problem) {
      let identity = try FileReading.identity(path)
      switch rotation.found(.file(identity), at: loop.now) {
      case .none: break
      case .goBack(let place):
        tails.append(tails.remove(at: place))
        // It was closed when its time was over.
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
    // Emptied since its length was asked for: whatever is in it is new.
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
    // A line that is under way waits for its end.
    tail.reader.feed(bytes.extracting(rest)) { _, _ in true }
  }

  /// Reads a slice; returns whether all files have been read to their ends.
  private func readTails() -> Bool {
    guard let current = tails.last else { return true }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.slice + TailPosition.markLength)
    defer { buffer.deallocate() }
    if tails.count == 1 { return take(fetch(current, buffer), of: current, in: buffer) }
    // Before the others, but told after them: who writes to the new file has done with the old one.
    let count = fetch(current, buffer)
    let other = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.slice + TailPosition.markLength)
    defer { other.deallocate() }
    for tail in tails.dropLast() where !take(fetch(tail, other), of: tail, in: other) || isStopped {
      return false
    }
    return take(count, of: current, in: buffer)
  }

  /// Reads what comes next, and before it what was read last; `nil`: the file cannot be read.
  private func fetch(_ tail: Tail, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    do throws(FileReading.Problem) {
      return try tail.file?.read(at: tail.position.readOffset, into: buffer, path: path)
    } catch {
      if case .unusable(let text) = error { problem = text }
      return nil
    }
  }

  /// Hands out the lines that end in what was read; returns whether that was all.
  private func take(_ count: Int?, of tail: Tail, in buffer: UnsafeMutableBufferPointer<UInt8>) -> Bool {
    guard let count else { return true }
    let bytes = UnsafeBufferPointer(rebasing: buffer[..<count]).span
    guard let new = tail.position.take(bytes) else {
      // Truncated or written anew: what is there is news from its beginning.
      tail.reader = LineReader()
      return take(fetch(tail, buffer), of: tail, in: buffer)
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
  /// stat: which file a path names; it must be one that can be read like a file.
  fileprivate static func identity(_ path: String) throws(Problem) -> FileIdentity {
    var status = stat()
    if stat(path, &status) < 0 { throw problem(path, errno) }
    try check(path, status)
    return FileIdentity(status)
  }
}
