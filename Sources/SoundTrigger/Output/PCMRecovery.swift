import Glibc

/// What the audio thread does about an error of a PCM. Pure: a code in, an action out.
enum PCMRecovery: Equatable {
  /// The device ran dry: begin again from the prepared state, and count it.
  case restart
  /// The machine slept: ask the driver to resume.
  case resume
  /// Nothing is wrong: try again at the next wake-up.
  case wait
  /// The device is gone or broken: play on by the clock and let the control side open it again.
  case giveUp

  /// The action for the negative errno of an snd_pcm_* call.
  @_noLocks static func action(for code: Int) -> PCMRecovery {
    switch Int32(truncatingIfNeeded: 0 &- code) {
    case EPIPE: .restart
    case ESTRPIPE: .resume
    case EAGAIN, EINTR, EBUSY: .wait
    default: .giveUp
    }
  }
}
