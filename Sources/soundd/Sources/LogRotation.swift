import SoundTrigger

/// Decides which files to read lines from when a path names another one than before.
///
/// A file that was rotated away may still be written: until its writers open the new one, their lines go to the old. So
/// it is read on for `linger`, each time before the new one. The files are known by their order: those that are leaving,
/// the oldest first, and then the current one.
struct LogRotation {
  /// How long a file is read that the path does not name any more.
  static let linger = Duration.seconds(5)
  /// How often such a file is looked at, of which inotify does not tell.
  static let interval = Duration.seconds(1)
  /// How many files there may be beside the current one. Where files are rotated faster than that, the oldest is given up
  /// before its time, but not before it was read to its end.
  static let leavingLimit = 8

  /// What a path names.
  enum Found: Equatable {
    case file(FileIdentity)
    /// Nothing, or nothing that can be read.
    case nothing
  }

  /// What to do before the files are read.
  enum Action: Equatable {
    case none
    /// Open what the path names, and then call `opened`.
    case open
    /// The leaving file at this place is the current one again, and the current one is leaving, as the youngest.
    case goBack(to: Int)
  }

  /// What to do after all files were read to their ends.
  struct Farewell: Equatable {
    /// How many of the leaving files are gone, the oldest ones.
    var gone = 0
    /// Whether the current file is to be closed. It may come back, so it is to be remembered how far it was read.
    var closesCurrent = false
  }

  private struct Leaving {
    var file: FileIdentity
    var end: Instant
  }

  private var leaving: [Leaving] = []
  /// The file that is read, or was when there was one.
  private var current: FileIdentity?
  /// Until when the current one is read, since the path names nothing.
  private var currentEnd: Instant?
  private var isClosed = false

  /// When to look again if nothing happens before.
  func nextLook(after now: Instant) -> Instant? {
    leaving.isEmpty && (currentEnd == nil || isClosed) ? nil : now.advanced(by: Self.interval)
  }

  /// The path was looked at.
  mutating func found(_ found: Found, at now: Instant) -> Action {
    guard case .file(let file) = found else {
      if current != nil, currentEnd == nil { currentEnd = now.advanced(by: Self.linger) }
      return .none
    }
    if file == current {
      currentEnd = nil
      return isClosed ? .open : .none
    }
    if let place = leaving.firstIndex(where: { $0.file == file }) {
      leaving.remove(at: place)
      leaveCurrent(at: now)
      current = file
      return .goBack(to: place)
    }
    return leaving.count <= Self.leavingLimit ? .open : .none
  }

  /// The file that the path names was opened; returns whether it is the current one, which had been closed.
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
  mutating func readToEnd(at now: Instant) -> Farewell {
    var farewell = Farewell()
    while let oldest = leaving.first, oldest.end <= now || leaving.count > Self.leavingLimit {
      leaving.removeFirst()
      farewell.gone += 1
    }
    if let currentEnd, currentEnd <= now, !isClosed {
      isClosed = true
      farewell.closesCurrent = true
    }
    return farewell
  }

  private mutating func leaveCurrent(at now: Instant) {
    if let current { leaving.append(Leaving(file: current, end: currentEnd ?? now.advanced(by: Self.linger))) }
    currentEnd = nil
    isClosed = false
  }
}
