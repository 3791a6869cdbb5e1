import SoundTrigger
import SoundWire

/// What the monitor knows of the daemon, from its replies and events.
struct MonitorFacts {
  struct Sounding: Equatable {
    /// The number of the play; `nil` if only the trigger's state says that it sounds.
    var id: Int?
    /// `nil`: played by hand.
    var trigger: String?
    var sound: String
  }

  struct Verdict {
    /// The number of the change: another verdict on it replaces this one.
    var id: Int
    var trigger: String
    /// When the value changed.
    var at: Timestamp
    var judged: JudgedMembers
    var sound: String?
  }

  private static let verdictLimit = 200

  /// Those that are not normal or snoozed, as the daemon orders them; `nil`: not known.
  private(set) var alarms: [AlarmMessage]?
  private(set) var status: StatusMessage?
  private(set) var sounding: [Sounding] = []
  /// The oldest first; older ones are dropped.
  private(set) var verdicts: [Verdict] = []

  /// There is no connection: what the daemon said of the present is no longer known. Another daemon counts from the beginning.
  mutating func forget() { (alarms, sounding, status, verdicts) = (nil, [], nil, []) }

  func alarm(_ name: String) -> AlarmMessage? { alarms?.first { $0.name == name } }

  mutating func take(alarm: AlarmMessage) {
    guard var known = alarms else { return }
    let index = known.firstIndex { $0.name == alarm.name } ?? known.count
    let isOver = alarm.life == .normal && !alarm.isSnoozed
    known.replaceSubrange(index..<min(index + 1, known.count), with: isOver ? [] : [alarm])
    alarms = known
    // Between two repetitions nothing stops.
    if isOver { sounding.removeAll { $0.trigger == alarm.name } }
  }

  mutating func take(play: PlayMessage) {
    if play.verdict != .played, play.verdict != .muted { return }
    // The play replaces the row that only the state of its trigger has given.
    sounding.removeAll { $0.id == nil && $0.trigger == play.trigger }
    sounding.append(Sounding(id: play.id, trigger: play.trigger, sound: play.sound))
  }

  mutating func take(stop: StopMessage) {
    sounding.removeAll { $0.id == stop.id || $0.id == nil && $0.trigger == stop.trigger && $0.sound == stop.sound }
  }

  /// Also corrects what sounds, because the events of before the connection are missing.
  mutating func take(status: StatusMessage) {
    self.status = status
    alarms = status.alarms
    let active = status.triggers.filter { $0.state == .sounding || $0.state == .looping }
    sounding.removeAll { entry in
      entry.trigger == nil ? status.voices == 0 : !active.contains { $0.name == entry.trigger?.ruleName }
    }
    for trigger in active where !sounding.contains(where: { $0.trigger?.ruleName == trigger.name }) {
      sounding.append(Sounding(trigger: trigger.name, sound: trigger.sound))
    }
  }

  mutating func take(verdict event: VerdictEvent, at time: Timestamp) {
    let new = Verdict(id: event.id, trigger: event.trigger, at: time, judged: event.judged, sound: event.sound)
    if let index = verdicts.lastIndex(where: { $0.id == new.id }) { return verdicts[index] = new }
    verdicts.append(new)
    // Not one by one: that would move all others each time.
    if verdicts.count >= 2 * Self.verdictLimit { verdicts.removeFirst(Self.verdictLimit) }
  }

  /// Takes the reply to `explain`, which has what happened before the connection.
  mutating func take(history: ExplainMessage) {
    let known = Set(verdicts.map(\.id))
    for change in history.verdicts where !known.contains(change.id) {
      verdicts.append(Verdict(id: change.id, trigger: history.name, at: change.at, judged: change.judged))
    }
    verdicts.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    verdicts.removeFirst(max(0, verdicts.count - Self.verdictLimit))
  }
}
