/// A value, as `get` and `list` show it, and `events --state`.
package struct ValueMessage: Message, Sendable {
  package var name = ""
  /// The present value, or `nil` if it has none.
  package var value: RawJSON?
  /// The word for its type, as in the configuration.
  package var type = ""
  /// How many updates were accepted.
  package var updates = 0
  package var refusals = RefusalMembers()
  package var changedAt: Timestamp?
  package var source = ""
  /// `nil` if no updates of it are expected.
  package var stale: Bool?
  /// Why its command or feed does not work.
  package var problem: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m("value", &value)
    m("type", &type)
    m("updates", &updates)
    refusals.members(&m)
    m("changed_at", &changedAt)
    m("source", &source)
    m.ifPresent("stale", &stale)
    m.ifPresent("problem", &problem)
  }

  /// Whether updates are overdue.
  package var isStale: Bool { stale == true }
}

/// The updates that a value or a feed has refused: members of several messages.
package struct RefusalMembers: Sendable {
  /// How many updates; `nil` for what cannot refuse any.
  package var count: Int?
  /// When the last one came, if none was accepted later.
  package var time: Timestamp?
  /// The last one, and why it was refused.
  package var last: String?

  package init(count: Int? = nil, time: Timestamp? = nil, last: String? = nil) {
    (self.count, self.time, self.last) = (count, time, last)
  }

  package mutating func members(_ m: inout some Members) {
    m("refused", &count)
    m("refused_at", &time)
    m("refusal", &last)
  }
}
