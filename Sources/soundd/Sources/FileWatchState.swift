import Glibc
import SoundTrigger

/// Decides what an inotify event means for one file: when to look where it is, and when to read it.
///
/// A closed or renamed file is read at once. One that is still being written is read after `quiet` without a further
/// write, at most `longest` after the first, so a writer that never rests is heard all the same.
///
/// A shell empties a file before it writes into it, however long that takes. So a file that is found empty while it is open
/// for writing, or was just closed, is not taken to be empty yet.
struct FileWatchState {
  static let quiet = Duration.milliseconds(50)
  static let longest = Duration.milliseconds(500)
  /// How long a file must be empty to be believed: longer than a busy machine keeps a writer from its first write, which
  /// matters where its opening was not seen.
  static let emptiness = Duration.milliseconds(500)

  /// What to do now.
  struct Action: OptionSet, Sendable {
    var rawValue: UInt8
    /// Follow the path anew and watch the folders it leads through.
    static let follow = Action(rawValue: 1)
    /// Read the file, if it is there.
    static let read = Action(rawValue: 2)
    /// Read it if it is another file than the one that was read last.
    static let readIfOther = Action(rawValue: 4)
    /// See what the path's last step is now; the way to it has not changed.
    static let lookAtEntry = Action(rawValue: 8)
  }

  /// When the first write came that is not read yet.
  private var firstWrite: Instant?
  /// When to read at the latest; `nil`: nothing waits.
  private(set) var deadline: Instant?
  /// Whether somebody has written and not closed yet.
  private(set) var isBeingWritten = false
  /// Since when the file is known to be empty, without anybody writing.
  private var emptySince: Instant?
  /// Whether the file could not be read the last time.
  var isFailing = false

  /// An event about the entry that an interest names.
  mutating func entryChanged(_ mask: UInt32, kind: FolderInterest.Kind, at now: Instant) -> Action {
    let has = { (bits: Int32) in mask & UInt32(bits) != 0 }
    if kind != .content {
      // Something on the way: what appears there by a rename is complete, what is made there may still be filled.
      if has(IN_MOVED_TO) { return readNow([.follow, .read]) }
      if has(IN_CREATE) { return settle(at: now).union(.follow) }
      if has(IN_ATTRIB) { return readNow([.follow, .read]) }
      return .follow
    }
    // Whatever happens to the file, its emptiness is to last anew: what was found empty may have been filled since.
    emptySince = nil
    isBeingWritten = has(IN_CREATE | IN_MODIFY) || (isBeingWritten && !has(IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE))
    if has(IN_MOVED_TO) { return readNow([.lookAtEntry, .read]) }
    if has(IN_CLOSE_WRITE) { return readNow(.read) }
    if has(IN_CREATE) { return settle(at: now).union(.lookAtEntry) }
    if has(IN_MODIFY) { return settle(at: now) }
    if has(IN_DELETE | IN_MOVED_FROM) { return .lookAtEntry }
    // Somebody may have given us the permission that was missing.
    if has(IN_ATTRIB) { return isFailing ? readNow([.follow, .read]) : [] }
    return []
  }

  /// The file was read and holds nothing; returns whether to believe it. If not, it is read again: when its writer closes
  /// it, or at the deadline.
  ///
  /// `isFirst`: no content of it is known yet, so there is none that a writer could have cleared away.
  mutating func foundEmpty(isFirst: Bool, at now: Instant) -> Bool {
    if isBeingWritten { return false }
    if isFirst { return true }
    if let emptySince, emptySince.duration(to: now) >= Self.emptiness { return true }
    let since = emptySince ?? now
    emptySince = since
    deadline = since.advanced(by: Self.emptiness)
    return false
  }

  /// Nobody has the file open to write into it: truncate(2) and link(2) need not open it.
  mutating func writerIsGone() { isBeingWritten = false }

  /// The file was read and holds something.
  mutating func foundContent() { emptySince = nil }

  /// An event about a watched folder itself: it is gone, has moved, or has new permissions.
  mutating func folderChanged() -> Action {
    isBeingWritten = false
    return readNow([.follow, .read])
  }

  /// Events were lost.
  mutating func overflowed() -> Action {
    isBeingWritten = false
    return readNow([.follow, .read])
  }

  /// Something was mounted or unmounted: most likely elsewhere, so that the file is as it was.
  func mountsChanged() -> Action { [.follow, .readIfOther] }

  /// The deadline has come.
  mutating func deadlinePassed() -> Action {
    // What was made on the way may have grown further meanwhile.
    readNow([.follow, .read])
  }

  private mutating func readNow(_ action: Action) -> Action {
    firstWrite = nil
    deadline = nil
    return action
  }

  private mutating func settle(at now: Instant) -> Action {
    let first = firstWrite ?? now
    firstWrite = first
    deadline = min(now.advanced(by: Self.quiet), first.advanced(by: Self.longest))
    return []
  }
}
