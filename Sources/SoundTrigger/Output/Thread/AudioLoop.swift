import CALSA
import CLinux
import Glibc
import Synchronization

/// The audio thread's own state, and its loop: sleep, apply commands, render, write.
///
/// All of it is real-time code, which allocates, locks and logs nothing. It plays on a device if it has one, otherwise by
/// the clock. It sleeps on one timer and one eventfd. While nothing plays the timer is off.
struct AudioLoop: ~Copyable {
  let shared: OutputShared
  var mixer: Mixer
  let rate: Int
  /// Whether the user chose the clock as the output. If not, plays by the clock count as unheard and have no latency.
  let isClockWanted: Bool
  /// CLOCK_MONOTONIC and the sleep of this thread. Tests use a clock that they move by hand.
  let timekeeper: clinux_timekeeper
  /// One block that waits for a device whose memory cannot be mapped.
  let staging: UnsafeMutableRawPointer
  private let memory = LockedMemory()

  var playback: UnsafeMutablePointer<PCMPlayback>?
  /// Whether the device's descriptor was ready at rest, without a hang-up. The thread then ignores it until the next start,
  /// because it would end every sleep at once.
  var isDescriptorReady = false
  /// Whether the device may repeat the end of the last run until it has played silence.
  var owesSilence = false
  /// The position and the progress of the present run, on the device or by the clock.
  var run = AudioRun()
  var clock: DeviceClock
  var margin: RewindMargin
  var recovery = PCMRecovery()

  /// The state before the first turn.
  init(
    shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool, timekeeper: clinux_timekeeper
  ) {
    self.isClockWanted = isClockWanted
    self.shared = shared
    self.mixer = mixer
    self.rate = rate
    self.timekeeper = timekeeper
    clock = DeviceClock(rate: rate)
    margin = RewindMargin(rate: rate, step: 0)
    // The widest frame: eight channels of 32 bits.
    staging = memory.allocate(byteCount: Mixer.maximumFrames * 8 * 4)
  }

  /// Runs until the control side asks it to stop.
  @_noLocks mutating func runUntilStopped() {
    while !shared.isStopping.load(ordering: .acquiring) {
      shared.turns.wrappingAdd(1, ordering: .relaxed)
      if playback == nil { adoptOffered() }
      if let playback { stepDevice(playback) } else { stepClock() }
      if mixer.hasReports {
        mixer.hasReports = false
        clinux_eventfd_signal(shared.report)
      }
    }
    if let playback { giveBack(playback, error: 0) }
  }

  /// Takes over the device that the control side offers, if there is one.
  @_noLocks private mutating func adoptOffered() {
    guard let offered = shared.offered.exchange(nil, ordering: .acquiring) else { return }
    leaveClock()
    playback = offered
    isDescriptorReady = false
    owesSilence = false
    run = AudioRun()
    recovery = PCMRecovery()
    let stream = offered.pointee.stream
    clock = DeviceClock(rate: stream.rate)
    margin = RewindMargin(rate: stream.rate, step: stream.stepFrames)
  }

  /// Gives the device back to the control side, which closes it. `error` is 0 if the device works. If not, what sounds waits until
  /// the control side has opened the device again, or lets the clock play.
  @_noLocks mutating func giveBack(_ device: UnsafeMutablePointer<PCMPlayback>, error: Int) {
    endRun(device)
    if error != 0 { shared.isHolding.store(true, ordering: .releasing) }
    shared.lastError.store(error, ordering: .relaxed)
    shared.returned.store(device, ordering: .releasing)
    playback = nil
    clinux_eventfd_signal(shared.report)
  }

  @_noLocks func now() -> Int64 { clinux_now(timekeeper) }

  /// Sleeps until the control side wakes the thread. Returns whether the descriptor `watched` (-1: none) reported an error
  /// or a hang-up instead.
  @_noLocks mutating func rest(watching watched: Int32) -> Bool {
    // Nothing sounds, so a voice that no device has taken has ended unheard.
    mixer.reportUnheard()
    shared.isResting.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.report)
    let isReported = clinux_sleep(timekeeper, 0, watched)
    shared.isResting.store(false, ordering: .relaxed)
    return isReported != 0
  }

  // MARK: The clock

  /// Plays by the clock. Voices advance and end in time, but nothing is rendered, because no device would take it.
  ///
  /// The thread wakes up for commands and for the end of a voice.
  @_noLocks private mutating func stepClock() {
    let isHolding = shared.isHolding.load(ordering: .acquiring)
    if isHolding && !run.isRunning || mixer.isSilent() && (isHolding || !mixer.hasCommands()) {
      run = AudioRun()
      _ = rest(watching: -1)
      return
    }
    let now = now()
    if !run.isRunning {
      run.isRunning = true
      clock = DeviceClock(rate: rate)
      clock.start(frame: 0, at: now)
    }
    passClock(to: clock.frame(at: now))
    if isClockWanted { mixer.reportStarts(at: now, delay: 0) } else { mixer.reportUnheard() }
    // The loop reports the ended voices before the thread sleeps again.
    if mixer.isSilent() || mixer.hasReports { return }
    let end = mixer.nextEnd()
    let time = end == Int.max ? 0 : clock.time(of: run.written &+ end &- mixer.nextFrame())
    _ = clinux_sleep(timekeeper, time, -1)
  }

  @_noLocks private mutating func passClock(to frame: Int) {
    let goal = max(run.written, frame)
    mixer.pass(frames: goal &- run.written)
    run.written = goal
  }

  /// Advances the voices to the present before a device takes over. Voices that have begun fade in, because the device was
  /// silent.
  @_noLocks private mutating func leaveClock() {
    if run.isRunning { passClock(to: clock.frame(at: now())) }
    mixer.riseFromSilence()
    mixer.reportUnheard()
  }
}

/// The state of one run: the time from a start of the device or the clock to its stop. Frames count from the start.
struct AudioRun {
  /// Whether something plays.
  var isRunning = false
  /// Whether the device was started. Before that the thread fills its buffer.
  var isStarted = false
  /// Frames handed over to the device.
  var written = 0
  /// Frames that the device had played when it was last asked.
  var played = 0
  /// All frames from this one up to `written` are silent; `Int.max` if the last frame written is audible.
  var silentFrom = Int.max
  /// Whether the thread can take frames back from the device. Then the mixer has a timeline; before the start it has one anyway.
  var canRewind = false
  /// Whether the device takes any number of frames at once, as ALSA's `null` does. If so, the clock paces it.
  var freeRunning = false
  /// When the thread wants to wake up; 0 if at no particular time.
  var wakeTime: Int64 = 0
  /// When commands were last applied.
  var commandTime: Int64 = 0
  /// Whether the last commands came soon after the ones before them.
  var isStorm = false
  /// Frames after `written` that are rendered, but that the device has not taken yet.
  var staged = 0
  /// If the device cannot be mapped: the index in `staging` of the first of these frames.
  var stagedFrom = 0
  /// The first frame whose memory the thread has not silenced yet.
  var cleared = 0

  @_noLocks init() {}

  /// The first frame that need not be played before the device is stopped; `Int.max` if the last frame written is audible.
  @_noLocks func silenceEnd(_ stream: StreamFormat) -> Int {
    if silentFrom == Int.max || freeRunning || !stream.kind.endsWithSilence() { return silentFrom }
    return silentFrom &+ stream.bufferFrames &+ stream.periodFrames
  }

  /// Whether `applyCommands(at:)` applies the commands, and not each block.
  @_noLocks func rendersAhead() -> Bool { canRewind || !isStarted }
}
