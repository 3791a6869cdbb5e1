package import SoundTrigger

/// What triggers did in the last days, as `report` on the socket has it.
package struct ActivityMessage: Message, Sendable {
  /// Until when was counted; `nil` if the daemon counts nothing, because it keeps no state.
  package var until: Timestamp?
  /// The present hour first.
  package var counts: [ActivityLine] = []
  /// The alarms that are not normal, the oldest first.
  package var standing: [StandingMessage] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("until", &until)
    m.required("counts", &counts)
    m.required("standing", &standing)
  }
}

/// An alarm that is not normal. All members of a pattern are one.
package struct StandingMessage: Message, Equatable, Sendable {
  package var trigger = ""
  package var since = Timestamp(seconds: 0)

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("trigger", &trigger)
    m.required("since", &since)
  }
}

extension [StandingMessage] {
  /// At most a thousand, so that the reply is short.
  private static var most: Int { 1000 }

  /// The alarms of each trigger as one, the oldest first.
  package init(_ alarms: some Sequence<(name: String, since: Timestamp)>) {
    let oldest = Dictionary(alarms.lazy.map { ($0.name.ruleName, $0.since) }, uniquingKeysWith: Swift.min)
    let sorted = oldest.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    self = sorted.prefix(Self.most).map { trigger, since in
      var message = StandingMessage()
      (message.trigger, message.since) = (trigger, since)
      return message
    }
  }
}
