import SoundTrigger
import SoundWire

/// A client that follows events.
protocol Subscriber: AnyObject {
  /// Sends lines, each with its line feed.
  func push(_ lines: [UInt8])
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
  /// The civil times of the last two instants. Events of one instant have the same.
  private var times: (last: (instant: Instant, time: Timestamp)?, other: (instant: Instant, time: Timestamp)?)
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
    write(.change, of: [name], at: instant, isUnwritten: { $0.values.contains(id.index) }) {
      var change = ChangeMessage()
      (change.name, change.old, change.new) = (name.description, old.map { RawJSON($0) }, RawJSON(new))
      return change
    }
  }

  /// Notifies that a value was forgotten.
  func notifyUnset(_ id: ValueID, _ name: ValueName, at instant: Instant) {
    write(.unset, of: [name], at: instant, isUnwritten: { $0.values.contains(id.index) }) {
      var unset = UnsetMessage()
      unset.name = name.description
      return unset
    }
  }

  /// Notifies of an alarm of a trigger that watches these values.
  func notifyAlarm(_ values: [ValueName], at instant: Instant, _ alarm: () -> AlarmMessage) {
    write(.alarm, of: values, at: instant, isUnwritten: \.hasTriggers, alarm)
  }

  /// Notifies those that follow everything of what decides whether sounds are heard.
  func notifySettings(_ settings: SettingsMessage, at instant: Instant) {
    write(.settings, of: [], at: instant, isUnwritten: { _ in false }) { settings }
  }

  /// Notifies of a play, by a trigger that watches these values, or by hand.
  func notifyPlay(_ play: Play, values: [ValueName], _ verdict: VerdictWord) {
    write(.play, of: values, at: play.at, isUnwritten: { play.trigger != nil && $0.hasTriggers }) {
      var message = PlayMessage()
      (message.id, message.trigger, message.sound) = (Int(play.id.rawValue), play.trigger, play.sound)
      message.value = play.cause?.value.description
      message.old = play.cause?.old.map { RawJSON(truncated: $0) }
      message.new = (play.cause?.new).map { RawJSON(truncated: $0) }
      message.verdict = Word(verdict)
      return message
    }
  }

  /// Notifies the subscribers that want verdicts. `reason` is for people; `waitsUntil` is `nil` if the change does not wait.
  func notifyVerdict(_ verdict: TriggerVerdict, reason: String, waitsUntil: Instant?, at now: Instant) {
    write(
      .verdict, of: [verdict.value], at: verdict.change.at, where: \.wantsVerdicts, isUnwritten: \.hasTriggers
    ) {
      var message = VerdictEvent()
      (message.id, message.trigger, message.sound) = (verdict.change.id, verdict.trigger, verdict.sound)
      message.judged = JudgedMembers(verdict.change, of: verdict.value, reason: reason)
      (message.decidedAt, message.until) = (time(of: now), waitsUntil.map(civil))
      return message
    }
  }

  /// Notifies that a sound is over. `cause` says why it was stopped, if it was; `value` is the value whose change stopped it.
  func notifyStop(
    _ play: Play, values: [ValueName], reason: StopReason, cause: StopCause? = nil, value: ValueName? = nil,
    at instant: Instant
  ) {
    write(.stop, of: values, at: instant, isUnwritten: { play.trigger != nil && $0.hasTriggers }) {
      var message = StopMessage()
      (message.id, message.trigger, message.sound) = (Int(play.id.rawValue), play.trigger, play.sound)
      (message.reason, message.cause) = (Word(reason), StopCauseMembers(cause, of: value))
      return message
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
      subscription.peer.push(subscription.lines)
    }
  }

  /// Writes an event of these values for its subscribers. Makes the message only if there are some.
  private func write<Content: Message>(
    _ kind: EventHead.Kind, of values: [ValueName], at instant: Instant,
    where isWanted: (Subscription) -> Bool = { _ in true },
    isUnwritten: (UnwrittenState) -> Bool, _ content: () -> Content
  ) {
    let concerned = subscribers(of: values) { isWanted($0) && !($0.unwritten.map(isUnwritten) ?? false) }
    if concerned.isEmpty { return }
    var content = content()
    writer.removeAll()
    writer.event(kind, at: time(of: instant), &content)
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
    for index in concerned {
      subscriptions[index].lines += line
      subscriptions[index].lines.append(UInt8(ascii: "\n"))
    }
    hasLines = true
    // All events at once could exceed the limit of unread bytes, even of a client that reads fast.
    if concerned.contains(where: { subscriptions[$0].lines.count >= Self.batch }) { send() }
  }

  private func time(of instant: Instant) -> Timestamp {
    if times.last?.instant != instant { times = (times.other, times.last) }
    if let last = times.last, last.instant == instant { return last.time }
    let time = civil(instant)
    times.last = (instant, time)
    return time
  }
}
