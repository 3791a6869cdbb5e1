import Glibc

/// What the audio thread does when a PCM fails. A pure state machine: codes and times in, actions out.
///
/// Times are nanoseconds of CLOCK_MONOTONIC. snd_pcm_recover, which does the like, sleeps and may loop for ever.
struct PCMRecovery {
  enum Action {
    /// Nothing is lost: look again so many nanoseconds later.
    case wait(Int64)
    /// The device says that it ran dry: drop, prepare, write and start anew; count it, if it can be true.
    case restart
    /// The device stands still without a reason: the same, but it was not dry.
    case revive
    /// The machine slept: ask the driver to resume (snd_pcm_resume) and report the answer to `resumed`.
    case resume
    /// Go on as if nothing had happened.
    case proceed
    /// The device is gone or of no use, for this negative errno: give it back and play on by the clock.
    case giveUp(Int)
  }

  /// How many starts in a row were not followed by 100 ms of playing.
  private var failedStarts = 0
  private var startedAt: Int64 = 0
  /// Since when the device is busy or resumes; 0: it is not.
  private var waitingSince: Int64 = 0
  /// When the device was last seen to play.
  private var progressAt: Int64 = 0
  private var wasRevived = false

  @_noLocks init() {}

  /// The device was started.
  @_noLocks mutating func started(at now: Int64) {
    startedAt = now
    progressAt = now
    waitingSince = 0
  }

  /// The device has played on since it was last asked.
  @_noLocks mutating func progressed(at now: Int64) {
    progressAt = now
    waitingSince = 0
    if now &- startedAt > 100_000_000 {
      failedStarts = 0
      wasRevived = false
    }
  }

  /// The device has played nothing since it was last asked, though it has frames to play.
  @_noLocks mutating func stood(at now: Int64) -> Action {
    // Some take a second to wake up, such as headphones without a wire.
    if now &- progressAt < 1_000_000_000 { return .proceed }
    if wasRevived { return .giveUp(0 &- Int(EIO)) }
    wasRevived = true
    return .revive
  }

  /// An snd_pcm_* call failed with this negative errno.
  @_noLocks mutating func failed(_ code: Int, at now: Int64) -> Action {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case EPIPE: return restart(code)
    case ESTRPIPE: return .resume
    case EAGAIN, EINTR, EBUSY: return wait(1_000_000, now, orElse: .giveUp(0 &- Int(EIO)))
    // ENODEV: unplugged. EBADFD: in a state that we did not bring it into. All others were never heard of.
    default: return .giveUp(code)
    }
  }

  /// snd_pcm_resume answered with this: 0 or a negative errno.
  @_noLocks mutating func resumed(_ code: Int, at now: Int64) -> Action {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case 0:
      progressAt = now
      waitingSince = 0
      return .proceed
    case EAGAIN: return wait(10_000_000, now, orElse: .revive)
    case ENODEV: return .giveUp(code)
    // Many drivers cannot resume (ENOSYS): beginning anew is what is left.
    default: return .revive
    }
  }

  @_noLocks private mutating func restart(_ code: Int) -> Action {
    failedStarts = failedStarts &+ 1
    return failedStarts > 5 ? .giveUp(code) : .restart
  }

  /// Waits, but for half a second at the most.
  @_noLocks private mutating func wait(_ pause: Int64, _ now: Int64, orElse last: Action) -> Action {
    if waitingSince == 0 { waitingSince = now }
    return now &- waitingSince < 500_000_000 ? .wait(pause) : last
  }
}
