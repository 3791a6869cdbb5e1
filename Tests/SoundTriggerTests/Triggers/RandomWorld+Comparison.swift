import SoundTrigger

/// What must be the same of the engine and the naive model.
extension RandomWorld {
  /// Both decided on the same, in the same order.
  mutating func compareDecisions() {
    let (actual, expected) = (engine.decisions, model.stage.decisions)
    var agrees = actual.count == expected.count
    for (decision, right) in zip(actual, expected) where agrees { agrees = isRight(decision, right) }
    expect(agrees) { _ in
      "decided\n\(actual.map { "  \($0)\n" }.joined())expected\n\(expected.map { "  \($0)\n" }.joined())"
    }
  }

  private func isRight(_ decision: Decision, _ expected: NaiveStage.Decision) -> Bool {
    switch (decision, expected) {
    case (.stop(let id, let cause, let at), .stop(let number, let right, let time)):
      id.rawValue == UInt64(number) && cause == right && at.nanoseconds == time
    case (.finish(let id), .finish(let number)): id.rawValue == UInt64(number)
    case (.adjust(let id, let settings), .adjust(let number, let right)):
      id.rawValue == UInt64(number) && settings == right
    case (
      .play(let play),
      .play(let number, let definition, let sounds, let settings, let loops, let sparing, let cause, let time)
    ):
      play.id.rawValue == UInt64(number) && play.trigger == definition.name && sounds.contains(play.sound)
        && play.settings == settings
        && play.fresh == (definition.loop == nil ? definition.timing.fresh : nil)
        && play.loops == loops && play.spareEquals == sparing && play.cause == cause && play.at.nanoseconds == time
    default: false
    }
  }

  /// Both wait for the same time.
  mutating func compareDeadlines() {
    let next = engine.nextDeadline?.nanoseconds
    let expected = model.nextDeadline
    expect(next == expected) { _ in "the next deadline is \(next as Any), expected \(expected as Any)" }
  }

  /// Both have counted the same, and do the same.
  mutating func compareTriggers() {
    for (index, trigger) in model.triggers.enumerated() {
      let id = TriggerID(index: index)
      let (counters, right) = (engine.counters(of: id), trigger.counters)
      expect(
        counters.played == right.played && counters.dropped == right.dropped && counters.changes == right.changes
          && counters.lastVerdict == right.lastVerdict && counters.lastStop == right.lastStop
          && counters.lastPlay?.nanoseconds == right.lastPlay
      ) { _ in "\(trigger.definition.name) counts \(counters), expected \(right)" }
      let (activity, state) = (engine.activity(of: id), trigger.state)
      expect(activity == TriggerActivity(state: state, queued: trigger.queue.count)) { _ in
        "\(trigger.definition.name) is \(activity), expected \(state), queued \(trigger.queue.count)"
      }
      let (last, rightLast) = (engine.lastPlay(of: id)?.nanoseconds, trigger.lastPlay)
      expect(last == rightLast) { _ in
        "\(trigger.definition.name) counts its throttle from \(last as Any), expected \(rightLast as Any)"
      }
      compareAlarms(index)
    }
  }

  /// To people both show the same alarm.
  private mutating func compareAlarms(_ index: Int) {
    var (report, expected) = (engine.alarm(TriggerID(index: index)), model.report(index))
    // The plays show which sound it took.
    report?.substitute = nil
    expect(report == expected) { _ in "the alarm is\n\(report as Any), expected\n\(expected as Any)" }
    if let report { states.formUnion([report.life.rawValue, report.state.rawValue]) }
  }

  /// Both remember the same changes and give the same reasons.
  mutating func compareRecords() {
    var ids: Set<Int> = []
    for (index, trigger) in model.triggers.enumerated() {
      let numbered = engine.judgedChanges(of: TriggerID(index: index))
      for id in numbered.map(\.id) {
        let isNew = id > 0 && ids.insert(id).inserted
        expect(isNew) { _ in "\(trigger.definition.name) judged a second change with the number \(id)" }
      }
      let judged = numbered.map(\.unnumbered)
      let expected = trigger.records.changes
      expect(judged == expected) { _ in
        let difference = zip(judged, expected).first { $0 != $1 }
        return "\(trigger.definition.name) judged \(judged.count), expected \(expected.count); first difference:\n"
          + "\(difference?.0 as Any)\n\(difference?.1 as Any)"
      }
    }
  }

  mutating func expect(_ agrees: Bool, _ reason: (Self) -> String) {
    guard !agrees, disagreement == nil else { return }
    let message = reason(self)
    disagreement = "at \(time) ms: " + message
  }

  mutating func note(_ event: (Self) -> String) {
    guard log != nil else { return }
    let line = event(self)
    log?.append(line)
  }
}

extension JudgedChange {
  /// Without its number, which depends on the other triggers of an engine.
  var unnumbered: JudgedChange {
    var change = self
    change.id = 0
    return change
  }
}

extension ValueName {
  fileprivate static let b0 = name("b0")
}

extension Instant {
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

extension RandomWorld {
  /// Every verdict that a trigger without problems can have, without its times and places.
  static let allVerdicts: Set<Verdict> = [
    .acknowledged, .alreadyDelayed, .alreadyLooping, .appeared, .asBefore, .broken, .calledOff, .cancelled, .crowded,
    .delayed(for: .zero), .ending, .held(by: .b0), .late(by: .zero), .muted, .noDevice, .noSound, .notArmed,
    .notDecreased, .notFrom,
    .notIncreased, .notMatching, .notStale, .notTo, .outside, .played, .profile(.full), .queueFull,
    .queued(position: 0), .returned, .snoozed(for: .zero), .starting, .stillSounding, .superseded, .suppressed(by: .b0),
    .throttled(for: .zero), .tooCostlyToMatch,
    .tooLongToMatch, .waiting(for: .zero),
  ]

  /// The verdicts that are remembered now.
  mutating func collectVerdicts() {
    for trigger in model.triggers {
      for change in trigger.records.changes {
        switch change.verdict {
        case .delayed: verdicts.insert(.delayed(for: .zero))
        case .held: verdicts.insert(.held(by: .b0))
        case .late: verdicts.insert(.late(by: .zero))
        case .profile: verdicts.insert(.profile(.full))
        case .queued: verdicts.insert(.queued(position: 0))
        case .throttled: verdicts.insert(.throttled(for: .zero))
        case .snoozed: verdicts.insert(.snoozed(for: .zero))
        case .suppressed: verdicts.insert(.suppressed(by: .b0))
        case .waiting: verdicts.insert(.waiting(for: .zero))
        default: verdicts.insert(change.verdict)
        }
      }
    }
  }
}
