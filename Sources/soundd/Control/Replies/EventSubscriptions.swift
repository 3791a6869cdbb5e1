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

/// The part of the state that a new subscriber has not received yet, because the state is sent in parts.
///
/// The state will contain the present contents of these values and triggers, so the subscriber gets no events about them.
final class UnwrittenState {
  /// Their indices in the store, without values that are newer than the subscription.
  var values: Range<Int>
  /// Whether the triggers are unwritten. They are written last, and all at once.
  var hasTriggers = true

  init(values: Range<Int>) { self.values = values }
}

/// The clients that follow events, and the events that are not sent to them yet.
final class EventSubscriptions<Peer: Subscriber> {
  /// How many bytes of events are collected for a client before they are sent.
  static var batch: Int { 65_536 }
  /// How many names one filter may have.
  static var longestFilter: Int { 256 }

  private struct Subscription {
    let peer: Peer
    /// Empty if the client follows everything.
    let names: Set<ValueName>
    let unwritten: UnwrittenState?
    let wantsVerdicts: Bool
    /// The lines that are not sent yet, each with its line feed.
    var lines: [UInt8] = []
  }

  private var subscriptions: [Subscription] = []
  private var writer = JSONWriter()
  /// The time of the last event as RFC 3339. Events of one instant share the text.
  private var lastTime: (instant: Instant, text: String)?
  /// The civil time of an instant.
  private let civil: (Instant) -> Timestamp
  /// Whether some events are not sent yet.
  private var hasLines = false

  /// Called after the subscribers have changed.
  var subscribersChanged: () -> Void = {}

  init(civil: @escaping (Instant) -> Timestamp) { self.civil = civil }

  /// Whether there are no subscribers.
  var isEmpty: Bool { subscriptions.isEmpty }

  /// Whether a subscriber wants to know each verdict.
  var wantsVerdicts: Bool { subscriptions.contains(where: \.wantsVerdicts) }

  // MARK: Subscribers

  /// Notifies a client of these values from now on, or of everything if the set is empty. Replaces an earlier subscription.
  ///
  /// A client that first receives the state gets no events about its `unwritten` rest.
  func add(_ peer: Peer, names: Set<ValueName>, unwritten: UnwrittenState? = nil, wantsVerdicts: Bool = false) {
    remove(peer)
    subscriptions.append(
      Subscription(peer: peer, names: names, unwritten: unwritten, wantsVerdicts: wantsVerdicts))
    subscribersChanged()
  }

  /// Ends a subscription and drops its unsent events.
  func remove(_ peer: Peer) {
    subscriptions.removeAll { $0.peer === peer }
    subscribersChanged()
  }

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

  /// Notifies of an alarm of a trigger that watches these values.
  func notifyAlarm(_ values: [ValueName], at instant: Instant, _ members: (inout JSONWriter) -> Void) {
    write("alarm", of: values, at: instant, isUnwritten: { $0.hasTriggers }, members)
  }

  /// Notifies those that follow everything of what decides whether sounds are heard: volume, mute, profile and device.
  func notifySettings(at instant: Instant, _ members: (inout JSONWriter) -> Void) {
    write("settings", of: [], at: instant, isUnwritten: { _ in false }, members)
  }

  /// Notifies of a play, by a trigger that watches these values, or by hand (`nil`).
  ///
  /// `cause` is the change that caused the play; its contents may be truncated. `verdict` is a word of `explain`.
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

  /// Notifies the subscribers that want verdicts. `reason` is for people; `waitsUntil` is `nil` if the change does not wait.
  func notifyVerdict(_ verdict: TriggerVerdict, reason: String, waitsUntil: Instant?, at now: Instant) {
    let (time, until) = (civil(now), waitsUntil.map(civil))
    write(
      "verdict", of: [verdict.value], at: verdict.change.at, where: \.wantsVerdicts, isUnwritten: \.hasTriggers
    ) { writer in
      writer.member("trigger", verdict.trigger)
      writer.members(of: verdict.change, of: verdict.value, reason: reason)
      writer.member("sound", verdict.sound)
      writer.member("decided_at", time)
      writer.member("until", until)
    }
  }

  /// Notifies that a sound is over. `cause` says why it was stopped, if it was; `value` is the value whose change stopped it.
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

  /// Writes the state of a value again for its subscribers, because the state differs although the value did not change.
  func notifyState(_ id: ValueID, _ name: ValueName, _ state: [UInt8]) {
    gather(state, for: subscribers(of: [name]) { $0.unwritten.map { !$0.values.contains(id.index) } ?? false })
  }

  /// Sends the collected events. This may disconnect and remove a client that does not read.
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
    _ event: String, of values: [ValueName], at instant: Instant,
    where isWanted: (Subscription) -> Bool = { _ in true },
    isUnwritten: (UnwrittenState) -> Bool, _ members: (inout JSONWriter) -> Void
  ) {
    let concerned = subscribers(of: values) { isWanted($0) && !($0.unwritten.map(isUnwritten) ?? false) }
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

  /// The indices of the subscriptions to one of these values.
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
    // All events at once could exceed the limit of unread bytes, even of a client that reads fast.
    if concerned.contains(where: { subscriptions[$0].lines.count >= Self.batch }) { send() }
  }

  private func text(of instant: Instant) -> String {
    if let lastTime, lastTime.instant == instant { return lastTime.text }
    let text = civil(instant).description
    lastTime = (instant, text)
    return text
  }
}
