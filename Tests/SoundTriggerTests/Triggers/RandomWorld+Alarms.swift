import SoundTrigger

/// What people do with alarms, and what these outlive.
extension RandomWorld {
  // MARK: People

  mutating func acknowledge() {
    let alarms = definitions.indices.filter { definitions[$0].loop != nil }
    guard !alarms.isEmpty else { return }
    let (trigger, now) = (random.pick(alarms), now())
    note { "\(now.milliseconds): acknowledge \($0.definitions[trigger].name)" }
    var answers = (false, false)
    both(
      { answers.0 = $0.acknowledge(TriggerID(index: trigger), at: now) },
      { answers.1 = $0.acknowledge(trigger, at: now.nanoseconds) })
    expect(answers.0 == answers.1) { _ in "acknowledged \(answers.0), expected \(answers.1)" }
  }

  mutating func snooze() {
    let alarms = definitions.indices.filter { definitions[$0].loop != nil }
    guard !alarms.isEmpty else { return }
    let (trigger, now) = (random.pick(alarms), now())
    let length = random.pick([nil, 1, 5, 20, 60, 60])
    let end = length.map { now.advanced(by: .milliseconds($0)) }
    note { "\(now.milliseconds): snooze \($0.definitions[trigger].name) for \(length as Any)" }
    both(
      { $0.snooze(TriggerID(index: trigger), until: end, at: now) },
      { $0.snooze(trigger, until: end?.nanoseconds, at: now.nanoseconds) })
  }

  // MARK: Reload

  /// Keeps most triggers, changes, removes and brings back some, and adds some.
  mutating func reload() {
    var next: [TriggerDefinition] = []
    var gone: [TriggerDefinition] = []
    for definition in definitions {
      switch random.below(20) {
      case 0..<10: next.append(definition)
      case 10..<15: next.append(random.variant(of: definition))
      case 15..<17: next.append(random.definition(name: definition.name))
      default: gone.append(definition)
      }
    }
    if !retired.isEmpty, random.chance(50) {
      let back = retired.removeLast()
      if next.allSatisfy({ $0.name != back.name }) { next.append(back) }
    }
    while next.isEmpty || next.count < 6 && random.chance(30) {
      nextName += 1
      next.append(random.definition(name: "t\(nextName)"))
    }
    retired += gone
    next.shuffle(using: &random)
    let (now, contents) = (now(), contents)
    compareRecords()
    note { _ in "\(now.milliseconds): reload\n\(Self.describe(next))" }
    definitions = next
    if random.chance(30) { profileGates = random.profileGates() }
    let gates = profileGates
    var lost: ([String], [String]) = ([], [])
    both(
      {
        lost.0 = $0.replace(
          definitions: next, resolve: { ValueID(index: RandomValue.place($0)) },
          isEvent: { $0.index == RandomValue.event }, profileGates: gates, contents: { contents[$0.index] }, at: now)
      }, { lost.1 = $0.replace(next, profileGates: gates, contents: { contents[$0] }, at: now.nanoseconds) })
    expect(lost.0 == lost.1) { _ in "the reload ended \(lost.0), expected \(lost.1)" }
  }

  /// What is in a state file survives, and nothing else.
  mutating func restart() {
    note { _ in "restart" }
    compareRecords()
    let profile = model.stage.chosenProfile
    let saved = savedAlarms()
    let throttles = definitions.indices.compactMap { index in
      engine.lastPlay(of: TriggerID(index: index)).map { (definitions[index].name, $0) }
    }
    engine = Self.engine(definitions, profileGates)
    model = Self.model(definitions, profileGates)
    for (name, last) in throttles {
      engine.restore(lastPlay: last, of: name)
      model.restore(lastPlay: last.nanoseconds, of: name)
    }
    for value in contents.indices { lastRun[value] = contents[value] ?? lastRun[value] }
    contents = contents.map { _ in nil }
    isStale = isStale.map { _ in false }
    running = []
    let now = now()
    for (name, record) in saved {
      both({ $0.restore(record, of: name, at: now) }, { $0.restore(record, of: name, at: now.nanoseconds) })
    }
    both({ $0.setProfile(profile, at: now) }, { $0.setProfile(profile, at: now.nanoseconds) })
    both({ $0.resumeAlarms(at: now) }, { $0.resumeAlarms(at: now.nanoseconds) })
  }

  /// What both would save of their alarms.
  private mutating func savedAlarms() -> [(String, AlarmRecord)] {
    var saved: [(String, AlarmRecord)] = []
    for (index, definition) in definitions.enumerated() {
      let (record, expected) = (engine.alarmRecord(of: TriggerID(index: index)), model.triggers[index].saved)
      expect(record == expected) { _ in
        "\(definition.name) is saved as\n\(record as Any), expected\n\(expected as Any)"
      }
      if let record { saved.append((definition.name, record)) }
    }
    return saved
  }
}
