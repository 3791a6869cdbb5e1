import Glibc
import SoundTrigger

/// Decides when a sound's file is to be loaded again, and whether to believe that it cannot be.
///
/// What is closed, renamed or removed is looked at at once; what is still being written, when its writer has closed it or
/// has rested for a while. A failure is believed only if it lasts: a file may be away, or half there, for a moment while it
/// is replaced, and until then the old sound plays on.
struct SoundFileState {
  /// How long a file that was made may take to be filled before it is looked at; links are made and never closed.
  static let settling = Duration.milliseconds(50)
  /// How long a writer must rest that does not close the file.
  static let quiet = Duration.milliseconds(500)
  /// How long a failure must last to be believed.
  static let doubt = Duration.milliseconds(500)

  /// When a file that was being written is to be looked at.
  private var settled: Instant?
  /// When a file that failed is to be looked at once more.
  private var doubted: Instant?
  /// Whether that last look is under way.
  private var isLastLook = false

  /// When to look at the file, if nothing happens before; `nil`: not at all.
  var deadline: Instant? {
    guard let settled, let doubted else { return settled ?? doubted }
    return min(settled, doubted)
  }

  /// Something befell the file; `mask` holds inotify's bits. Returns whether to look at it now.
  mutating func changed(_ mask: UInt32, isBroken: Bool, at now: Instant) -> Bool {
    let has = { (bits: Int32) in mask & UInt32(bits) != 0 }
    if has(IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE) { return lookNow() }
    if has(IN_MODIFY) { return wait(Self.quiet, at: now) }
    if has(IN_CREATE) { return wait(Self.settling, at: now) }
    // Somebody may have given us the permission that was missing.
    return has(IN_ATTRIB) && isBroken ? lookNow() : false
  }

  /// Any file may have changed.
  mutating func everythingChanged() { _ = lookNow() }

  /// The deadline may have come; returns whether to look at the file now.
  mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    if let doubted, doubted <= now { isLastLook = true }
    settled = nil
    doubted = nil
    return true
  }

  /// The file is good.
  mutating func foundGood() {
    doubted = nil
    isLastLook = false
  }

  /// The file is of no use; returns whether to believe that. If not, it is looked at again.
  mutating func foundBad(at now: Instant) -> Bool {
    if isLastLook {
      isLastLook = false
      return true
    }
    doubted = now.advanced(by: Self.doubt)
    return false
  }

  private mutating func lookNow() -> Bool {
    settled = nil
    doubted = nil
    isLastLook = false
    return true
  }

  private mutating func wait(_ time: Duration, at now: Instant) -> Bool {
    settled = now.advanced(by: time)
    doubted = nil
    isLastLook = false
    return false
  }
}
