package import SoundTrigger

// The lines of the file `state`, after the first:
//
//     {"volume":0.5,"profile":"quiet","profile_chosen_at":1790000000,"saved_at":1790000000123}
//     {"trigger":"reactor","volume":0.25}
//     {"trigger":"gone","volume":0.25,"unknown_since":1790000000}
//     {"trigger":"reactor","played_at":1790000000123}
//     {"alarm":"reactor","life":"acknowledged","id":17,"since":1790000000000,"values":["reactor"], …}
//     {"value":"build","sha256":"9f86…0a08"}
//     {"value":"unread","sha256":"4e07…1ce5","number":3}
//     {"value":"agent/7","sha256":"2c26…e7ae","day":20000}
//     {"value":"heartbeat","reported_at":1790000000123,"stale":false}
//
// Times are of UTC since 1970, in milliseconds; those of profiles and `unknown_since` are in seconds. The required members of a
// line tell it from the others.

/// What holds for all triggers.
package struct StateHead: Message, Equatable, Sendable {
  /// A factor.
  package var volume = 1.0
  package var profile = Word(Profile.full)
  package var profileChosenAt: Int?
  /// When a profile ends that was chosen for a time, and which one holds then.
  package var profileUntil: Int?
  package var profileBefore: Word<Profile>?
  package var savedAt: Int?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("volume", &volume)
    m.required("profile", &profile)
    m("profile_chosen_at", &profileChosenAt)
    m.ifPresent("profile_until", &profileUntil)
    m.ifPresent("profile_before", &profileBefore)
    m("saved_at", &savedAt)
  }
}

/// The volume of a trigger.
package struct TriggerVolume: Message, Equatable, Sendable {
  package var trigger = ""
  /// A factor.
  package var volume = 1.0
  /// Since when the configuration has no such trigger, in seconds.
  package var unknownSince: Int?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("trigger", &trigger)
    m.required("volume", &volume)
    m.ifPresent("unknown_since", &unknownSince)
  }
}

/// When a trigger played last.
package struct TriggerPlay: Message, Equatable, Sendable {
  package var trigger = ""
  package var playedAt = 0
  /// As in `TriggerVolume`.
  package var unknownSince: Int?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("trigger", &trigger)
    m.required("played_at", &playedAt)
    m.ifPresent("unknown_since", &unknownSince)
  }
}

/// An alarm that is not normal, or is snoozed.
package struct AlarmLine: Message, Equatable, Sendable {
  package var alarm = ""
  package var life = Word(AlarmLife.normal)
  /// The number of this occurrence. Version 4 began without it.
  package var id: Int?
  package var since: Int?
  package var acknowledgedAt: Int?
  package var snoozedUntil: Int?
  package var pendingUntil: Int?
  package var offUntil: Int?
  /// The values that meet its condition. Before soundd wrote `waits`, also those that waited, until `pendingUntil`.
  package var values: [String] = []
  package var waits: [AlarmWait]?
  /// The content that began it, and its type if it can be read again.
  package var content: RawJSON?
  package var contentType: String?
  package var sound: String?
  package var heard = false
  package var repetitions = 0
  /// As in `TriggerVolume`.
  package var unknownSince: Int?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("alarm", &alarm)
    m.required("life", &life)
    m.ifPresent("id", &id)
    m("since", &since)
    m("acknowledged_at", &acknowledgedAt)
    m("snoozed_until", &snoozedUntil)
    m("pending_until", &pendingUntil)
    m.ifPresent("off_until", &offUntil)
    m("values", &values)
    m.ifPresent("waits", &waits)
    m("content", &content)
    m("content_type", &contentType)
    m("sound", &sound)
    m("heard", &heard)
    m("repetitions", &repetitions)
    m.ifPresent("unknown_since", &unknownSince)
  }
}

/// A value that waits to meet the condition of an alarm.
package struct AlarmWait: Message, Equatable, Sendable {
  package var value = ""
  package var until = 0
  /// Its content, and its type if it can be read again.
  package var content: RawJSON?
  package var contentType: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("value", &value)
    m.required("until", &until)
    m("content", &content)
    m("content_type", &contentType)
  }
}

/// The last content of a value.
package struct ContentLine: Message, Equatable, Sendable {
  package var value = ""
  package var digest = SIMD8<UInt32>()
  /// The content itself, of a number.
  package var number: Double?
  /// The day, counted from 1970, on which the value was last there.
  package var day: Int?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("value", &value)
    m.required("sha256", &digest)
    m.ifPresent("number", &number)
    m.ifPresent("day", &day)
  }
}

/// When a value was last reported.
package struct ReportTime: Message, Equatable, Sendable {
  package var value = ""
  package var reportedAt = 0
  package var stale = false

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("value", &value)
    m.required("reported_at", &reportedAt)
    m("stale", &stale)
  }
}
