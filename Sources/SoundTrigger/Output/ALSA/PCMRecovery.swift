import Glibc

/// What the audio thread does when a PCM fails. A pure state machine: codes and times in, actions out.
///
/// Times are nanoseconds of CLOCK_MONOTONIC. snd_pcm_recover is no alternative: it sleeps and may loop for ever.
struct PCMRecovery {
  enum Action {
    /// Ask the device again so many nanoseconds later. Nothing is lost.
    case wait(Int64)
    /// The device reports that it ran dry: drop, prepare, write and start again. Count an xrun if the clock agrees.
    case restart
    /// The device does not resume: the same, but it did not run dry.
    case revive
    /// The machine slept: call snd_pcm_resume and pass the answer to `resumed`.
    case resume
    /// Play on as before.
    case proceed
    /// The device is gone or useless, for this negative errno: give it back and play on by the clock.
    case giveUp(Int)
  }

  /// How many starts and resumes in a row were not followed by 100 ms of playing.
  private var failedStarts = 0
  private var startedAt: Int64 = 0
  /// Since when the device has been busy or resuming; 0: it is neither.
  private var waitingSince: Int64 = 0
  /// When the device was last seen to play.
  private var progressAt: Int64 = 0
  /// Whether the device has played since it was opened or connected.
  private var hasPlayed = false

  @_noLocks init() {}

  /// The device has a new connection to its sound server. Its sink may have slept.
  @_noLocks mutating func connected() { hasPlayed = false }

  /// The device was started.
  @_noLocks mutating func started(at now: Int64) {
    startedAt = now
    progressAt = now
    waitingSince = 0
  }

  /// The device has played on since it was last asked.
  @_noLocks mutating func progressed(at now: Int64) {
    progressAt = now
    hasPlayed = true
  }

  /// The device took all that was to be written.
  @_noLocks mutating func served() {
    waitingSince = 0
    if progressAt &- startedAt > 100_000_000 { failedStarts = 0 }
  }

  /// The device has played nothing since it was last asked, though it has frames to play.
  @_noLocks mutating func stood(at now: Int64) -> Action {
    // A sink that has slept may take long to begin, such as wireless headphones. One that is given up is opened again, as a trial.
    now &- progressAt < (hasPlayed ? 1_000_000_000 : 3_000_000_000) ? .proceed : .giveUp(0 &- Int(EIO))
  }

  /// An snd_pcm_* call failed with this negative errno.
  @_noLocks mutating func failed(_ code: Int, at now: Int64) -> Action {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case EPIPE: return failedOnceMore(code: code, orElse: .restart)
    case ESTRPIPE: return .resume
    case EAGAIN, EINTR, EBUSY: return mayWait(now) ? .wait(1_000_000) : .giveUp(0 &- Int(EIO))
    // ENODEV: unplugged. EBADFD: in a state that we did not cause. The others are not documented for these calls.
    default: return .giveUp(code)
    }
  }

  /// Whether a negative errno says something about the PCM's state, rather than about the call that failed.
  @_noLocks static func isState(_ code: Int) -> Bool {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case EPIPE, ESTRPIPE, EAGAIN, EINTR, EBUSY, ENODEV, EBADFD: true
    default: false
    }
  }

  /// snd_pcm_resume answered with this: 0 or a negative errno. `isBack`: the device is in the state that it was suspended in.
  @_noLocks mutating func resumed(_ code: Int, isBack: Bool, at now: Int64) -> Action {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case 0:
      progressAt = now
      waitingSince = 0
      return failedOnceMore(code: 0 &- Int(ESTRPIPE), orElse: isBack ? .proceed : .revive)
    case EAGAIN where mayWait(now): return .wait(10_000_000)
    case ENODEV: return .giveUp(code)
    // Many drivers cannot resume (ENOSYS): what is left is to begin anew.
    default:
      waitingSince = 0
      return failedOnceMore(code: code, orElse: .revive)
    }
  }

  /// Counts an attempt to play; the sixth in a row that was not followed by 100 ms of playing is the last.
  @_noLocks private mutating func failedOnceMore(code: Int, orElse action: Action) -> Action {
    failedStarts = failedStarts &+ 1
    return failedStarts > 5 ? .giveUp(code) : action
  }

  /// Whether to wait for a busy device: for half a second at the most.
  @_noLocks private mutating func mayWait(_ now: Int64) -> Bool {
    if waitingSince == 0 { waitingSince = now }
    return now &- waitingSince < 500_000_000
  }
}
