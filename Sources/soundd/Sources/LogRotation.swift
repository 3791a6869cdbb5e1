import SoundTrigger

/// A file whose lines are read, and how far it was read.
final class Tail {
  let identity: FileIdentity
  /// `nil` if it is closed. It may come back, so its position is kept.
  var file: FileReading?
  var position = TailPosition()
  var reader = LineReader()
  /// When to stop reading it; `nil` while the path names it.
  fileprivate(set) var end: Instant?

  init(_ file: consuming FileReading?, _ identity: FileIdentity) {
    self.file = consume file
    self.identity = identity
  }
}

/// The files to read lines from when a path names another file than before.
///
/// A rotated file may still be written, because its writers have it open. So soundd keeps reading it for `linger`, each
/// time before the new file.
struct LogRotation {
  /// How long a file is read after the path no longer names it.
  static let linger = Duration.seconds(5)
  /// How often such a file is read, because inotify does not report it.
  static let interval = Duration.seconds(1)
  /// How many leaving files there may be. If files are rotated faster, the oldest is closed early, but not before it was
  /// read to its end.
  static let leavingLimit = 8

  /// The leaving files, the oldest first, and then the one that the path names or named last.
  private(set) var tails: [Tail] = []

  /// The path names this file, or nothing that can be read. Returns whether to open it, and then to call `opened`.
  mutating func found(_ identity: FileIdentity?, at now: Instant) -> Bool {
    guard let identity else {
      leaveCurrent(at: now)
      return false
    }
    guard let tail = tails.first(where: { $0.identity == identity }) else {
      return tails.count <= Self.leavingLimit + 1
    }
    makeCurrent(tail, at: now)
    return tail.file == nil
  }

  /// The file that the path names was opened.
  mutating func opened(_ tail: Tail, at now: Instant) {
    guard let known = tails.first(where: { $0.identity == tail.identity }) else {
      return makeCurrent(tail, at: now)
    }
    swap(&known.file, &tail.file)
    makeCurrent(known, at: now)
  }

  /// All files were read to their ends: closes those whose time is over.
  mutating func readToEnd(at now: Instant) {
    func isOver(_ tail: Tail) -> Bool { tail.end.map { $0 <= now } ?? false }
    while tails.count > 1, isOver(tails[0]) || tails.count > Self.leavingLimit + 1 { tails.removeFirst() }
    if let current = tails.last, isOver(current) { current.file = nil }
  }

  /// When to check the path and read again if no event comes before.
  func nextCheck(after now: Instant) -> Instant? {
    guard let current = tails.last, tails.count > 1 || (current.end != nil && current.file != nil) else { return nil }
    return now.advanced(by: Self.interval)
  }

  private mutating func makeCurrent(_ tail: Tail, at now: Instant) {
    tails.removeAll { $0 === tail }
    leaveCurrent(at: now)
    tail.end = nil
    tails.append(tail)
  }

  private func leaveCurrent(at now: Instant) {
    if let current = tails.last, current.end == nil { current.end = now.advanced(by: Self.linger) }
  }
}
