import SoundTrigger

/// Somebody who is told of events.
protocol EventListener: AnyObject {
  /// Sends lines, with an end of the line between them and none after the last.
  func push(_ lines: [UInt8])
}

/// Who is told of which events, and what they are still to be told.
///
/// An event that nobody asked for costs the look at an array. One that somebody asked for is written once, however many
/// listeners there are, and is sent to all of them with others: those with the same filter share what they are sent.
final class EventSubscriptions<Listener: EventListener> {
  /// How much is gathered for a filter before it is sent, in bytes.
  static var batch: Int { 65_536 }
  /// How many names one filter may have.
  static var longestFilter: Int { 256 }

  /// The listeners of one filter.
  private final class Group {
    /// Empty: everything.
    let names: Set<ValueName>
    var listeners: [Listener] = []
    /// Lines that are not sent yet, each with its end.
    var lines: [UInt8] = []

    init(_ names: Set<ValueName>) { self.names = names }
  }

  private var groups: [Set<ValueName>: Group] = [:]
  private var groupOfListener: [ObjectIdentifier: Group] = [:]
  /// Who wants to know of a value, by its index; `nil`: not looked up yet.
  private var valueRoutes: [[Group]?] = []
  /// Who wants to know of a trigger, by its name.
  private var triggerRoutes: [String: [Group]] = [:]
  private var writer = ReportWriter()
  /// The moment of the last event, as RFC 3339: many events share it.
  private var lastTime: (instant: Instant, text: [UInt8])?
  /// The civil time of an instant.
  private let civil: (Instant) -> Timestamp
  /// Whether anything is still to be sent.
  private var hasLines = false

  init(civil: @escaping (Instant) -> Timestamp) { self.civil = civil }

  /// Whether nobody listens.
  var isEmpty: Bool { groupOfListener.isEmpty }

  // MARK: Listeners

  /// Tells a listener of these values, or of everything, from now on, instead of what it asked for before.
  func add(_ listener: Listener, names: Set<ValueName>) {
    remove(listener)
    let group = groups[names] ?? Group(names)
    // What was gathered before is not for the newcomer.
    send(group)
    groups[names] = group
    group.listeners.append(listener)
    groupOfListener[ObjectIdentifier(listener)] = group
    forgetRoutes()
  }

  /// Tells a listener nothing more; not even what is not sent yet.
  func remove(_ listener: Listener) {
    guard let group = groupOfListener.removeValue(forKey: ObjectIdentifier(listener)) else { return }
    group.listeners.removeAll { $0 === listener }
    if group.listeners.isEmpty {
      groups[group.names] = nil
      forgetRoutes()
    }
  }

  /// Triggers watch other values now.
  func triggersChanged() { triggerRoutes.removeAll() }

  private func forgetRoutes() {
    valueRoutes.removeAll()
    triggerRoutes.removeAll()
  }

  // MARK: Events

  /// Whether anybody wants to know of a value; `name` is asked for once.
  func want(_ value: ValueID, _ name: @autoclosure () -> ValueName) -> Bool { !groups(for: value, name()).isEmpty }

  /// Whether anybody wants to know of a trigger, `nil` for what is played by hand; `values` are what it watches.
  func want(trigger: String?, values: @autoclosure () -> [ValueName]) -> Bool {
    !groups(for: trigger, values()).isEmpty
  }

  /// Tells of a value's change or appearance.
  func tell(_ value: ValueID, _ name: ValueName, old: Value?, new: Value, at instant: Instant) {
    write(.change(name: name.description, old: old, new: new), at: instant, to: groups(for: value, name))
  }

  /// Tells of a play or a stop, for a trigger that watches these values, or by hand.
  func tell(_ event: EventReport, trigger: String?, values: [ValueName], at instant: Instant) {
    write(event, at: instant, to: groups(for: trigger, values))
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

  private func write(_ event: EventReport, at instant: Instant, to groups: [Group]) {
    if groups.isEmpty { return }
    writer.removeAll()
    event.write(to: &writer, at: text(of: instant))
    for group in groups {
      group.lines.append(contentsOf: writer.bytes)
      group.lines.append(0x0A)
      hasLines = true
      // All at once would be more than a listener may leave unread, even if it reads as fast as it can.
      if group.lines.count >= Self.batch { send(group) }
    }
  }

  private func text(of instant: Instant) -> [UInt8] {
    if let lastTime, lastTime.instant == instant { return lastTime.text }
    let text = Array(civil(instant).description.utf8)
    lastTime = (instant, text)
    return text
  }

  /// Who does not read is disconnected by this, and leaves.
  private func send(_ group: Group) {
    if group.lines.isEmpty { return }
    group.lines.removeLast()
    let lines = group.lines
    group.lines = []
    for listener in group.listeners { listener.push(lines) }
  }
}
