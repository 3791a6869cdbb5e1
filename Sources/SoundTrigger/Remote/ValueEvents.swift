/// The first members of each line of `events`.
package struct EventHead: Message, Sendable {
  /// The kind of an event: the first word of its line.
  package enum Kind: String, CaseIterable, Sendable {
    case value, trigger, alarm, ready, change, unset, play, stop, settings, verdict
  }

  package var event = Word<Kind>(text: "")
  /// When it happened; `nil` for state. Of a verdict: when the value changed.
  package var at: Timestamp?

  package init() {}

  package init(_ kind: Kind, at time: Timestamp?) { (event, at) = (Word(kind), time) }

  package mutating func members(_ m: inout some Members) {
    m.required("event", &event)
    m.ifPresent("at", &at)
  }

  /// The first bytes of a line with an event of this kind.
  package static func mark(_ kind: Kind) -> [UInt8] { Array(#"{"event":"\#(kind.rawValue)""#.utf8) }
  package static let mark = Array(#"{"event":""#.utf8)
}

/// A value changed.
package struct ChangeMessage: Message, Sendable {
  package var name = ""
  /// The old value, or `nil` if there was none.
  package var old: RawJSON?
  package var new: RawJSON?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("old", &old)
    m("new", &new)
  }
}

/// A value was forgotten.
package struct UnsetMessage: Message, Sendable {
  package var name = ""

  package init() {}

  package mutating func members(_ m: inout some Members) { m.required("name", &name) }
}
