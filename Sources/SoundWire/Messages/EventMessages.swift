package import SoundTrigger

/// A device accepted a sound, or soundd refused it.
package struct PlayMessage: Message, Sendable {
  /// The number of the play, in this run of the daemon.
  package var id = 0
  /// `nil` for a sound by hand.
  package var trigger: String?
  package var sound = ""
  /// The value whose change caused it.
  package var value: String?
  package var old: RawJSON?
  package var new: RawJSON?
  package var verdict = Word<VerdictWord>(text: "")

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("id", &id)
    m("trigger", &trigger)
    m.required("sound", &sound)
    m("value", &value)
    m("old", &old)
    m("new", &new)
    m.required("verdict", &verdict)
  }
}

/// A sound is over.
package struct StopMessage: Message, Sendable {
  /// The number of the play.
  package var id = 0
  package var trigger: String?
  package var sound = ""
  package var reason = Word(StopReason.ended)
  package var cause = StopCauseMembers()

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("id", &id)
    m("trigger", &trigger)
    m.required("sound", &sound)
    m.required("reason", &reason)
    cause.members(&m)
  }
}

/// Why a sound is over. The words never change.
package enum StopReason: String, Sendable {
  /// It played to its end.
  case ended
  /// Its trigger, or a user, faded it out.
  case stopped
  /// A more important sound took its voice.
  case stolen
}

/// What decides whether sounds are heard has changed.
package struct SettingsMessage: Message, Equatable, Sendable {
  package var level = LevelMembers()
  package var profile = ProfileMembers()
  package var device = Word(Presence.present)

  package enum Presence: String, Sendable { case present, missing }

  package init() {}

  package mutating func members(_ m: inout some Members) {
    level.members(&m)
    profile.members(&m)
    m("device", &device)
  }
}

/// The state is complete.
package struct ReadyMessage: Message, Sendable {
  package init() {}

  package mutating func members(_ m: inout some Members) {}
}
