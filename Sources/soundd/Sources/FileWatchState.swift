import Glibc
import SoundTrigger

/// Decides what an inotify event means for one file: when to look where it is, and when to read it.
///
/// A closed or renamed file is read at once. One that is still being written is read after `quiet` without a further
/// write, at most `longest` after the first: so a truncation that is about to be followed by content is not taken for
/// content, and a writer that never rests is heard all the same.
struct FileWatchState {
  static let quiet = Duration.milliseconds(50)
  static let longest = Duration.milliseconds(500)

  /// What to do now.
  struct Action: OptionSet, Sendable {
    var rawValue: UInt8
    /// Follow the path anew and watch the folders it leads through.
    static let follow = Action(rawValue: 1)
    /// Read the file, if it is there.
    static let read = Action(rawValue: 2)
  }

  /// When the first write came that is not read yet.
  private var firstWrite: Instant?
  /// When to read at the latest; `nil`: nothing waits.
  private(set) var deadline: Instant?
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
    if has(IN_MOVED_TO) { return readNow([.follow, .read]) }
    if has(IN_CLOSE_WRITE) { return readNow(.read) }
    if has(IN_CREATE) { return settle(at: now).union(.follow) }
    if has(IN_MODIFY) { return settle(at: now) }
    if has(IN_DELETE | IN_MOVED_FROM) { return .follow }
    // Somebody may have given us the permission that was missing.
    if has(IN_ATTRIB) { return isFailing ? readNow([.follow, .read]) : [] }
    return []
  }

  /// An event about a watched folder itself: it is gone, has moved, or has new permissions.
  mutating func folderChanged() -> Action { readNow([.follow, .read]) }

  /// Events were lost.
  mutating func overflowed() -> Action { readNow([.follow, .read]) }

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
