import SoundTrigger

/// An alarm in the state file. Times are milliseconds of UTC since 1970, because the machine may have been off.
struct SavedAlarm: Equatable, Sendable {
  private var record: AlarmRecord
  private(set) var since: Int64?
  private var acknowledgedAt: Int64?
  private var snoozedUntil: Int64?
  private var pendingUntil: Int64?

  var life: AlarmLife { record.life }

  /// `civil`: the civil time of an instant.
  init(_ record: AlarmRecord, civil: (Instant) -> Timestamp = { Timestamp(of: $0) }) {
    func milliseconds(_ time: Instant?) -> Int64? { time.map { civil($0).milliseconds } }
    (since, acknowledgedAt) = (milliseconds(record.since), milliseconds(record.acknowledgedAt))
    (snoozedUntil, pendingUntil) = (milliseconds(record.snoozedUntil), milliseconds(record.pendingUntil))
    self.record = record
    // Only the civil times count.
    (self.record.since, self.record.acknowledgedAt) = (nil, nil)
    (self.record.snoozedUntil, self.record.pendingUntil) = (nil, nil)
  }

  /// The alarm by the clock of this run. If the civil clock stands before `savedAt`, when the state was written, snoozes end.
  ///
  /// `longestWait`: what a pending alarm waits for at most.
  func record(at now: Instant, civil: Timestamp, savedAt: Int64?, longestWait: Duration) -> AlarmRecord {
    func past(_ time: Int64?) -> Instant? {
      time.map { SavedState.instant(of: $0, at: now, civil) }
    }
    func ahead(_ time: Int64?, atMost longest: Duration) -> Instant? {
      guard let time else { return nil }
      let (rest, overflow) = time.subtractingReportingOverflow(civil.milliseconds)
      return now.advanced(by: overflow || rest < 0 ? .zero : min(.milliseconds(rest), longest))
    }
    var record = record
    (record.since, record.acknowledgedAt) = (past(since), past(acknowledgedAt))
    record.pendingUntil = ahead(pendingUntil, atMost: longestWait)
    let isClockBack = savedAt.map { civil.milliseconds < $0 } ?? false
    record.snoozedUntil = isClockBack ? nil : ahead(snoozedUntil, atMost: SnoozeTime.longest)
    return record
  }
}

// MARK: The file

extension SavedAlarm {
  func write(to line: inout JSONWriter) {
    line.member("life", record.life.rawValue)
    line.member("since", since.map { Int($0) })
    line.member("acknowledged_at", acknowledgedAt.map { Int($0) })
    line.member("snoozed_until", snoozedUntil.map { Int($0) })
    line.member("pending_until", pendingUntil.map { Int($0) })
    line.member("values") { $0.array(record.values) { name, writer in writer.string(name.description) } }
    line.member("content", record.content)
    line.member("content_type", kind?.rawValue)
    line.member("sound", record.sound)
    line.member("heard", record.isHeard)
    line.member("repetitions", record.repetitions)
  }

  private var kind: ValueKind? {
    switch record.content {
    case .number: .number
    case .bool: .bool
    case .text: .text
    case .json, .fingerprint, nil: nil
    }
  }

  /// `nil` if the line makes no sense.
  init?(_ line: JSONObject) {
    guard let life = line.text("life").flatMap({ AlarmLife(rawValue: $0) }) else { return nil }
    record = AlarmRecord()
    record.life = life
    record.values = line.texts("values").compactMap { ValueName($0) }
    if let kind = line.text("content_type").flatMap({ ValueKind(rawValue: $0) }), let text = line.text("content") {
      record.content = typedValue(text, kind: kind)
    }
    record.sound = line.text("sound")
    record.isHeard = line.text("heard") == "true"
    record.repetitions = max(0, line.number("repetitions") ?? 0)
    since = line.number("since").map { Int64($0) }
    acknowledgedAt = line.number("acknowledged_at").map { Int64($0) }
    snoozedUntil = line.number("snoozed_until").map { Int64($0) }
    pendingUntil = line.number("pending_until").map { Int64($0) }
  }
}
