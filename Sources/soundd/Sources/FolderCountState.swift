import SoundTrigger

/// Decides when to count the entries of a folder, and whether to believe the number.
///
/// A burst is counted once: after `quiet` without a further entry that came or went, at most `longest` after the first. A file that
/// is written beside another and moved over it was never one more. What came or went while it was counted makes the number
/// doubtful: it is counted again.
struct FolderCountState {
  static let quiet = Duration.milliseconds(50)
  static let longest = Duration.milliseconds(500)

  /// When the first entry came or went that no number was handed out for.
  private var firstChange: Instant?
  /// Whether any did since the count began.
  private var isDoubtful = false
  /// When to count; `nil`: nothing waits.
  private(set) var deadline: Instant?

  /// Entries came or went.
  mutating func changed(at now: Instant) {
    let first = firstChange ?? now
    firstChange = first
    isDoubtful = true
    deadline = min(now.advanced(by: Self.quiet), first.advanced(by: Self.longest))
  }

  /// It is being counted from now on.
  mutating func countBegan() {
    isDoubtful = false
    deadline = nil
  }

  /// It was counted; returns whether to hand out the number. If not, `deadline` says when to count again.
  mutating func counted(at now: Instant) -> Bool {
    guard isDoubtful, let first = firstChange else {
      firstChange = nil
      return true
    }
    // A folder that is never at rest is heard all the same.
    guard first.duration(to: now) >= Self.longest else { return false }
    firstChange = now
    deadline = now.advanced(by: Self.quiet)
    return true
  }
}
