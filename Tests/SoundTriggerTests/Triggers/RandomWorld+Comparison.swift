import SoundTrigger

/// What must be the same of the engine and the naive model.
extension RandomWorld {
  /// Both asked for the same, in the same order.
  mutating func compareActions() {
    let expected = model.stage.actions
    var agrees = asked.count == expected.count
    for (index, action) in asked.enumerated() where agrees { agrees = isRight(action, expected[index]) }
    expect(agrees) { "asked for \($0.asked.map($0.describe))\nexpected  \(expected)" }
    for action in asked { if case .play = action { plays += 1 } else { stops += 1 } }
  }

  private func isRight(_ action: TriggerAction, _ expected: NaiveStage.Action) -> Bool {
    switch (action, expected) {
    case (.stop(let trigger, let at), .stop(let place, let time)):
      trigger.index == place && at.nanoseconds == time
    case (
      .play(let trigger, let sound, let settings, let loops, let at), .play(let place, let right, let mode, let time)
    ):
      trigger.index == place && loops == mode && at.nanoseconds == time
        && settings == definitions[place].settings && right.contains(sounds[sound.index])
    default: false
    }
  }

  /// Both wait for the same time, and have counted the same.
  mutating func compareTriggers() {
    let next = engine.nextDeadline?.nanoseconds
    let expected = model.nextDeadline
    expect(next == expected) { _ in "the next deadline is \(next as Any), expected \(expected as Any)" }
    for (index, trigger) in model.triggers.enumerated() {
      let counters = engine.counters(of: TriggerID(index: index))
      let (name, right) = (trigger.definition.name, trigger.counters)
      expect(counters.played == right.played) { _ in "\(name) played \(counters.played), expected \(right.played)" }
      expect(counters.dropped == right.dropped) { _ in "\(name) dropped \(counters.dropped), expected \(right.dropped)"
      }
      expect(counters.changes == right.changes) { _ in "\(name) changes \(counters.changes), expected \(right.changes)"
      }
      expect(counters.lastVerdict == right.lastVerdict) { _ in
        "\(name) last verdict \(counters.lastVerdict as Any), expected \(right.lastVerdict as Any)"
      }
    }
  }

  /// Both remember the same changes and give the same reasons.
  mutating func compareRecords() {
    for (index, trigger) in model.triggers.enumerated() {
      let id = TriggerID(index: index)
      let name = trigger.definition.name
      let judged = engine.judgedChanges(of: id)
      let expected = trigger.records.changes
      expect(judged == expected) { _ in
        let difference = zip(judged, expected).first { $0 != $1 }
        return "\(name) judged \(judged.count) changes, expected \(expected.count); first difference:\n"
          + "\(difference?.0 as Any)\n\(difference?.1 as Any)"
      }
      let (activity, state) = (engine.activity(of: id), trigger.state)
      expect(activity == TriggerActivity(state: state, queued: trigger.queue.count)) { _ in
        "\(name) is \(activity), expected \(state), queued \(trigger.queue.count)"
      }
      let (played, right) = (engine.counters(of: id).lastPlay?.nanoseconds, trigger.counters.lastPlay)
      expect(played == right) { _ in "\(name) last played at \(played as Any), expected \(right as Any)" }
      let (last, expectedLast) = (engine.lastPlay(of: id)?.nanoseconds, trigger.lastPlay)
      expect(last == expectedLast) { _ in
        "\(name) counts its throttle from \(last as Any), expected \(expectedLast as Any)"
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

  private func describe(_ action: TriggerAction) -> String {
    switch action {
    case .stop(let trigger, let at): "\(definitions[trigger.index].name) stops at \(at.nanoseconds)"
    case .play(let trigger, let sound, _, let loops, let at):
      "\(definitions[trigger.index].name) plays \(sounds[sound.index])\(loops ? " looping" : "") at \(at.nanoseconds)"
    }
  }
}

extension Instant {
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

extension RandomWorld {
  /// Every verdict that a trigger without problems can come to, whatever times and places go with it.
  static let allVerdicts: Set<Verdict> = [
    .alreadyDelayed, .alreadyLooping, .appeared, .asBefore, .broken, .calledOff, .cancelled, .crowded,
    .delayed(for: .zero), .ending, .late(by: .zero), .muted, .noDevice, .noSound, .notArmed, .notDecreased, .notFrom,
    .notIncreased, .notMatching, .notStale, .notTo, .outside, .played, .profile(.full), .queueFull, .queued(place: 0),
    .returned, .stillSounding, .superseded, .throttled(for: .zero), .tooCostlyToMatch, .tooLongToMatch,
    .waiting(for: .zero),
  ]

  /// The verdicts that are remembered now.
  mutating func collectVerdicts() {
    for trigger in model.triggers {
      for change in trigger.records.changes {
        switch change.verdict {
        case .delayed: verdicts.insert(.delayed(for: .zero))
        case .late: verdicts.insert(.late(by: .zero))
        case .profile: verdicts.insert(.profile(.full))
        case .queued: verdicts.insert(.queued(place: 0))
        case .throttled: verdicts.insert(.throttled(for: .zero))
        case .waiting: verdicts.insert(.waiting(for: .zero))
        default: verdicts.insert(change.verdict)
        }
      }
    }
  }
}
