package import SoundTrigger

/// Which profile holds, why, and what holds after it: members of several messages.
package struct ProfileMembers: Equatable, Sendable {
  /// The one that holds.
  package var profile = Word(Profile.full)
  package var chosen = Word(Profile.full)
  /// The value that restricts it now (`quiet_while`, `silent_while`).
  package var gate: String?
  package var until: Timestamp?
  /// What holds after that.
  package var then: Word<Profile>?
  /// Until when quiet hours last.
  package var quietUntil: Timestamp?

  package init() {}

  mutating func members(_ m: inout some Members) {
    m.required("profile", &profile)
    m("profile_chosen", &chosen)
    m("profile_gate", &gate)
    m("profile_until", &until)
    m("profile_then", &then)
    m("quiet_until", &quietUntil)
  }
}
