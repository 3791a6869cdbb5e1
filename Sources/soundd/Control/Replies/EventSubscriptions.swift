import SoundTrigger

/// A client that follows events.
protocol Subscriber: AnyObject {
  /// Sends lines, with a line feed between them and none after the last.
  func push(_ lines: [UInt8])
}

/// Why a sound is over; the words never change.
enum StopReason: String {
  /// It played to its end.
  case ended
  /// Its trigger, or a user, faded it out.
  case stopped
  /// A more important sound took its voice.
  case stolen
}

/// What a subscriber's state, which is written part by part, does not contain yet.
///
/// It will contain what happens to these values and triggers meanwhile, so there are no events of that.
final class UnwrittenState {
  /// Their places in the store. Values that are newer than the subscription are not among them.
  var values: Range<Int>
  /// Triggers are written last, and all at once.
  var hasTriggers = true

  init(values: Range<Int>) { self.values = values }
}

/// The clients that follow events, and what was not sent to them yet.
final class EventSubscriptions<Peer: Subscriber> {
  /// How much is gathered for a client before it is sent, in bytes.
  static var batch: Int { 65_536 }
  /// How many names one filter may have.
  static var longestFilter: Int { 256 }

  private struct Subscription {
    let peer: Peer
    /// Empty: everything.
    let names: Set<ValueName>
    let unwritten: UnwrittenState?
    /// Lines that are not sent yet, each with its line feed.
    var lines: [UInt8] = []
  }

  private var subscriptions: [Subscription] = []
  private var writer = JSONWriter()
  /// The moment of the last event, as RFC 3339: events of one instant have the same text.
  private var lastTime: (instant: Instant, text: String)?
  /// The civil time of an instant.
  private let civil: (Instant) -> Timestamp
  /// Whether anything is not sent yet.
  private var hasLines = false

  init(civil: @escaping (Instant) -> Timestamp) { self.civil = civil }

  /// Whether there are no subscribers.
  var isEmpty: Bool { subscriptions.isEmpty }

  // MARK: Subscribers

  /// Notifies a client of these values, or with an empty set of everything, in place of what it followed before.
  ///
  /// A client that first receives the state gets no events of what is `unwritten` of it.
  func add(_ peer: Peer, names: Set<ValueName>, unwritten: UnwrittenState? = nil) {
    remove(peer)
    subscriptions.append(Subscription(peer: peer, names: names, unwritten: unwritten))
  }

  /// Ends a subscription; what was gathered for it and not sent is dropped.
  func remove(_ peer: Peer) { subscriptions.removeAll { $0.peer === peer } }

  // MARK: Events

  /// Notifies of a change; `old` is `nil` for a value's first content.
  func notifyChange(_ id: ValueID, _ name: ValueName, old: Value?, new: Value, at instant: Instant) {
    write("change", of: [name], at: instant, isUnwritten: { $0.values.contains(id.index) }) { writer in
      writer.member("name", name.description)
      writer.member("old", old)
      writer.member("new", new)
    }
  }

  /// Notifies that a value was forgotten.
  func notifyUnset(_ id: ValueID, _ name: ValueName, at instant: Instant) {
    write("unset", of: [name], at: instant, isUnwritten: { $0.values.contains(id.index) }) { writer in
      writer.member("name", name.description)
    }
  }

  /// Notifies of a play, by a trigger that watches these values, or by hand (`nil`).
  ///
  /// `cause` is the change that it is played for, whose contents may be truncated; `verdict` is a word of `explain`.
  func notifyPlay(
    _ sound: String, trigger: String?, values: [ValueName], cause: Cause?,
    verdict: String, at instant: Instant
  ) {
    write("play", of: values, at: instant, isUnwritten: { trigger != nil && $0.hasTriggers }) { writer in
      writer.member("trigger", trigger)
      writer.member("sound", sound)
      writer.member("value", cause?.value.description)
      writer.member("old", truncated: cause?.old)
      writer.member("new", truncated: cause?.new)
      writer.member("verdict", verdict)
    }
  }

  /// Notifies that a sound is over. `cause`: why it was stopped, if it was; `value`: whose change that was.
  func notifyStop(
    _ sound: String, trigger: String?, values: [ValueName], reason: StopReason, cause: StopCause? = nil,
    value: ValueName? = nil, at instant: Instant
  ) {
    write("stop", of: values, at: instant, isUnwritten: { trigger != nil && $0.hasTriggers }) { writer in
      writer.member("trigger", trigger)
      writer.member("sound", sound)
      writer.member("reason", reason.rawValue)
      writer.cause(cause, of: value)
    }
  }

  /// Writes the state of a value anew for those who have it, because it is another one without a change.
  func notifyState(_ id: ValueID, _ name: ValueName, _ state: [UInt8]) {
    gather(state, for: subscribers(of: [name]) { $0.unwritten.map { !$0.values.contains(id.index) } ?? false })
  }

  /// Sends what was gathered. A client that does not read is disconnected by this, and removed.
  func send() {
    if !hasLines { return }
    hasLines = false
    let gathered = subscriptions
    for index in subscriptions.indices { subscriptions[index].lines = [] }
    for subscription in gathered where !subscription.lines.isEmpty {
      subscription.peer.push(subscription.lines.dropLast())
    }
  }

  /// Writes an event of these values for its subscribers.
  private func write(
    _ event: String, of values: [ValueName], at instant: Instant, isUnwritten: (UnwrittenState) -> Bool,
    _ members: (inout JSONWriter) -> Void
  ) {
    let concerned = subscribers(of: values) { !($0.unwritten.map(isUnwritten) ?? false) }
    if concerned.isEmpty { return }
    let time = text(of: instant)
    writer.removeAll()
    writer.object { writer in
      writer.member("event", event)
      writer.member("at", time)
      members(&writer)
    }
    gather(writer.bytes, for: concerned)
  }

  /// The places of the subscriptions to one of these values.
  private func subscribers(of values: [ValueName], where holds: (Subscription) -> Bool) -> [Int] {
    subscriptions.indices.filter { index in
      let names = subscriptions[index].names
      return holds(subscriptions[index]) && (names.isEmpty || !names.isDisjoint(with: values))
    }
  }

  private func gather(_ line: [UInt8], for concerned: [Int]) {
    if concerned.isEmpty { return }
    for index in concerned { subscriptions[index].lines += line + [UInt8(ascii: "\n")] }
    hasLines = true
    // All at once would be more than a client may leave unread, however fast it reads.
    if concerned.contains(where: { subscriptions[$0].lines.count >= Self.batch }) { send() }
  }

  private func text(of instant: Instant) -> String {
    if let lastTime, lastTime.instant == instant { return lastTime.text }
    let text = civil(instant).description
    lastTime = (instant, text)
    return text
  }
}
