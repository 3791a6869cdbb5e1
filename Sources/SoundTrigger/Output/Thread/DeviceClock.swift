/// Which frame a device plays at which time: a delay-locked loop, as in F. Adriaensen, "Using a DLL to filter time" (2005).
///
/// A device reports its position late and in steps. The loop smooths that and learns the device's true rate, which always
/// differs a little from the nominal one. Pure: the caller passes frames and times (nanoseconds) in.
struct DeviceClock {
  private let nominalPeriod: Double
  /// Nanoseconds per frame.
  private var period: Double
  private var time: Double = 0
  private var frame = 0
  /// The loop's bandwidth in hertz, which says how quickly it follows: 2 at first, 0.1 later.
  private var bandwidth = 0.0
  /// How far sightings were ahead of the prediction and behind it, in nanoseconds. Older sightings count less.
  private var ahead = 0.0
  private var behind = 0.0
  private var startTime: Int64 = 0

  /// A clock for a device with `rate` frames per second. Call `start` first.
  @_noLocks init(rate: Int) {
    nominalPeriod = 1e9 / Double(rate)
    period = nominalPeriod
  }

  /// The device began to play frame `frame` at `now`. The learned rate stays.
  @_noLocks mutating func start(frame: Int, at now: Int64) {
    self.frame = frame
    time = Double(now)
    bandwidth = 2.0
    startTime = now
    ahead = 0
    behind = 0
  }

  /// The device was at `frame` at `now`. Each sighting is later than the one before.
  @_noLocks mutating func saw(frame seen: Int, at now: Int64) {
    let step = seen &- frame
    if step <= 0 { return }
    let predicted = time + Double(step) * period
    let error = Double(now) - predicted
    frame = seen
    // A device may begin late, and a sound server takes many frames at first. Later, an error of more than 50 ms means that
    // the device was stopped or the machine slept.
    if now &- startTime < 250_000_000 || abs(error) > 50e6 {
      time = Double(now)
      bandwidth = 2.0
      return
    }
    ahead = max(0 - error, ahead * 0.9)
    behind = max(error, behind * 0.9)
    // The loop's gains for the time since the last sighting. With more than a third of a turn the loop would oscillate.
    let seconds = Double(step) * period / 1e9
    let turn = min(0.33, 2 * 3.14159265 * bandwidth * seconds)
    time = predicted + 1.41421356 * turn * error
    let learned = period + turn * turn * error / Double(step)
    // The true rate is within a hundredth of the nominal one.
    period = min(max(learned, nominalPeriod * 0.99), nominalPeriod * 1.01)
    bandwidth = max(0.1, bandwidth * (1 - min(0.5, seconds)))
  }

  /// When the device will be at a frame. Rounded up, so that a thread that wakes up then finds the device there.
  @_noLocks func time(of wanted: Int) -> Int64 {
    let exact = time + Double(wanted &- frame) * period
    let whole = Int64(exact)
    return Double(whole) < exact ? whole &+ 1 : whole
  }

  /// Where the device is at a time.
  @_noLocks func frame(at now: Int64) -> Int { frame &+ Int((Double(now) - time) / period) }

  /// How many frames a device takes at once, estimated from its sightings: the larger its steps, the further sightings lie
  /// on both sides of the prediction.
  @_noLocks func step() -> Int { Int((ahead + behind) / period) }
}
