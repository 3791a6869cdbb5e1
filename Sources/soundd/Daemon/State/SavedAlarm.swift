import SoundTrigger
import SoundWire

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
  /// The line of the file, without the name of the trigger.
  var line: AlarmLine {
    var line = AlarmLine()
    (line.life, line.id) = (Word(record.life), record.id.map { Int($0.rawValue) })
    (line.since, line.acknowledgedAt) = (since.map { Int($0) }, acknowledgedAt.map { Int($0) })
    (line.snoozedUntil, line.pendingUntil) = (snoozedUntil.map { Int($0) }, pendingUntil.map { Int($0) })
    line.values = record.values.map(\.description)
    (line.content, line.contentType) = (record.content.map { RawJSON($0) }, kind?.rawValue)
    line.sound = record.sound
    (line.heard, line.repetitions) = (record.isHeard, record.repetitions)
    return line
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
  init?(_ line: AlarmLine) {
    guard let life = line.life.kind else { return nil }
    record = AlarmRecord()
    (record.life, record.id) = (life, line.id.map { AlarmID(Int64($0)) })
    record.values = line.values.compactMap { ValueName($0) }
    if let kind = line.contentType.flatMap({ ValueKind(rawValue: $0) }), let content = line.content {
      record.content = typedValue(content.text, kind: kind)
    }
    record.sound = line.sound
    (record.isHeard, record.repetitions) = (line.heard, max(0, line.repetitions))
    (since, acknowledgedAt) = (line.since.map { Int64($0) }, line.acknowledgedAt.map { Int64($0) })
    (snoozedUntil, pendingUntil) = (line.snoozedUntil.map { Int64($0) }, line.pendingUntil.map { Int64($0) })
  }
}
