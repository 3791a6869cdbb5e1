package import SoundTrigger

/// A change that a trigger saw and its verdict, as `explain` and `status` show it.
package struct VerdictMessage: Message, Sendable {
  /// The number of the change. Another verdict on it replaces this one.
  package var id = 0
  /// When the value changed.
  package var at = Timestamp(seconds: 0)
  package var judged = JudgedMembers()

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("id", &id)
    m.required("at", &at)
    judged.members(&m)
  }
}

/// A verdict as it is made, for those who follow.
package struct VerdictEvent: Message, Sendable {
  package var id = 0
  package var trigger = ""
  package var judged = JudgedMembers()
  /// What a device accepted or refused, if it came to that.
  package var sound: String?
  package var decidedAt: Timestamp?
  /// When the wait ends.
  package var until: Timestamp?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("id", &id)
    m.required("trigger", &trigger)
    judged.members(&m)
    m("sound", &sound)
    m("decided_at", &decidedAt)
    m("until", &until)
  }
}

/// A change and its verdict: members of several messages.
package struct JudgedMembers: Sendable {
  package var value = ""
  /// The old value, or `nil` if there was none; of a first value the same as `new`. Long ones are truncated.
  package var old: RawJSON?
  package var new: RawJSON?
  package var verdict = Word<VerdictWord>(text: "")
  /// Why, for people, with the numbers.
  package var reason = ""

  package init() {}

  mutating func members(_ m: inout some Members) {
    m("value", &value)
    m("old", &old)
    m("new", &new)
    m.required("verdict", &verdict)
    m.required("reason", &reason)
  }
}
