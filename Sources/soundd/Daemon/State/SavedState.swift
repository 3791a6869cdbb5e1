import SoundTrigger
import SoundWire

/// What outlives the daemon. Mute does not: after a restart the user would not know why nothing is heard.
struct SavedState: Equatable, Sendable {
  /// A factor, 0 to 1.
  var volume = 1.0
  var profile = ProfileChoice()
  /// The volumes of single triggers, by their names; those that are missing are 1.
  var volumes: [String: Double] = [:]
  /// When triggers with a throttle that still holds played last, by their names: milliseconds of UTC since 1970.
  var plays: [String: Int64] = [:]
  /// The alarms that are not normal, or snoozed, by the names of their triggers.
  var alarms: [String: SavedAlarm] = [:]
  /// The last contents of values.
  var contents: [ValueName: SavedContent] = [:]
  /// The day, counted from 1970, on which each of these values was last there: members of patterns, and values that the
  /// configuration no longer has.
  var days: [ValueName: Int] = [:]
  /// Since when the configuration has no such trigger, of those that it does not have: seconds of UTC since 1970.
  var unknownSince: [String: Int64] = [:]
  var reports = Reports()
  var savedAt = Time()

  /// When values with an `expect_every` were last reported or, before that, first known; by their names.
  ///
  /// Two of them are equal if the same values are stale. Each heartbeat moves a time, and must not make a disk write.
  struct Reports: Equatable, Sendable {
    struct Report: Sendable {
      /// Of UTC since 1970.
      var milliseconds: Int64
      var isStale: Bool
    }

    var values: [ValueName: Report] = [:]

    static func == (left: Reports, right: Reports) -> Bool {
      left.values.mapValues(\.isStale) == right.values.mapValues(\.isStale)
    }
  }

  /// When the state was written. It does not count when two states are compared.
  struct Time: Equatable, Sendable {
    /// Of UTC since 1970; `nil`: not yet.
    var milliseconds: Int64?

    static func == (left: Time, right: Time) -> Bool { true }
  }
}

extension SavedState {
  /// How long records of names are kept that the configuration does not have.
  static let alarmAbsence: Int64 = 86_400
  static let absence: Int64 = 7 * 86_400

  /// Keeps the contents of values that are not there, with the days when they were last.
  mutating func keep(absent values: [ValueName: Int], today: Int, content: (ValueName) -> SavedContent?) {
    for (name, day) in values where contents[name] == nil && today - day < Self.absence / 86_400 {
      if let content = content(name) { (contents[name], days[name]) = (content, day) }
    }
  }

  /// The records of triggers that the configuration does not have. A later configuration may have them, or that of another daemon.
  func unknown(at now: Int64, isKnown: (String) -> Bool) -> SavedState {
    func age(_ name: String) -> Int64 { now - min(unknownSince[name] ?? now, now) }
    var rest = SavedState()
    rest.volumes = volumes.filter { !isKnown($0.key) && age($0.key) < Self.absence }
    rest.plays = plays.filter { !isKnown($0.key) && age($0.key) < Self.absence }
    rest.alarms = alarms.filter { !isKnown($0.key) && age($0.key) < Self.alarmAbsence }
    for name in Set(rest.volumes.keys).union(rest.plays.keys).union(rest.alarms.keys) {
      rest.unknownSince[name] = unknownSince[name] ?? now
    }
    rest.savedAt = savedAt
    return rest
  }

  /// How long ago something happened, by what the civil clock showed then, in milliseconds of UTC since 1970.
  ///
  /// 0 if that lies ahead, because then the clock was set back; at most a hundred years.
  static func age(of civil: Int64, at now: Timestamp) -> Duration {
    let now = now.milliseconds
    let longest: Int64 = 36_525 * 86_400_000
    return .milliseconds(now - min(max(civil, now - longest), now))
  }

  /// When that was by the event loop's clock, which is at `now` while the civil clock is at `clock`.
  static func instant(of civil: Int64, at now: Instant, _ clock: Timestamp = .now()) -> Instant {
    now.advanced(by: .zero - age(of: civil, at: clock))
  }
}

extension Timestamp {
  /// Since 1970.
  var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds) / 1_000_000 }

  /// The civil time of an instant of this run, by how long ago that was.
  init(of instant: Instant) {
    let now = Timestamp.now()
    let nanoseconds =
      now.seconds * 1_000_000_000 + Int64(now.nanoseconds) - instant.duration(to: EventLoop.clock()).nanoseconds
    self.init(seconds: nanoseconds / 1_000_000_000, nanoseconds: Int32(nanoseconds % 1_000_000_000))
  }
}

// MARK: The file

/// The lines are in `StateLines.swift`.
extension SavedState {
  /// Version 3 has no times of reports, version 2 no alarms either.
  private static let record = Record(kind: "soundd_state", version: 4, oldest: 2)

  /// The content of the file; the same state always gives the same bytes.
  var bytes: [UInt8] {
    var head = StateHead()
    (head.volume, head.profile) = (volume, Word(profile.profile))
    head.profileChosenAt = profile.chosenAt.map { Int($0) }
    if let until = profile.until { (head.profileUntil, head.profileBefore) = (Int(until), Word(profile.before)) }
    head.savedAt = savedAt.milliseconds.map { Int($0) }
    var body = Record.line(head)
    for (name, volume) in volumes.sorted(by: { $0.key < $1.key }) {
      var line = TriggerVolume()
      (line.trigger, line.volume, line.unknownSince) = (name, volume, unknownTime(name))
      body += Record.line(line)
    }
    for (name, time) in plays.sorted(by: { $0.key < $1.key }) {
      var line = TriggerPlay()
      (line.trigger, line.playedAt, line.unknownSince) = (name, Int(time), unknownTime(name))
      body += Record.line(line)
    }
    for (name, alarm) in alarms.sorted(by: { $0.key < $1.key }) {
      var line = alarm.line
      (line.alarm, line.unknownSince) = (name, unknownTime(name))
      body += Record.line(line)
    }
    for (name, content) in contents.sorted(by: { $0.key.description < $1.key.description }) {
      var line = ContentLine()
      (line.value, line.digest, line.number) = (name.description, content.digest, content.number)
      line.day = days[name]
      body += Record.line(line)
    }
    for (name, report) in reports.values.sorted(by: { $0.key.description < $1.key.description }) {
      var line = ReportTime()
      (line.value, line.reportedAt, line.stale) = (name.description, Int(report.milliseconds), report.isStale)
      body += Record.line(line)
    }
    return Self.record.file(body)
  }

  private func unknownTime(_ trigger: String) -> Int? { unknownSince[trigger].map { Int($0) } }

  init(_ bytes: [UInt8]) throws(Record.Problem) {
    for line in try Self.record.lines(of: bytes) where !read(line) { throw .damaged }
  }

  /// Reads a line after the first, the most frequent ones first; returns false if it makes no sense.
  private mutating func read(_ line: Record.Line) -> Bool {
    if let line = line.message(ContentLine.self) { return read(line) }
    if let line = line.message(ReportTime.self) {
      guard let name = ValueName(line.value) else { return false }
      reports.values[name] = Reports.Report(milliseconds: Int64(line.reportedAt), isStale: line.stale)
      return true
    }
    if let line = line.message(AlarmLine.self) {
      guard let alarm = SavedAlarm(line) else { return false }
      alarms[line.alarm] = alarm
      keep(line.unknownSince, of: line.alarm)
      return true
    }
    if let line = line.message(TriggerPlay.self) {
      plays[line.trigger] = Int64(line.playedAt)
      keep(line.unknownSince, of: line.trigger)
      return true
    }
    if let line = line.message(TriggerVolume.self) {
      guard (0...1).contains(line.volume) else { return false }
      volumes[line.trigger] = line.volume
      keep(line.unknownSince, of: line.trigger)
      return true
    }
    return line.message(StateHead.self).map { read($0) } ?? false
  }

  private mutating func read(_ line: ContentLine) -> Bool {
    guard let name = ValueName(line.value) else { return false }
    contents[name] = SavedContent(digest: line.digest, number: line.number)
    days[name] = line.day
    return true
  }

  private mutating func read(_ head: StateHead) -> Bool {
    guard (0...1).contains(head.volume), let chosen = head.profile.kind else { return false }
    volume = head.volume
    profile = ProfileChoice(
      profile: chosen, chosenAt: head.profileChosenAt.map { Int64($0) }, until: head.profileUntil.map { Int64($0) },
      before: head.profileBefore?.kind ?? .full)
    savedAt.milliseconds = head.savedAt.map { Int64($0) }
    return true
  }

  private mutating func keep(_ unknownSince: Int?, of trigger: String) {
    if let unknownSince { self.unknownSince[trigger] = Int64(unknownSince) }
  }
}

/// What is saved of values' contents, each calculated once per update.
struct ContentMemory {
  private var known: [ValueID: (update: Instant?, content: SavedContent)] = [:]

  /// What is saved of a value's content; `nil` if nothing is known of the content.
  mutating func content(of id: ValueID, in store: ValueStore, at now: Instant) -> SavedContent? {
    let update = store.lastUpdate(of: id)
    if let known = known[id], known.update == update { return known.content }
    let content = store.savedContent(of: id)
    // Another update may follow within this very instant.
    known[id] = update == now ? nil : content.map { (update, $0) }
    return content
  }
}
