import SoundTrigger

/// Which alarms something silences although they began more than a day ago. The log names each of them once.
struct OldSilences {
  /// From when on the silence of an alarm is old, since the alarm began.
  static let age = Duration.seconds(86_400)

  /// When those began that were named.
  private var named: [String: Instant] = [:]

  /// When the silence of an alarm is old that began at `since`.
  static func end(_ since: Instant) -> Instant { since.advanced(by: age) }

  /// Takes the alarms that something silences, with when they began. Returns those to name now, and when to ask again.
  mutating func update(_ silent: [String: Instant], at now: Instant) -> (old: Set<String>, next: Instant?) {
    named = named.filter { silent[$0.key] == $0.value }
    let new = silent.filter { named[$0.key] == nil }
    let old = new.filter { Self.end($0.value) <= now }
    named.merge(old) { _, new in new }
    return (Set(old.keys), new.values.map(Self.end).filter { $0 > now }.min())
  }
}
