import SoundTrigger

/// Plays that began without a device, and until when each of them may still be heard.
///
/// A sound that nobody could hear in time is over: it is not to be heard from its middle whenever the device comes back.
struct UnheardPlays {
  private var deadlines: [VoiceID: Instant] = [:]

  /// When `take(until:)` has something to give.
  private(set) var nextDeadline: Instant?

  mutating func add(_ voice: VoiceID, until deadline: Instant) {
    deadlines[voice] = deadline
    nextDeadline = min(nextDeadline ?? deadline, deadline)
  }

  /// A voice is heard or has ended; returns whether it was waited for.
  @discardableResult
  mutating func remove(_ voice: VoiceID) -> Bool {
    guard deadlines.removeValue(forKey: voice) != nil else { return false }
    nextDeadline = deadlines.values.min()
    return true
  }

  /// There is a device: all that runs is heard.
  mutating func removeAll() {
    deadlines.removeAll()
    nextDeadline = nil
  }

  /// Takes those that were not heard until `now`.
  mutating func take(until now: Instant) -> [VoiceID] {
    let late = deadlines.filter { $0.value <= now }.map(\.key)
    for voice in late { deadlines[voice] = nil }
    nextDeadline = deadlines.values.min()
    return late
  }
}
