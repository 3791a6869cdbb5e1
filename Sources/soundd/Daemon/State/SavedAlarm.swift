import SoundTrigger
import SoundWire

/// An alarm in the state file. Times are milliseconds of UTC since 1970, because the machine may have been off.
struct SavedAlarm: Equatable, Sendable {
  /// What the record has as instants, of which the civil times alone count.
  private struct Times: Equatable {
    var since: Int64?
    var acknowledgedAt: Int64?
    var snoozedUntil: Int64?
    var pendingUntil: Int64?
    var offUntil: Int64?
    /// The ends of the record's waits.
    var waits: [Int64] = []
  }

  private var record: AlarmRecord
  private var times: Times
  /// Whether the file names the values that wait among those that meet the condition, as soundd 0.2.0 wrote it.
  private var mixesWaits = false

  var life: AlarmLife { record.life }
  var since: Int64? { times.since }

  /// `civil`: the civil time of an instant.
  init(_ record: AlarmRecord, civil: (Instant) -> Timestamp = { Timestamp(of: $0) }) {
    func milliseconds(_ time: Instant?) -> Int64? { time.map { civil($0).milliseconds } }
    times = Times(
      since: milliseconds(record.since), acknowledgedAt: milliseconds(record.acknowledgedAt),
      snoozedUntil: milliseconds(record.snoozedUntil), pendingUntil: milliseconds(record.pendingUntil),
      offUntil: milliseconds(record.offUntil), waits: record.waits.map { civil($0.end).milliseconds })
    self.record = record
    (self.record.since, self.record.acknowledgedAt, self.record.snoozedUntil) = (nil, nil, nil)
    (self.record.pendingUntil, self.record.offUntil) = (nil, nil)
    for index in record.waits.indices { self.record.waits[index].end = Instant(nanoseconds: 0) }
  }

  /// The alarm of a trigger by the clock of this run. What is left of a wait is at most its length. If the civil clock stands before
  /// `savedAt`, when the state was written, snoozes end.
  func record(at now: Instant, civil: Timestamp, savedAt: Int64?, of definition: TriggerDefinition) -> AlarmRecord {
    func past(_ time: Int64?) -> Instant? {
      time.map { SavedState.instant(of: $0, at: now, civil) }
    }
    func ahead(_ time: Int64?, atMost longest: Duration) -> Instant? {
      guard let time else { return nil }
      let (rest, overflow) = time.subtractingReportingOverflow(civil.milliseconds)
      return now.advanced(by: overflow || rest < 0 ? .zero : min(.milliseconds(rest), longest))
    }
    let timing = definition.timing
    let wait = (timing.debounce ?? .zero) + (timing.delay ?? .zero)
    var record = record
    (record.since, record.acknowledgedAt) = (past(times.since), past(times.acknowledgedAt))
    record.pendingUntil = ahead(times.pendingUntil, atMost: max(wait, timing.throttle ?? .zero))
    record.offUntil = ahead(times.offUntil, atMost: definition.loop?.offDelay ?? .zero)
    for (index, time) in times.waits.enumerated() { record.waits[index].end = ahead(time, atMost: wait) ?? now }
    let isClockBack = savedAt.map { civil.milliseconds < $0 } ?? false
    record.snoozedUntil = isClockBack ? nil : ahead(times.snoozedUntil, atMost: SnoozeTime.longest)
    if mixesWaits, record.life == .pending, wait > .zero {
      record.waits = record.values.map {
        AlarmRecord.Wait(value: $0, end: record.pendingUntil ?? now, content: record.content)
      }
      (record.values, record.pendingUntil) = ([], nil)
    }
    return record
  }
}

// MARK: The file

extension SavedAlarm {
  /// The line of the file, without the name of the trigger.
  var line: AlarmLine {
    var line = AlarmLine()
    (line.life, line.id) = (Word(record.life), record.id.map { Int($0.rawValue) })
    (line.since, line.acknowledgedAt) = (times.since.map { Int($0) }, times.acknowledgedAt.map { Int($0) })
    (line.snoozedUntil, line.pendingUntil) = (times.snoozedUntil.map { Int($0) }, times.pendingUntil.map { Int($0) })
    line.offUntil = times.offUntil.map { Int($0) }
    line.values = record.values.map(\.description)
    (line.content, line.contentType) = (record.content.map { RawJSON($0) }, record.content?.savedKind?.rawValue)
    line.sound = record.sound
    (line.heard, line.repetitions) = (record.isHeard, record.repetitions)
    if mixesWaits { return line }
    line.waits = zip(record.waits, times.waits).map { wait, end in
      var message = AlarmWait()
      (message.value, message.until) = (wait.value.description, Int(end))
      (message.content, message.contentType) = (wait.content.map { RawJSON($0) }, wait.content?.savedKind?.rawValue)
      return message
    }
    return line
  }

  /// `nil` if the line makes no sense.
  init?(_ line: AlarmLine) {
    guard let life = line.life.kind else { return nil }
    record = AlarmRecord()
    (record.life, record.id) = (life, line.id.map { AlarmID(Int64($0)) })
    record.values = line.values.compactMap { ValueName($0) }
    record.content = Value(saved: line.content, line.contentType)
    record.sound = line.sound
    (record.isHeard, record.repetitions) = (line.heard, max(0, line.repetitions))
    times = Times(
      since: line.since.map { Int64($0) }, acknowledgedAt: line.acknowledgedAt.map { Int64($0) },
      snoozedUntil: line.snoozedUntil.map { Int64($0) }, pendingUntil: line.pendingUntil.map { Int64($0) },
      offUntil: line.offUntil.map { Int64($0) })
    mixesWaits = line.waits == nil
    for wait in line.waits ?? [] {
      guard let name = ValueName(wait.value) else { continue }
      let content = Value(saved: wait.content, wait.contentType)
      record.waits.append(.init(value: name, end: Instant(nanoseconds: 0), content: content))
      times.waits.append(Int64(wait.until))
    }
  }
}

extension Value {
  /// The kind as which the content of a file can be read again; `nil`: it cannot.
  fileprivate var savedKind: ValueKind? {
    switch self {
    case .number: .number
    case .bool: .bool
    case .text: .text
    case .json, .fingerprint: nil
    }
  }

  /// A content of the file.
  fileprivate init?(saved content: RawJSON?, _ kind: String?) {
    guard let content, let kind = kind.flatMap({ ValueKind(rawValue: $0) }),
      let value = typedValue(content.text, kind: kind)
    else { return nil }
    self = value
  }
}
