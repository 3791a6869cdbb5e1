import Glibc
import SoundTrigger

/// Decides what an inotify event or a poll means for one path: when to follow the way to it, and when to read what it names.
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
    /// A file, or all files of a folder: read at every event, and never polled.
    case files
    /// The entries of a folder: read when a burst of arrivals and removals is over.
    case entries
    /// Whether anything is there, and its permissions.
    case presence
  }

  /// How changes are noticed.
  enum Mode: Equatable {
    /// Not at all: the watch has not begun or has stopped, or another thread follows the path.
    case stopped
    /// Events report every change.
    case watching
    /// Events report the changes of this machine. Another one may change the files, too, so a look every 2 s finds the rest.
    case foreign
    /// As `watching` or `foreign`, but it could not be read: it is tried again, because the reason may pass without an event.
    case unreadable(every: Duration)
    /// Events do not report all changes, so it is read on a timer.
    case polling(every: Duration)

    /// How often to look; `nil`: never.
    var interval: Duration? {
      switch self {
      case .stopped, .watching: nil
      case .foreign: .seconds(2)
      case .unreadable(let interval), .polling(let interval): interval
      }
    }
  }

  /// What waits to be read.
  private enum Waiting {
    case nothing
    /// A burst of writes, arrivals or removals that began then: it is read at `end`, unless it continues.
    case burst(since: Instant, end: Instant)
    /// What was read and may be about to change: it is read again then, unless an event comes before.
    case again(at: Instant)
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
  var mode = Mode.stopped
  private var waiting = Waiting.nothing
  /// Whether a writer has written and not closed the file yet. A file that truncate(2) empties seems so, see
  /// `FileReading.mayHaveWriter`.
  private(set) var isBeingWritten = false

  init(_ subject: Subject) { self.subject = subject }

  /// When to read; `nil` if nothing waits to be read.
  var deadline: Instant? {
    switch waiting {
    case .nothing: nil
    case .burst(_, let end), .again(let end): end
    }
  }

  /// The interests of a plan, the last one as the subject needs it.
  private func ends(_ plan: PathPlan) -> [FolderInterest] {
    let entries = entries(of: plan)
    // A path that ends in `..` or `/` leads to a folder that is no entry of another one.
    guard let last = plan.interests.last, last.kind == .thing else { return plan.interests + entries }
    let way = FolderInterest(last.folder.text, last.name.text, .way)
    let end =
      switch subject {
      case .content, .lines: last
      case .files: entries.first ?? last
      case .entries: entries.first ?? way
      case .presence: way
      }
    return plan.interests.dropLast() + [end]
  }

  /// The interest in what is in the folder, if the path names one and the subject needs that. The folder reports its own removal.
  private func entries(of plan: PathPlan) -> [FolderInterest] {
    guard plan.isFolder, let folder = plan.target, subject == .files || subject == .entries else { return [] }
    return [FolderInterest(folder, "", .entries, includesWrites: subject == .files)]
  }

  /// What to watch. Sounds and configurations cause no wake-up when something beside their folders is removed.
  func interests(_ plan: PathPlan) -> [FolderInterest] {
    ends(plan).map { interest in
      var interest = interest
      interest.isThorough = subject != .files
      return interest
    }
  }

  // MARK: Events

  /// An event about the entry that an interest names; `mask` holds inotify's bits.
  mutating func entryChanged(_ mask: UInt32, kind: FolderInterest.Kind, at now: Instant) -> Action {
    let has = { (bits: Int32) in mask & UInt32(bits) != 0 }
    let isOther = has(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    switch kind {
    case .thing: return thingChanged(has, isOther, at: now)
    case .entries where subject == .files: return readNow(.read)
    case .entries: return isOther ? wait(at: now) : []
    case .way:
      // If it is renamed into place it is complete, if it is made there it may still be filled.
      let isComplete = !waitsForQuiet || has(IN_MOVED_TO | IN_ATTRIB)
      return isComplete ? readNow([.follow, .read]) : wait(at: now).union(.follow)
    }
  }

  private mutating func thingChanged(_ has: (Int32) -> Bool, _ isOther: Bool, at now: Instant) -> Action {
    // For `.files` a creation alone is no writing, because making a link also sends IN_CREATE.
    let isOpened = has(IN_MODIFY) || (has(IN_CREATE) && subject != .files)
    isBeingWritten = isOpened || (isBeingWritten && !has(IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE))
    // For `.files` the new entry may be a folder.
    if subject == .files, isOther { return readNow([.follow, .read]) }
    if !waitsForQuiet { return readNow(isOther ? [.followIfLink, .read] : .read) }
    if has(IN_MOVED_TO) { return readNow([.followIfLink, .read]) }
    if has(IN_CLOSE_WRITE) { return readNow(.read) }
    if isOther { return wait(at: now).union(.followIfLink) }
    if has(IN_MODIFY) { return wait(at: now) }
    // The permission that was missing may have been granted.
    if has(IN_ATTRIB), case .unreadable = mode { return readNow([.follow, .read]) }
    return []
  }

  /// Anything may have changed: a folder on the way is gone, has moved or has other permissions, or events were lost.
  mutating func anythingChanged() -> Action {
    isBeingWritten = false
    return readNow([.follow, .read])
  }

  /// Something was mounted or unmounted, most likely elsewhere.
  func mountsChanged() -> Action { [.follow, .readIfOther] }

  /// It is time for a look.
  ///
  /// If events are reported as well, a look that finds nothing new is no update.
  func lookIsDue() -> Action { mode == .foreign ? [.follow, .readIfOther] : [.follow, .read] }

  /// Reads what has waited long enough.
  mutating func timePassed(_ now: Instant) -> Action {
    guard let deadline, deadline <= now else { return [] }
    // A folder on the way may have been filled further in the meantime.
    return readNow([.follow, .read])
  }

  /// Reads again at a given time, unless an event decides otherwise before.
  mutating func readAgain(at time: Instant) { waiting = .again(at: time) }

  private var waitsForQuiet: Bool { subject == .content || subject == .entries }

  private mutating func readNow(_ action: Action) -> Action {
    waiting = .nothing
    return action
  }

  private mutating func wait(at now: Instant) -> Action {
    var start = now
    if case .burst(let since, _) = waiting { start = since }
    waiting = .burst(since: start, end: min(now.advanced(by: Self.quiet), start.advanced(by: Self.longest)))
    return []
  }
}
