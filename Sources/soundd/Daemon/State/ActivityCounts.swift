import SoundTrigger
import SoundWire

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

// MARK: Lines

extension ActivityCounts {
  private static let record = Record(kind: "soundd_report", version: 1)

  /// What the file has after its head, or a reply: the present hour first, and what fits into `limit` bytes.
  var lines: [ActivityLine] {
    let lines = hours.reversed().flatMap { number, triggers in
      triggers.map { trigger, figures in
        var line = ActivityLine()
        (line.hour, line.trigger, line.figures) = (number, trigger, Figures.all.map { figures[keyPath: $0] })
        return line
      }
    }
    // The head takes 150 bytes at most.
    var room = Self.limit - 150
    if lines.reduce(0, { $0 + Self.mostBytes(of: $1.trigger) }) <= room { return lines }
    return lines.filter { line in
      // With a comma or a line feed.
      let size = line.json.count + 1
      if size > room { return false }
      room -= size
      return true
    }
  }

  /// What a line takes at most, without writing it: each byte of a name may need an escape.
  private static func mostBytes(of trigger: String) -> Int { 200 + 6 * trigger.utf8.count }

  /// Adds lines in their order; returns false if one makes no sense.
  private mutating func add(_ lines: some Sequence<ActivityLine?>) -> Bool {
    for line in lines {
      // No sum of these overflows.
      guard let line, (0...1 << 30).contains(line.hour), line.figures.count == Figures.all.count,
        line.figures.allSatisfy({ (0...1 << 50).contains($0) })
      else { return false }
      if hours.first?.number != line.hour { hours.insert((line.hour, [:]), at: 0) }
      var figures = Figures()
      for (path, number) in zip(Figures.all, line.figures) { figures[keyPath: path] = number }
      hours[0].triggers[line.trigger] = figures
    }
    return true
  }

  // MARK: The file

  func bytes(at now: Timestamp) -> [UInt8] {
    var head = ActivityHead()
    head.writtenAt = now
    return Self.record.file([head] + lines)
  }

  /// Reads a file; `nil` if there is none. Throws `badData` if it is damaged, and `noInput` if it cannot be read now or by this soundd.
  init?(_ file: StateFile) throws(Failure) {
    guard let bytes = try file.read() else { return nil }
    do throws(Record.Problem) {
      try self.init(bytes)
    } catch .newer {
      throw Failure(.noInput, "\(file.path) was written by a newer soundd; it stays as it is")
    } catch {
      throw Failure(.badData, "\(file.path) is damaged; the daemon will replace it")
    }
  }

  private init(_ bytes: [UInt8]) throws(Record.Problem) {
    if bytes.count > Self.limit { throw .damaged }
    // soundd 0.2.0 wrote the lines without a checksum.
    let lines = try Self.record.isNamed(in: bytes) ? Self.record.lines(of: bytes) : Record.uncheckedLines(of: bytes)
    guard let head = lines.first?.message(ActivityHead.self) else { throw .damaged }
    writtenAt = head.writtenAt
    if !add(lines.dropFirst().lazy.map { $0.message() }) { throw .damaged }
  }

  // MARK: The reply

  /// The counts of a running daemon. Throws `badData` if they make no sense.
  init(_ message: ActivityMessage) throws(Failure) {
    writtenAt = message.until
    if !add(message.counts) { throw Failure(.badData, "the daemon's answer is not understood: its counts") }
  }
}
