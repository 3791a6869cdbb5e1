import SoundTrigger

/// What the monitor knows of the daemon, from its replies and events.
struct MonitorFacts {
  struct Sounding: Equatable {
    /// `nil`: played by hand.
    var trigger: String?
    var sound: String

    /// Of a `play` or a `stop`.
    init(_ event: JSONObject) { (trigger, sound) = (event.text("trigger"), event.text("sound") ?? "-") }

    /// Of a trigger in a status.
    init(active trigger: JSONObject) { (self.trigger, sound) = (trigger.text("name"), trigger.text("sound") ?? "-") }
  }

  struct Verdict {
    /// The change: another verdict on it replaces this one.
    var id: String
    var trigger: String
    /// When the value changed, as the daemon writes it.
    var at: String
    var members: JSONObject

    init(_ members: JSONObject, trigger: String) {
      self.members = members
      self.trigger = trigger
      at = members.text("at") ?? ""
      id = "\(at) \(members.text("value") ?? "") \(trigger)"
    }
  }

  private static let verdictLimit = 200

  /// Those that are not normal or snoozed, as the daemon orders them; `nil`: not known.
  private(set) var alarms: [JSONObject]?
  private(set) var status: JSONObject?
  private(set) var sounding: [Sounding] = []
  /// The oldest first; older ones are dropped.
  private(set) var verdicts: [Verdict] = []

  /// There is no connection: what the daemon said of the present is no longer known.
  mutating func forget() { (alarms, sounding, status) = (nil, [], nil) }

  func alarm(_ name: String) -> JSONObject? { alarms?.first { $0.text("name") == name } }

  mutating func take(alarm: JSONObject) {
    guard var known = alarms, let name = alarm.text("name") else { return }
    let index = known.firstIndex { $0.text("name") == name } ?? known.count
    let isOver = alarm.text("life") == "normal" && !AlarmTable.isSnoozed(alarm)
    known.replaceSubrange(index..<min(index + 1, known.count), with: isOver ? [] : [alarm])
    alarms = known
    // Between two repetitions nothing stops.
    if isOver { sounding.removeAll { $0.trigger == name } }
  }

  mutating func take(play: JSONObject) {
    let entry = Sounding(play)
    if ["played", "muted"].contains(play.text("verdict")), !sounding.contains(entry) { sounding.append(entry) }
  }

  /// The status corrects it if another one of it still plays.
  mutating func take(stop: JSONObject) { sounding.removeAll { $0 == Sounding(stop) } }

  /// Also corrects what sounds, because the events of before the connection are missing.
  mutating func take(status: JSONObject, _ triggers: [JSONObject]) {
    self.status = status
    alarms = (try? JSONObject.array(reply: status["alarms"])) ?? []
    let active = triggers.filter { ["sounding", "looping"].contains($0.text("state")) }
    sounding.removeAll { entry in
      entry.trigger == nil
        ? status.number("voices") == 0 : !active.contains { $0.text("name") == entry.trigger?.ruleName }
    }
    for trigger in active where !sounding.contains(where: { $0.trigger?.ruleName == trigger.text("name") }) {
      sounding.append(Sounding(active: trigger))
    }
  }

  mutating func take(verdict members: JSONObject, trigger: String) {
    let new = Verdict(members, trigger: trigger)
    if let index = verdicts.lastIndex(where: { $0.at == new.at && $0.id == new.id }) { return verdicts[index] = new }
    verdicts.append(new)
    // Not one by one: that would move all others each time.
    if verdicts.count >= 2 * Self.verdictLimit { verdicts.removeFirst(Self.verdictLimit) }
  }

  /// Takes the reply to `explain`, which has what happened before the connection.
  mutating func take(history: JSONObject) {
    let known = Set(verdicts.map(\.id))
    for change in (try? JSONObject.array(reply: history["verdicts"])) ?? [] {
      let old = Verdict(change, trigger: history.text("name") ?? "-")
      if !known.contains(old.id) { verdicts.append(old) }
    }
    verdicts.sort { $0.at < $1.at }
    verdicts.removeFirst(max(0, verdicts.count - Self.verdictLimit))
  }
}
