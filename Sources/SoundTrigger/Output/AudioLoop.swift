import CALSA
import CLinux
import CMixer
import Glibc
import Synchronization

/// The audio thread's own state and its loop: waits, renders, hands over.
///
/// All of it is real-time code: it allocates, locks and logs nothing. While nothing plays it sleeps in poll on one
/// descriptor. It plays on a device if it has one and by the clock if not; a device that breaks is given back.
struct AudioLoop: ~Copyable {
  let shared: OutputShared
  var mixer: Mixer
  let rate: Int
  let isClockWanted: Bool
  /// One block on its way to a device that cannot be mapped, or to nowhere.
  let staging: UnsafeMutableRawPointer
  let descriptors: UnsafeMutablePointer<pollfd>
  let descriptorCapacity: UInt32 = 16
  let maximumFrames = Mixer.maximumFrames

  var playback: UnsafeMutablePointer<PCMPlayback>?
  /// Whether the device was started.
  var isRunning = false
  /// Frames rendered since the mixer last had something to play.
  var silentFrames = 0
  /// Whether the device swallows all it gets at once, as ALSA's `null` does: then the clock paces it.
  var isUnpaced = false
  /// When the stream (or the clock) was started, and the frames rendered since.
  var startTime: Int64 = 0
  var framesSinceStart = 0
  /// How often in a row a wait for the device ended without it getting ready.
  var timeouts = 0
  /// How often in a row the device ran dry right after its start, as one does whose sound server is gone.
  var failedStarts = 0

  /// The state before the first turn.
  ///
  /// `isClockWanted`: whether the clock is what was asked for; if not, what it plays is heard by nobody and has no latency.
  init(shared: OutputShared, mixer: consuming Mixer, rate: Int, isClockWanted: Bool) {
    self.isClockWanted = isClockWanted
    self.shared = shared
    self.mixer = mixer
    self.rate = rate
    // The widest frame: eight channels of 32 bits.
    let bytes = Mixer.maximumFrames * 8 * 4
    staging = .allocate(byteCount: bytes, alignment: 64)
    staging.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    descriptors = .allocate(capacity: Int(descriptorCapacity))
    descriptors.initialize(repeating: pollfd(), count: Int(descriptorCapacity))
  }

  deinit {
    staging.deallocate()
    descriptors.deallocate()
  }

  /// Runs until the control side says stop.
  @_noLocks mutating func run() {
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
    playback = offered
    isRunning = false
    isUnpaced = false
    silentFrames = 0
    timeouts = 0
    failedStarts = 0
    startTime = 0
    framesSinceStart = 0
  }

  /// Gives the device back to the control side, which closes it.
  @_noLocks mutating func giveBack(_ device: UnsafeMutablePointer<PCMPlayback>, error: Int) {
    if isRunning { _ = calsa_drop(device.pointee.handle) }
    shared.lastError.store(error, ordering: .relaxed)
    shared.returned.store(device, ordering: .releasing)
    playback = nil
    isRunning = false
    framesSinceStart = 0
    startTime = 0
    clinux_eventfd_signal(shared.report)
  }

  /// Sleeps until the control side has something.
  @_noLocks mutating func waitForWork() {
    shared.isResting.store(true, ordering: .releasing)
    clinux_eventfd_signal(shared.report)
    descriptors[0].fd = shared.wake
    descriptors[0].events = Int16(truncatingIfNeeded: POLLIN)
    descriptors[0].revents = 0
    _ = clinux_poll(descriptors, 1, -1)
    _ = clinux_drain(shared.wake)
    shared.isResting.store(false, ordering: .relaxed)
  }

  /// Sleeps until a time of CLOCK_MONOTONIC, or until it is told to end.
  @_noLocks mutating func sleep(until time: Int64) {
    var now = clinux_monotonic()
    while time > now && !shared.isStopping.load(ordering: .acquiring) {
      descriptors[0].fd = shared.wake
      descriptors[0].events = Int16(truncatingIfNeeded: POLLIN)
      descriptors[0].revents = 0
      // Commands wait for the next block anyway.
      if clinux_poll(descriptors, 1, time &- now) > 0 { _ = clinux_drain(shared.wake) }
      now = clinux_monotonic()
    }
  }

  /// The time at which so many frames since the start have passed.
  @_noLocks func time(ofFrame frame: Int) -> Int64 {
    startTime &+ Int64(truncatingIfNeeded: frame) &* 1_000_000_000 / Int64(truncatingIfNeeded: rate)
  }

  /// One period by the clock: renders into nowhere, so that voices keep their time and end.
  @_noLocks private mutating func stepClock() {
    if mixer.isIdle() {
      startTime = 0
      waitForWork()
      return
    }
    if startTime == 0 {
      startTime = clinux_monotonic()
      framesSinceStart = 0
    }
    let frames = min(maximumFrames, max(1, rate / 400))
    mixer.render(into: staging, frames: frames, format: .float32, channels: 2)
    framesSinceStart = framesSinceStart &+ frames
    if isClockWanted { recordArrivals(delayFrames: 0) } else { mixer.forgetArrivals() }
    sleepUntilDue()
  }

  /// Sleeps until the frames rendered so far have passed. If they have long (the process was stopped, say), time goes on
  /// from here: what was missed is not made up for in a hurry.
  @_noLocks mutating func sleepUntilDue() {
    let due = time(ofFrame: framesSinceStart)
    let behind = clinux_monotonic() &- due
    if behind > 200_000_000 { startTime = startTime &+ behind } else { sleep(until: due) }
  }

  /// Notes how long the starts of the last block took; they are heard `delayFrames` from now.
  @_noLocks mutating func recordArrivals(delayFrames: Int) {
    var arrival = mixer.takeArrival()
    if arrival == 0 { return }
    let now = clinux_monotonic()
    let delay = Int64(truncatingIfNeeded: delayFrames) &* 1_000_000_000 / Int64(truncatingIfNeeded: rate)
    while arrival != 0 {
      shared.ourLatency.record(nanoseconds: now &- arrival)
      shared.latency.record(nanoseconds: now &- arrival &+ delay)
      arrival = mixer.takeArrival()
    }
  }
}
