import SoundTrigger

/// What triggers did in the last seven days, by the hour of UTC since 1970. What members did counts for their rule.
///
/// Beyond `mostFigures` and a file of `limit` bytes the oldest hours are dropped.
struct ActivityCounts: Sendable {
  /// What a trigger did in an hour, or in several. Times are in microseconds.
  struct Figures: Equatable, Sendable {
    /// The sounds that were heard, and the most in one of several hours.
    var (plays, playsInHour) = (0, 0)
    /// How often the alarm became active; the most in one of several hours, and in a minute; the most of all alarms in ten minutes.
    var (alarms, alarmsInHour, alarmsInMinute, allInTenMinutes) = (0, 0, 0, 0)
    /// How often it was acknowledged, and how long after it became active: in sum, and at most.
    var (acknowledged, wait, longestWait) = (0, 0, 0)

    typealias Path = WritableKeyPath<Figures, Int> & Sendable
    private static let sums: [any Path] = [\.plays, \.alarms, \.acknowledged, \.wait]
    private static let maxima: [any Path] = [\.alarmsInMinute, \.allInTenMinutes, \.longestWait]
    /// Those of a single hour, in the order of the file.
    fileprivate static let all = sums + maxima

    mutating func add(hour: Figures) {
      for path in Self.sums { self[keyPath: path] += hour[keyPath: path] }
      for path in Self.maxima { self[keyPath: path] = max(self[keyPath: path], hour[keyPath: path]) }
      (playsInHour, alarmsInHour) = (max(playsInHour, hour.plays), max(alarmsInHour, hour.alarms))
    }
  }

  static let limit = 1 << 20
  static let mostFigures = 20_000

  /// In the order in which they began; the present hour is the last.
  private(set) var hours: [(number: Int, triggers: [String: Figures])] = []
  /// When the file was written that they are from.
  private(set) var writtenAt: Timestamp?
  /// Whether something was counted that the file does not have.
  var hasNews = false
  /// The alarms that are active or latched, and since when.
  private var active: [String: Instant] = [:]
  /// The alarms of the last ten minutes, a thousand at most.
  private var recent: [(at: Instant, trigger: String)] = []

  init() {}

  mutating func played(_ trigger: String, hour: Int) { count(trigger.ruleName, hour) { $0.plays += 1 } }

  /// Adds what a file has, of hours before or beside these.
  mutating func add(_ saved: ActivityCounts) {
    writtenAt = writtenAt ?? saved.writtenAt
    for (number, triggers) in saved.hours.reversed() {
      guard let index = hours.firstIndex(where: { $0.number == number }) else {
        hours.insert((number, triggers), at: hours.firstIndex { $0.number > number } ?? hours.endIndex)
        continue
      }
      for (name, figures) in triggers { hours[index].triggers[name, default: Figures()].add(hour: figures) }
    }
  }

  /// Receives what an alarm is, and since when it is active. Only what is not known yet counts.
  mutating func alarm(
    _ name: String, _ life: AlarmLife, since: Instant?, isAcknowledged: Bool, at now: Instant, hour: Int
  ) {
    let rule = name.ruleName
    guard life.sounds, let since else {
      guard let start = active.removeValue(forKey: name), isAcknowledged else { return }
      let wait = Int(start.duration(to: now).nanoseconds / 1000)
      return count(rule, hour) { figures in
        figures.acknowledged += 1
        figures.wait += wait
        figures.longestWait = max(figures.longestWait, wait)
      }
    }
    if active.updateValue(since, forKey: name) == since { return }
    recent.removeAll { $0.at.duration(to: now) >= .seconds(600) }
    recent = recent.suffix(999) + [(now, rule)]
    let inMinute = recent.count { $0.trigger == rule && $0.at.duration(to: now) < .seconds(60) }
    count(rule, hour) { [all = recent.count] figures in
      figures.alarms += 1
      figures.alarmsInMinute = max(figures.alarmsInMinute, inMinute)
      figures.allInTenMinutes = max(figures.allInTenMinutes, all)
    }
  }

  /// Receives what an earlier run left of an alarm.
  mutating func resume(_ name: String, _ life: AlarmLife, since: Instant?) { active[name] = life.sounds ? since : nil }

  private mutating func count(_ trigger: String, _ number: Int, _ change: (inout Figures) -> Void) {
    if hours.last?.number != number {
      // If the clock was set back, the hour may be known.
      let hour = hours.first { $0.number == number } ?? (number, [:])
      hours.removeAll { $0.number == number || abs($0.number - number) >= 7 * 24 }
      while hours.reduce(0, { $0 + $1.triggers.count }) > Self.mostFigures { hours.removeFirst() }
      hours.append(hour)
    }
    hasNews = true
    change(&hours[hours.count - 1].triggers[trigger, default: Figures()])
  }
}

/// The file: lines of JSON, the present hour first.
///
///     {"written_at":"2026-01-31T08:15:00.250000Z"}
///     {"hour":497222,"trigger":"reactor","figures":[41,3,0,0,2,3,0]}
extension ActivityCounts {
  func bytes(at now: Timestamp) -> [UInt8] {
    var bytes = JSONWriter.object { $0.member("written_at", now) } + [UInt8(ascii: "\n")]
    for (number, triggers) in hours.reversed() {
      for (trigger, figures) in triggers {
        let line = JSONWriter.object { line in
          line.member("hour", number)
          line.member("trigger", trigger)
          line.member("figures") { $0.array(Figures.all) { $1.raw(String(figures[keyPath: $0]).utf8) } }
        }
        if bytes.count + line.count < Self.limit { bytes += line + [UInt8(ascii: "\n")] }
      }
    }
    return bytes
  }

  /// Reads a file; `nil` if there is none. Throws `badData` if it is not what `bytes` made.
  init?(_ file: StateFile) throws(Failure) {
    guard let bytes = try file.read() else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { (try? JSONObject(Array($0))) ?? JSONObject() }
    guard let time = lines.first?.text("written_at").flatMap({ Timestamp($0) }), bytes.count <= Self.limit else {
      throw Failure(.badData, "\(file.path) is damaged; the daemon will replace it")
    }
    writtenAt = time
    for line in lines.dropFirst() {
      // No sum of these overflows.
      let numbers = line.texts("figures").compactMap { Int($0) }.filter { (0...1 << 50).contains($0) }
      guard let hour = line.number("hour"), (0...1 << 30).contains(hour), let trigger = line.text("trigger"),
        numbers.count == Figures.all.count
      else { throw Failure(.badData, "\(file.path) is damaged; the daemon will replace it") }
      if hours.last?.number != hour { hours.append((hour, [:])) }
      var figures = Figures()
      for (path, number) in zip(Figures.all, numbers) { figures[keyPath: path] = number }
      hours[hours.count - 1].triggers[trigger] = figures
    }
    hours.reverse()
  }
}
