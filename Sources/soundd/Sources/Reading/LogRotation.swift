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
/// time before the new file, or until the next rotation.
struct LogRotation {
  /// How long a file is read after the path no longer names it.
  static let linger = Duration.seconds(5)
  /// How often such a file is read, because inotify does not report it.
  static let interval = Duration.seconds(1)

  /// The file that the path names, or named last.
  private(set) var current: Tail?
  /// The one that it named before.
  private(set) var previous: Tail?

  /// The path names this file, or nothing that can be read. Returns whether to open it, and then to call `opened`.
  mutating func found(_ identity: FileIdentity?, at now: Instant) -> Bool {
    if identity == nil || identity != current?.identity { current?.end = current?.end ?? now.advanced(by: Self.linger) }
    guard let identity else { return false }
    if identity == previous?.identity { swap(&current, &previous) }
    guard let current, current.identity == identity else { return true }
    current.end = nil
    return current.file == nil
  }

  /// The file that the path names was opened. The previous one was read to its end, if this is another one than the current.
  mutating func opened(_ tail: Tail) {
    if let current, current.identity == tail.identity { return swap(&current.file, &tail.file) }
    (previous, current) = (current, tail)
  }

  /// Both files were read to their ends: closes those whose time is over.
  mutating func readToEnd(at now: Instant) {
    func isOver(_ tail: Tail?) -> Bool { tail?.end.map { $0 <= now } ?? false }
    if isOver(previous) { previous = nil }
    if isOver(current) { current?.file = nil }
  }

  /// When to check the path and read again if no event comes before.
  func nextCheck(after now: Instant) -> Instant? {
    let isLeaving = current.map { $0.end != nil && $0.file != nil } ?? false
    return previous != nil || isLeaving ? now.advanced(by: Self.interval) : nil
  }
}
