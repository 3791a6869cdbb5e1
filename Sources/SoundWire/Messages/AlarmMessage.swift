package import SoundTrigger

/// An alarm, as `alarms`, `status` and `events` show it.
package struct AlarmMessage: Message, Sendable {
  /// The number of this occurrence; `nil` while the alarm is normal.
  package var id: Int?
  package var name = ""
  package var state = Word(AlarmState.normal)
  package var life = Word(AlarmLife.normal)
  /// When it became active or, if it is pending, when its condition began to hold.
  package var since: Timestamp?
  /// When what silences it ends.
  package var until: Timestamp?
  /// What silences it, in a word.
  package var silence: Word<SilenceCause>?
  /// What silences it, for people.
  package var why: String?
  /// The value that began it.
  package var value: String?
  /// The present content of that value.
  package var content: RawJSON?
  package var importance = ""
  package var acknowledgedAt: Timestamp?
  package var snoozedUntil: Timestamp?
  /// Whether a device has accepted its sound since it became active.
  package var heard = false
  /// What it plays because its own sound cannot be played.
  package var problem: String?
  /// All that a person needs to know of its state: `snoozed until 14:20:00 (active since 14:05:11)`.
  package var sentence = ""

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("id", &id)
    m.required("name", &name)
    m.required("state", &state)
    m.required("life", &life)
    m("since", &since)
    m("until", &until)
    m("silence", &silence)
    m("why", &why)
    m("value", &value)
    m("content", &content)
    m("importance", &importance)
    m("acknowledged_at", &acknowledgedAt)
    m("snoozed_until", &snoozedUntil)
    m("heard", &heard)
    m("problem", &problem)
    m.required("sentence", &sentence)
  }
}

/// What silences an alarm. The words never change.
package enum SilenceCause: String, Sendable {
  case snoozed, gate, profile, crowded, broken
  /// All of soundd.
  case muted, volume
  /// The trigger alone.
  case triggerMuted = "trigger_muted"
  case triggerVolume = "trigger_volume"
  case noDevice = "no_device"

  /// Whether it is a mute, or a volume of 0.
  package var isLevel: Bool { [.muted, .volume, .triggerMuted, .triggerVolume].contains(self) }
}
