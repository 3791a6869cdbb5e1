package import SoundTrigger

/// The reply to `explain`.
package struct ExplainMessage: Message, Sendable {
  /// The trigger.
  package var name = ""
  package var value: String?
  /// The oldest first.
  package var verdicts: [VerdictMessage] = []
  package var sounds: [FoundSoundMessage] = []
  /// What it last said.
  package var said: SpeechMessage?
  /// When and why its sound was last stopped.
  package var stopped: StoppedMessage?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("value", &value)
    m.required("verdicts", &verdicts)
    m("sounds", &sounds)
    m("said", &said)
    m("stopped", &stopped)
  }
}

/// Which file a sound is, and how it was found.
package struct FoundSoundMessage: Message, Sendable {
  package var name = ""
  package var path: String?
  package var found: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("name", &name)
    m("path", &path)
    m("found", &found)
  }
}

/// What a trigger said, or why it could not.
package struct SpeechMessage: Message, Sendable {
  package var text: String?
  package var problem: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("text", &text)
    m("problem", &problem)
  }
}

/// When and why a sound was stopped.
package struct StoppedMessage: Message, Sendable {
  package var at = Timestamp(seconds: 0)
  package var cause = StopCauseMembers()
  /// For people.
  package var reason = ""

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("at", &at)
    cause.members(&m)
    m("reason", &reason)
  }
}

/// Why a sound was stopped: members of several messages.
package struct StopCauseMembers: Sendable {
  /// The word.
  package var by: String?
  /// The value that changed, if that was the cause.
  package var value: String?

  package init(by: String? = nil, value: String? = nil) { (self.by, self.value) = (by, value) }

  mutating func members(_ m: inout some Members) {
    m("by", &by)
    m("value", &value)
  }
}
