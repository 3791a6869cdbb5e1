/// How long nothing has sounded. A sink that has slept swallows the beginning of the next sound, so a short sound begins after a
/// silence, which wakes the sink.
struct SinkRest {
  /// A sink that was silent for longer has slept; in nanoseconds, because arithmetic with `Duration` takes some hundred instructions.
  private static let awake: Int64 = 5_000_000_000
  /// Sounds of at least this length begin at once, because they lose little.
  private static let long = Duration.seconds(2)

  /// When the sink has slept if nothing sounds until then; `nil`: something sounds.
  private var sleepsAt: Instant? = Instant(nanoseconds: .min)
  /// When the sink hears what it gets.
  private var awakeAt = Instant(nanoseconds: .min)
  /// How many sounds began after a silence.
  private(set) var pauseCount = 0

  /// Receives whether something sounds.
  @inline(__always)
  mutating func note(isSilent: Bool, at now: Instant) {
    if isSilent, sleepsAt == nil { sleepsAt = Instant(nanoseconds: now.nanoseconds &+ Self.awake) }
  }

  /// Receives that the device is closed.
  mutating func deviceClosed() { if sleepsAt != nil { sleepsAt = Instant(nanoseconds: .min) } }

  /// The silence before a sound that starts now; `nil`: none. An alarm takes none. `wake`: how long the sink takes to wake up.
  @inline(__always)
  mutating func pause(before clip: Clip, isAlarm: Bool, at now: Instant, wake: @autoclosure () -> Duration) -> Duration?
  {
    if let sleepsAt {
      self.sleepsAt = nil
      if now >= sleepsAt { awakeAt = now.end(of: wake()) }
    }
    if now >= awakeAt || isAlarm || clip.duration >= Self.long { return nil }
    pauseCount += 1
    return now.duration(to: awakeAt)
  }
}
