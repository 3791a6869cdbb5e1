import Glibc
import SoundTrigger

/// Decides what an inotify event means for one path: when to follow the way to it, and when to read what it names.
///
/// A file that is closed, or renamed into place, is read at once. One that is still being written is read after `quiet`
/// without a further write, and at most `longest` after the first one, because some writers never pause.
struct PathWatchState {
  /// What about the path is watched.
  enum Subject {
    /// The content of a file: read when a burst of writes is over.
    case content
    /// The lines of a growing file: read at every write.
    case lines
    /// A file, or all files of a folder: read at every event.
    case files
    /// The entries of a folder: read when a burst of arrivals and removals is over.
    case entries
    /// Whether anything is there.
    case presence
    /// The same, and its permissions.
    case access
  }

  /// What to do now.
  struct Action: OptionSet {
    var rawValue: UInt8
    /// Follow the path anew and watch the folders on the way.
    static let follow = Action(rawValue: 1)
    /// The same if the last step of the path is a symbolic link now; the way to it has not changed.
    static let followIfLink = Action(rawValue: 2)
    /// Read what the path names.
    static let read = Action(rawValue: 4)
    /// Read it if it is another file than the one that was read last.
    static let readIfOther = Action(rawValue: 8)
  }

  static let quiet = Duration.milliseconds(50)
  static let longest = Duration.milliseconds(500)

  let subject: Subject
  /// When the burst began that was not read yet.
  private var burstStart: Instant?
  /// When to read; `nil` if nothing waits to be read.
  private(set) var deadline: Instant?
  /// Whether a writer has written and not closed the file yet. A file that truncate(2) empties seems so, too.
  private(set) var isBeingWritten = false
  /// Whether the last reading failed.
  var isFailing = false

  init(_ subject: Subject) { self.subject = subject }

  /// An event about the entry that an interest names; `mask` holds inotify's bits.
  mutating func entryChanged(_ mask: UInt32, kind: FolderInterest.Kind, at now: Instant) -> Action {
    let has = { (bits: Int32) in mask & UInt32(bits) != 0 }
    switch kind {
    case .content: return contentChanged(has, at: now)
    case .contents: return readNow(.read)
    case .entries: return settle(at: now)
    case .entry, .passage, .permission, .way:
      // Something on the way. If it is renamed into place it is complete, if it is made there it may still be filled.
      let isComplete = !waitsForQuiet || has(IN_MOVED_TO | IN_ATTRIB)
      return isComplete ? readNow([.follow, .read]) : settle(at: now).union(.follow)
    }
  }

  private mutating func contentChanged(_ has: (Int32) -> Bool, at now: Instant) -> Action {
    // A link is made without being written to; where files are awaited, the first bytes count.
    let isOpened = has(IN_MODIFY) || (has(IN_CREATE) && subject != .files)
    isBeingWritten = isOpened || (isBeingWritten && !has(IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE))
    let isOther = has(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    // Where files are awaited, a folder may have come.
    if subject == .files, isOther { return readNow([.follow, .read]) }
    if !waitsForQuiet { return readNow(isOther ? [.followIfLink, .read] : .read) }
    if has(IN_MOVED_TO) { return readNow([.followIfLink, .read]) }
    if has(IN_CLOSE_WRITE) { return readNow(.read) }
    if isOther { return settle(at: now).union(.followIfLink) }
    if has(IN_MODIFY) { return settle(at: now) }
    // The permission that was missing may have been granted.
    return has(IN_ATTRIB) && isFailing ? readNow([.follow, .read]) : []
  }

  /// Anything may have changed: a folder on the way is gone, has moved or has other permissions, or events were lost.
  mutating func anythingChanged() -> Action {
    isBeingWritten = false
    return readNow([.follow, .read])
  }

  /// Something was mounted or unmounted, most likely elsewhere.
  func mountsChanged() -> Action { [.follow, .readIfOther] }

  /// The deadline has passed.
  mutating func deadlinePassed() -> Action {
    // A folder on the way may have been filled further in the meantime.
    readNow([.follow, .read])
  }

  /// Reads again at a given time, unless an event decides otherwise before.
  mutating func readAgain(at time: Instant) { deadline = time }

  private var waitsForQuiet: Bool { subject == .content || subject == .entries }

  private mutating func readNow(_ action: Action) -> Action {
    burstStart = nil
    deadline = nil
    return action
  }

  private mutating func settle(at now: Instant) -> Action {
    let start = burstStart ?? now
    burstStart = start
    deadline = min(now.advanced(by: Self.quiet), start.advanced(by: Self.longest))
    return []
  }
}
