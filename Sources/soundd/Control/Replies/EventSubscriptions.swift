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
  /// There was no voice for it: nothing of it was heard.
  case crowded
  /// No device took it in time: nothing of it was heard.
  case noDevice = "no_device"
}

/// The clients that follow events, and what was not sent to them yet.
///
/// An event without a subscriber costs the look at an array. Any other is written once for each filter, and sent together
/// with others.
final class EventSubscriptions<Peer: Subscriber> {
  /// How much is gathered for a filter before it is sent, in bytes.
  static var batch: Int { 65_536 }
  /// How many names one filter may have.
  static var longestFilter: Int { 256 }

  /// The subscribers of one filter.
  private final class Group {
    /// Empty: everything.
    let names: Set<ValueName>
    var subscribers: [Peer] = []
    /// Lines that are not sent yet, each with its line feed.
    var lines: [UInt8] = []

    init(_ names: Set<ValueName>) { self.names = names }
  }

  private var groups: [Set<ValueName>: Group] = [:]
  private var groupOfSubscriber: [ObjectIdentifier: Group] = [:]
  /// The groups that follow a value, by its index; `nil`: not looked up yet.
  private var valueRoutes: [[Group]?] = []
  /// The groups that follow a trigger, by its name.
  private var triggerRoutes: [String: [Group]] = [:]
  private var writer = JSONWriter()
  /// The moment of the last event, as RFC 3339: many events share it.
  private var lastTime: (instant: Instant, text: String)?
  /// The civil time of an instant.
  private let civil: (Instant) -> Timestamp
  /// Whether anything is not sent yet.
  private var hasLines = false

  init(civil: @escaping (Instant) -> Timestamp) { self.civil = civil }

  /// Whether there are no subscribers.
  var isEmpty: Bool { groupOfSubscriber.isEmpty }

  // MARK: Subscribers

  /// Notifies a client of these values, or with an empty set of everything, in place of what it followed before.
  func add(_ peer: Peer, names: Set<ValueName>) {
    remove(peer)
    let group = groups[names] ?? Group(names)
    // The newcomer does not receive what was gathered before.
    send(group)
    groups[names] = group
    group.subscribers.append(peer)
    groupOfSubscriber[ObjectIdentifier(peer)] = group
    forgetRoutes()
  }

  /// Ends a subscription; what was gathered for it and not sent is dropped.
  func remove(_ peer: Peer) {
    guard let group = groupOfSubscriber.removeValue(forKey: ObjectIdentifier(peer)) else { return }
    group.subscribers.removeAll { $0 === peer }
    if group.subscribers.isEmpty {
      groups[group.names] = nil
      forgetRoutes()
    }
  }

  /// To be called when triggers watch other values than before.
  func triggersChanged() { triggerRoutes.removeAll() }

  private func forgetRoutes() {
    valueRoutes.removeAll()
    triggerRoutes.removeAll()
  }

  // MARK: Events

  /// Whether a value has subscribers; `name` is evaluated once.
  func wants(_ value: ValueID, _ name: @autoclosure () -> ValueName) -> Bool { !groups(for: value, name()).isEmpty }

  /// Whether a trigger has subscribers, `nil` for what is played by hand; `values` are those that it watches.
  func wants(trigger: String?, values: @autoclosure () -> [ValueName]) -> Bool {
    !groups(for: trigger, values()).isEmpty
  }

  /// Notifies of a change; `old` is `nil` for a value's first content.
  func notifyChange(_ value: ValueID, _ name: ValueName, old: Value?, new: Value, at instant: Instant) {
    write("change", at: instant, to: groups(for: value, name)) { writer in
      writer.member("name", name.description)
      writer.member("old", old)
      writer.member("new", new)
    }
  }

  /// Notifies of a play, by a trigger that watches these values, or by hand (`nil`).
  ///
  /// `cause` is the change that it is played for, whose contents may be truncated; `verdict` is a word of `explain`.
  func notifyPlay(
    _ sound: String, trigger: String?, values: [ValueName], cause: Cause?,
    verdict: String, at instant: Instant
  ) {
    write("play", at: instant, to: groups(for: trigger, values)) { writer in
      writer.member("trigger", trigger)
      writer.member("sound", sound)
      writer.member("value", cause?.value.description)
      writer.member("old", truncated: cause?.old)
      writer.member("new", truncated: cause?.new)
      writer.member("verdict", verdict)
    }
  }

  /// Notifies that a sound is over.
  func notifyStop(
    _ sound: String, trigger: String?, values: [ValueName], reason: StopReason, at instant: Instant
  ) {
    write("stop", at: instant, to: groups(for: trigger, values)) { writer in
      writer.member("trigger", trigger)
      writer.member("sound", sound)
      writer.member("reason", reason.rawValue)
    }
  }

  /// Sends what was gathered.
  func send() {
    if !hasLines { return }
    hasLines = false
    for group in groups.values { send(group) }
  }

  private func groups(for value: ValueID, _ name: @autoclosure () -> ValueName) -> [Group] {
    if value.index < valueRoutes.count, let route = valueRoutes[value.index] { return route }
    let missing = value.index + 1 - valueRoutes.count
    if missing > 0 { valueRoutes.append(contentsOf: Array(repeating: nil, count: missing)) }
    let name = name()
    let route = groups.values.filter { $0.names.isEmpty || $0.names.contains(name) }
    valueRoutes[value.index] = route
    return route
  }

  private func groups(for trigger: String?, _ values: @autoclosure () -> [ValueName]) -> [Group] {
    guard let trigger else { return groups.values.filter(\.names.isEmpty) }
    if let route = triggerRoutes[trigger] { return route }
    let values = values()
    let route = groups.values.filter { $0.names.isEmpty || !$0.names.isDisjoint(with: values) }
    triggerRoutes[trigger] = route
    return route
  }

  private func write(
    _ event: String, at instant: Instant, to groups: [Group], _ members: (inout JSONWriter) -> Void
  ) {
    if groups.isEmpty { return }
    let time = text(of: instant)
    writer.removeAll()
    writer.object { writer in
      writer.member("event", event)
      writer.member("at", time)
      members(&writer)
    }
    for group in groups {
      group.lines.append(contentsOf: writer.bytes)
      group.lines.append(0x0A)
      hasLines = true
      // All at once would be more than a client may leave unread, however fast it reads.
      if group.lines.count >= Self.batch { send(group) }
    }
  }

  private func text(of instant: Instant) -> String {
    if let lastTime, lastTime.instant == instant { return lastTime.text }
    let text = civil(instant).description
    lastTime = (instant, text)
    return text
  }

  /// A client that does not read is disconnected by this, and removed.
  private func send(_ group: Group) {
    if group.lines.isEmpty { return }
    group.lines.removeLast()
    let lines = group.lines
    group.lines = []
    for subscriber in group.subscribers { subscriber.push(lines) }
  }
}
