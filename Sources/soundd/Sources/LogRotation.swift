import SoundTrigger

/// Decides which files to read lines from when a path names another file than before.
///
/// A rotated file may still be written, because its writers have it open. So soundd keeps reading it for `linger`, each
/// time before the new file. The files are known by their order: the leaving ones, the oldest first, and then the current.
struct LogRotation {
  /// How long a file is read after the path no longer names it.
  static let linger = Duration.seconds(5)
  /// How often such a file is read, because inotify does not report it.
  static let interval = Duration.seconds(1)
  /// How many leaving files there may be. If files are rotated faster, the oldest is closed early, but not before it was
  /// read to its end.
  static let leavingLimit = 8

  /// What a path names.
  enum Found: Equatable {
    case file(FileIdentity)
    /// Nothing, or something that cannot be read.
    case nothing
  }

  /// What to do before the files are read.
  enum Action: Equatable {
    case none
    /// Open what the path names, and then call `opened`.
    case open
    /// The leaving file with this index is the current one again, and the current one is leaving, as the youngest.
    case goBack(to: Int)
  }

  /// The files whose time is over.
  struct Expired: Equatable {
    /// How many of the leaving files, the oldest ones.
    var leaving = 0
    /// Whether to close the current file. It may come back, so its position is kept.
    var closesCurrent = false
  }

  private struct Leaving {
    var file: FileIdentity
    var end: Instant
  }

  private var leaving: [Leaving] = []
  /// The file that the path names, or named last.
  private var current: FileIdentity?
  /// When to close the current file; `nil` while the path names it.
  private var currentEnd: Instant?
  private var isClosed = false

  /// When to check the path and read again if no event comes before.
  func nextCheck(after now: Instant) -> Instant? {
    leaving.isEmpty && (currentEnd == nil || isClosed) ? nil : now.advanced(by: Self.interval)
  }

  /// The path was checked.
  mutating func found(_ found: Found, at now: Instant) -> Action {
    guard case .file(let file) = found else {
      if current != nil, currentEnd == nil { currentEnd = now.advanced(by: Self.linger) }
      return .none
    }
    if file == current {
      currentEnd = nil
      return isClosed ? .open : .none
    }
    if let index = leaving.firstIndex(where: { $0.file == file }) {
      leaving.remove(at: index)
      leaveCurrent(at: now)
      current = file
      return .goBack(to: index)
    }
    return leaving.count <= Self.leavingLimit ? .open : .none
  }

  /// The file that the path names was opened; returns whether it is the current one, which was closed before.
  mutating func opened(_ file: FileIdentity, at now: Instant) -> Bool {
    defer {
      current = file
      currentEnd = nil
      isClosed = false
    }
    if file == current { return true }
    leaveCurrent(at: now)
    return false
  }

  /// All files were read to their ends.
  mutating func readToEnd(at now: Instant) -> Expired {
    var expired = Expired()
    while let oldest = leaving.first, oldest.end <= now || leaving.count > Self.leavingLimit {
      leaving.removeFirst()
      expired.leaving += 1
    }
    if let currentEnd, currentEnd <= now, !isClosed {
      isClosed = true
      expired.closesCurrent = true
    }
    return expired
  }

  private mutating func leaveCurrent(at now: Instant) {
    if let current { leaving.append(Leaving(file: current, end: currentEnd ?? now.advanced(by: Self.linger))) }
    currentEnd = nil
    isClosed = false
  }
}
