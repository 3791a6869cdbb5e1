import SoundTrigger

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

/// The lines after the first:
///
///     {"volume":0.5,"profile":"quiet","profile_chosen_at":1790000000,"saved_at":1790000000123}
///     {"trigger":"reactor","volume":0.25}
///     {"trigger":"gone","volume":0.25,"unknown_since":1790000000}
///     {"trigger":"reactor","played_at":1790000000123}
///     {"alarm":"reactor","life":"acknowledged","since":1790000000000,"values":["reactor"], …}
///     {"value":"build","sha256":"9f86…0a08"}
///     {"value":"unread","sha256":"4e07…1ce5","number":3}
///     {"value":"agent/7","sha256":"2c26…e7ae","day":20000}
///     {"value":"heartbeat","reported_at":1790000000123,"stale":false}
extension SavedState {
  private static let lines = ChecksummedLines(kind: "soundd_state", version: 4)

  /// The content of the file; the same state always gives the same bytes.
  var bytes: [UInt8] {
    var body = ChecksummedLines.line { line in
      line.member("volume", volume)
      line.member("profile", profile.profile.rawValue)
      line.member("profile_chosen_at", profile.chosenAt.map { Int($0) })
      if let until = profile.until {
        line.member("profile_until", Int(until))
        line.member("profile_before", profile.before.rawValue)
      }
      line.member("saved_at", savedAt.milliseconds.map { Int($0) })
    }
    for (name, volume) in volumes.sorted(by: { $0.key < $1.key }) {
      body += line(name, "trigger") { line in
        line.member("volume", volume)
      }
    }
    for (name, time) in plays.sorted(by: { $0.key < $1.key }) {
      body += line(name, "trigger") { line in
        line.member("played_at", Int(time))
      }
    }
    for (name, alarm) in alarms.sorted(by: { $0.key < $1.key }) {
      body += line(name, "alarm") { line in
        alarm.write(to: &line)
      }
    }
    for (name, content) in contents.sorted(by: { $0.key.description < $1.key.description }) {
      body += ChecksummedLines.line { line in
        line.member("value", name.description)
        line.member("sha256", Hexadecimal.text(content.digest))
        if let number = content.number { line.member("number", number) }
        if let day = days[name] { line.member("day", day) }
      }
    }
    for (name, report) in reports.values.sorted(by: { $0.key.description < $1.key.description }) {
      body += ChecksummedLines.line { line in
        line.member("value", name.description)
        line.member("reported_at", Int(report.milliseconds))
        line.member("stale", report.isStale)
      }
    }
    return Self.lines.file(body)
  }

  init(_ bytes: [UInt8]) throws(ChecksummedLines.Problem) {
    for line in try Self.lines.lines(of: bytes) where !read(line) { throw .damaged }
  }

  /// Reads a line after the first; returns false if it makes no sense.
  private mutating func read(_ line: JSONObject) -> Bool {
    if let name = line.text("trigger") ?? line.text("alarm"), let since = line.number("unknown_since") {
      unknownSince[name] = Int64(since)
    }
    if let name = line.text("trigger"), let time = line.number("played_at") {
      plays[name] = Int64(time)
    } else if let name = line.text("trigger"),
      let level = line.text("volume").flatMap(Double.init), (0...1).contains(level)
    {
      volumes[name] = level
    } else if let name = line.text("alarm"), let alarm = SavedAlarm(line) {
      alarms[name] = alarm
    } else if let name = line.text("value").flatMap({ ValueName($0) }), let time = line.number("reported_at") {
      reports.values[name] = Reports.Report(milliseconds: Int64(time), isStale: line.text("stale") == "true")
    } else if let name = line.text("value").flatMap({ ValueName($0) }),
      let digest = line.text("sha256").flatMap({ Hexadecimal.digest($0) })
    {
      contents[name] = SavedContent(digest: digest, number: line.text("number").flatMap { Double($0) })
      days[name] = line.number("day").map { Int($0) }
    } else if let level = line.text("volume").flatMap(Double.init), (0...1).contains(level),
      let chosen = line.text("profile").flatMap({ Profile(rawValue: $0) })
    {
      volume = level
      profile = ProfileChoice(
        profile: chosen, chosenAt: line.number("profile_chosen_at").map { Int64($0) },
        until: line.number("profile_until").map { Int64($0) },
        before: line.text("profile_before").flatMap { Profile(rawValue: $0) } ?? .full)
      savedAt.milliseconds = line.number("saved_at").map { Int64($0) }
    } else {
      return false
    }
    return true
  }

  /// A line about a trigger.
  private func line(_ trigger: String, _ kind: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
    ChecksummedLines.line { line in
      line.member(kind, trigger)
      members(&line)
      if let since = unknownSince[trigger] { line.member("unknown_since", Int(since)) }
    }
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
