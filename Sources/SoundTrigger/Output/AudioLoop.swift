import CALSA
import CLinux
import CMixer
import Glibc
import Synchronization

/// The audio thread's own state and its loop: sleeps, takes commands, renders, hands over.
///
/// All of it is real-time code: it allocates, locks and logs nothing. It plays on a device if it has one, by the clock if
/// not, and sleeps on one timer and one eventfd; while nothing plays the timer is off.
struct AudioLoop: ~Copyable {
  let shared: OutputShared
  var mixer: Mixer
  let rate: Int
  let isClockWanted: Bool
  /// One block on its way to a device that cannot be mapped.
  let staging: UnsafeMutableRawPointer
  private let memory = LockedMemory()

  var playback: UnsafeMutablePointer<PCMPlayback>?
  /// How the device, or the clock, is doing since it was started.
  var run = AudioRun()
  var clock: DeviceClock
  var margin: RewindMargin
  var recovery = PCMRecovery()

  /// The state before the first turn.
  ///
  /// `isClockWanted`: whether the clock is what was asked for; if not, what it plays is heard by nobody and has no latency.
  init(shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool) {
    self.isClockWanted = isClockWanted
    self.shared = shared
    self.mixer = mixer
    self.rate = rate
    clock = DeviceClock(rate: rate)
    margin = RewindMargin(rate: rate, step: 0)
    // The widest frame: eight channels of 32 bits.
    staging = memory.allocate(byteCount: Mixer.maximumFrames * 8 * 4)
  }

  /// Runs until the control side says stop.
  @_noLocks mutating func runUntilStopped() {
    while !shared.isStopping.load(ordering: .acquiring) {
      if playback == nil { adopt() }
      if let playback { stepDevice(playback) } else { stepClock() }
      if mixer.hasRetired {
        mixer.hasRetired = false
        clinux_eventfd_signal(shared.report)
      }
    }
    if let playback { giveBack(playback, error: 0) }
  }

  /// Takes an offered device.
  @_noLocks private mutating func adopt() {
    guard let offered = shared.offered.exchange(nil, ordering: .acquiring) else { return }
    leaveClock()
    playback = offered
    run = AudioRun()
    recovery = PCMRecovery()
    let stream = offered.pointee.stream
    clock = DeviceClock(rate: stream.rate)
    margin = RewindMargin(rate: stream.rate, step: stream.stepFrames)
  }

  /// Gives the device back to the control side, which closes it; `error` is 0 if there is nothing wrong with it.
  @_noLocks mutating func giveBack(_ device: UnsafeMutablePointer<PCMPlayback>, error: Int) {
    endRun(device)
    shared.lastError.store(error, ordering: .relaxed)
    shared.returned.store(device, ordering: .releasing)
    playback = nil
    clinux_eventfd_signal(shared.report)
  }

  /// Sleeps until the control side has something; returns false if it was `watched` that woke it, with an error or hang-up.
  @_noLocks mutating func rest(watching watched: Int32) -> Bool {
    shared.isResting.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.report)
    let woken = clinux_wait_for_any(-1, shared.wake, watched)
    _ = clinux_drain(shared.wake)
    shared.isResting.store(false, ordering: .relaxed)
    return woken & 4 == 0
  }

  /// Sleeps until a time of CLOCK_MONOTONIC (0: for ever) or until the control side has something.
  @_noLocks mutating func sleep(until time: Int64) {
    _ = clinux_timerfd_set(shared.timer, UInt64(truncatingIfNeeded: time))
    let woken = clinux_wait_for_any(shared.timer, shared.wake, -1)
    if woken & 2 != 0 { _ = clinux_drain(shared.wake) }
    if woken & 1 != 0 { _ = clinux_drain(shared.timer) }
  }

  // MARK: The clock

  /// Plays by the clock: nothing is rendered, since nobody hears it, but voices keep their time and end.
  ///
  /// It wakes up for commands and for the end of a voice.
  @_noLocks private mutating func stepClock() {
    if mixer.isSilent() && (!mixer.hasCommands() || shared.isHolding.load(ordering: .acquiring)) {
      run = AudioRun()
      _ = rest(watching: -1)
      return
    }
    let now = clinux_monotonic()
    if !run.isRunning {
      run.isRunning = true
      clock = DeviceClock(rate: rate)
      clock.start(frame: 0, at: now)
    }
    passClock(to: clock.frame(at: now))
    if isClockWanted { mixer.reportStarts(at: now, delay: 0) } else { mixer.forgetStarts() }
    // What has ended is told before it sleeps again.
    if mixer.isSilent() || mixer.hasRetired { return }
    let end = mixer.nextEnd()
    sleep(until: end == Int.max ? 0 : clock.time(of: run.written &+ end &- mixer.nextFrame()))
  }

  @_noLocks private mutating func passClock(to frame: Int) {
    let goal = max(run.written, frame)
    mixer.pass(frames: goal &- run.written)
    run.written = goal
  }

  /// Brings the voices to where they are now, before a device takes over.
  @_noLocks private mutating func leaveClock() {
    if run.isRunning { passClock(to: clock.frame(at: clinux_monotonic())) }
  }
}

/// What the audio thread knows about the stream since its start. Frames are counted from there.
struct AudioRun {
  var isRunning = false
  /// Frames handed over.
  var written = 0
  /// Frames that the device has taken, when it was last asked.
  var played = 0
  /// From this frame on all that was written is silent; `Int.max`: there is something to hear up to `written`.
  var silentFrom = Int.max
  /// Whether frames can be taken back; then the mixer has a timeline.
  var canRewind = false
  /// Whether the device swallows all it gets at once, as ALSA's `null` does: then the clock paces it.
  var isUnpaced = false
  /// When the thread wanted to wake up; 0: at no certain time.
  var wakeTime: Int64 = 0
  /// When commands were carried out last.
  var commandTime: Int64 = 0
  /// Whether those came soon after the ones before them.
  var isStorm = false
  /// Frames that were rendered for a device that cannot be mapped and not yet taken by it, and where they begin.
  var staged = 0
  var stagedFrom = 0
  /// Up to this frame the memory of what was played has been silenced.
  var cleared = 0

  @_noLocks init() {}
}
