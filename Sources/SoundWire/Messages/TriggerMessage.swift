package import SoundTrigger

/// A trigger, as `status` shows it, and `events --state`.
package struct TriggerMessage: Message, Sendable {
  package var name = ""
  /// The names of its values and patterns, with commas between them.
  package var value = ""
  /// The names of its sounds.
  package var sound = ""
  package var state = Word(TriggerState.ok)
  /// Why it cannot play, or plays something else.
  package var problem: String?
  /// How many members a rule has; `nil` for a trigger of exact names.
  package var memberCount: Int?
  /// The member that sounds or waits, the most important state first.
  package var loudest: String??
  package var level = LevelMembers()
  package var waitsUntil: Timestamp?
  package var queued = 0
  package var changes = 0
  package var played = 0
  package var dropped = 0
  /// When it last played.
  package var last: Timestamp?
  /// What it saw last, and the verdict.
  package var lastChange: VerdictMessage?
  /// The present content of the value of the last change, or of its only value.
  package var content: RawJSON?
  package var latency = LatencyMessage()

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("value", &value)
    m("sound", &sound)
    m.required("state", &state)
    m("problem", &problem)
    m.ifPresent("members", &memberCount)
    m.ifPresent("loudest", &loudest)
    level.members(&m)
    m("waits_until", &waitsUntil)
    m("queued", &queued)
    m("changes", &changes)
    m("played", &played)
    m("dropped", &dropped)
    m("last", &last)
    m("last_change", &lastChange)
    m("content", &content)
    m("latency", &latency)
  }
}

/// How a trigger is.
package enum TriggerState: String, Sendable {
  /// It neither waits nor sounds.
  case ok
  /// A `debounce` or a `delay` has not ended.
  case waiting
  /// One of its sounds runs.
  case sounding
  /// Its condition holds, and it loops.
  case looping
  /// One of its sounds cannot be played.
  case broken
}

/// How loud everything or a trigger is: members of several messages.
package struct LevelMembers: Equatable, Sendable {
  /// A factor, 0 to 1.
  package var volume = 1.0
  package var isMuted = false
  /// When the mute ends by itself.
  package var mutedUntil: Timestamp?

  package init(volume: Double = 1, isMuted: Bool = false, mutedUntil: Timestamp? = nil) {
    (self.volume, self.isMuted, self.mutedUntil) = (volume, isMuted, mutedUntil)
  }

  mutating func members(_ m: inout some Members) {
    m.required("volume", &volume)
    m.required("muted", &isMuted)
    m("muted_until", &mutedUntil)
  }
}
