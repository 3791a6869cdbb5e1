package import SoundTrigger

/// What `soundd devices --json` prints.
package struct DevicesMessage: Message, Sendable {
  package var device = UsedDeviceMessage()
  package var soundServer: String?
  package var cards: [String] = []
  package var devices: [ListedDeviceMessage] = []
  /// Why the devices could not be listed.
  package var problem: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("device", &device)
    m("sound_server", &soundServer)
    m("cards", &cards)
    m("devices", &devices)
    m("problem", &problem)
  }
}

/// The device that soundd uses.
package struct UsedDeviceMessage: Message, Sendable {
  package var name = ""
  /// Whether a daemon runs.
  package var inUse = false
  package var problem: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("name", &name)
    m("in_use", &inUse)
    m("problem", &problem)
  }
}

/// One of ALSA's devices.
package struct ListedDeviceMessage: Message, Sendable {
  package var name = ""
  package var description: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("name", &name)
    m("description", &description)
  }
}

/// A sound in what `soundd sounds --json` prints.
package struct SoundMessage: Message, Sendable {
  package var name = ""
  /// `nil` for a shipped sound.
  package var path: String?
  package var length: Duration?
  package var meaning: String?
  /// The path of the sound of this name that plays instead.
  package var hiddenBy: String?
  package var problem: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("name", &name)
    m("path", &path)
    m("length", &length)
    m("meaning", &meaning)
    m("hidden_by", &hiddenBy)
    m("problem", &problem)
  }
}

/// What `soundd doctor --json` prints.
package struct DoctorMessage: Message, Sendable {
  /// The worst state of all checks.
  package var state = ""
  package var checks: [CheckMessage] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("state", &state)
    m("checks", &checks)
  }
}

/// A row of `doctor`.
package struct CheckMessage: Message, Sendable {
  package var subject = ""
  package var state = ""
  package var finding = ""
  package var remedy: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("subject", &subject)
    m("state", &state)
    m("finding", &finding)
    m("remedy", &remedy)
  }
}

/// A line of `soundd render --json`.
package struct RenderedMessage: Message, Sendable {
  package var event = ""
  /// Seconds since the beginning.
  package var time = RawJSON { $0.null() }
  package var trigger: String?
  package var sound: String?
  package var state: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("event", &event)
    m("time", &time)
    m("trigger", &trigger)
    m.ifPresent("sound", &sound)
    m.ifPresent("state", &state)
  }
}

/// What `soundd report --json` prints.
package struct ReportMessage: Message, Sendable {
  /// When the first hour began.
  package var from = Timestamp(seconds: 0)
  /// Until when was counted.
  package var until: Timestamp?
  package var hours = 0
  /// The noisiest triggers.
  package var triggers: [ReportedTriggerMessage] = []
  package var findings: [FindingMessage] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("from", &from)
    m("until", &until)
    m("hours", &hours)
    m("triggers", &triggers)
    m("findings", &findings)
  }
}

/// What a trigger did in the time of a report.
package struct ReportedTriggerMessage: Message, Sendable {
  package var name = ""
  package var plays = 0
  package var playsPerHour = 0.0
  package var alarms = 0
  package var alarmsPerHour = 0.0
  /// The most in an hour.
  package var alarmsInHour = 0
  package var acknowledged = 0
  /// The mean; `nil` if none was acknowledged.
  package var acknowledgedAfter: Duration?
  package var longestWait: Duration?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("name", &name)
    m("plays", &plays)
    m("plays_per_hour", &playsPerHour)
    m("alarms", &alarms)
    m("alarms_per_hour", &alarmsPerHour)
    m("alarms_in_hour", &alarmsInHour)
    m("acknowledged", &acknowledged)
    m("acknowledged_after", &acknowledgedAfter)
    m("acknowledged_after_max", &longestWait)
  }
}

/// What is wrong with a trigger, and the keys that would help.
package struct FindingMessage: Message, Sendable {
  /// It never changes.
  package var code = ""
  package var trigger = ""
  /// Continues the trigger's name.
  package var problem = ""
  package var keys: [String] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("code", &code)
    m("trigger", &trigger)
    m("problem", &problem)
    m("keys", &keys)
  }
}
