import SoundTrigger

/// A play that a trigger has decided on; what it is played for is asked when the engine has done.
struct NotedPlay {
  /// Which of all the plays it is since that was asked last.
  var number: Int
  var trigger: String
  /// What the trigger watches.
  var values: [ValueName]
  var sound: String
  var verdict: Verdict
  var at: Instant
}

/// Telling those who follow events.
extension Daemon {
  /// `events [NAME …]`.
  func follow(_ names: [String], _ client: ControlClient) -> Reply {
    let filter = Set(names.compactMap { ValueName($0) })
    let longest = EventSubscriptions<ControlClient>.longestFilter
    if filter.count > longest {
      return .error("'events' takes at most \(longest) names; without any it tells of all values")
    }
    sendEvents()
    // It may have left unread too much of what it followed before.
    if client.isClosed { return .silent }
    events.add(client, names: filter)
    _ = pipeline.engine.takeCauses()
    pipeline.engine.noteCauses(true)
    playCount = 0
    client.isSubscribed = true
    pipeline.changed = { [unowned self] in tell($0, at: $1) }
    return .ok
  }

  func willReply() { sendEvents() }

  func clientDidClose(_ client: ControlClient) {
    events.remove(client)
    if !events.isEmpty { return }
    pipeline.changed = nil
    notedPlays = []
  }

  /// Sends what has happened.
  func sendEvents() {
    if events.isEmpty {
      pipeline.engine.noteCauses(false)
      return
    }
    tellPlays()
    events.send()
  }

  /// Tells of a value's change or appearance, before any trigger has seen it.
  private func tell(_ change: Change, at now: Instant) {
    if !isInRun { tellPlays() }
    guard events.want(change.value, pipeline.store.name(of: change.value)) else { return }
    events.tell(
      change.value, pipeline.store.name(of: change.value), old: change.isFirst ? nil : change.old, new: change.new,
      at: now)
  }

  /// Notes what became of a play that a trigger decided on; called while the engine decides.
  func note(_ sound: SoundID, _ verdict: Verdict, at time: Instant, of definition: TriggerDefinition) {
    playCount += 1
    if events.isEmpty || !events.want(trigger: definition.name, values: definition.values) { return }
    notedPlays.append(
      NotedPlay(
        number: playCount - 1, trigger: definition.name, values: definition.values, sound: shelf.name(of: sound),
        verdict: verdict, at: time))
  }

  /// Tells of the plays that were noted.
  func tellPlays() {
    if playCount == 0 { return }
    // Apart: to tell somebody may end the connection of the last who follows, and then there are no notes any more.
    let plays = notedPlays
    notedPlays.removeAll(keepingCapacity: true)
    playCount = 0
    let causes = pipeline.engine.takeCauses()
    for play in plays where play.number < causes.count {
      let cause = causes[play.number]
      let report = EventReport.Play(
        trigger: play.trigger, sound: play.sound,
        cause: EventReport.Cause(
          value: play.values[cause.watch].description, old: cause.old.cut, new: cause.new.cut),
        verdict: play.verdict.word)
      events.tell(.play(report), trigger: play.trigger, values: play.values, at: play.at)
    }
  }

  /// Tells of a sound that was played by hand.
  func tellPlay(byHand sound: String, _ verdict: Verdict) {
    if events.isEmpty || !events.want(trigger: nil, values: []) { return }
    tellPlays()
    let play = EventReport.Play(trigger: nil, sound: sound, cause: nil, verdict: verdict.word)
    events.tell(.play(play), trigger: nil, values: [], at: loop.now)
  }

  /// Tells that a sound is over.
  func tellEnd(of sound: RunningSounds.Sound, _ reason: EventReport.Reason) {
    if events.isEmpty { return }
    tellPlays()
    let trigger = sound.trigger.flatMap { pipeline.engine.trigger(named: $0) }
    let values = trigger.map { pipeline.engine.definitions[$0.index].values } ?? []
    let stop = EventReport.Stop(trigger: sound.trigger, sound: sound.name, reason: reason)
    events.tell(.stop(stop), trigger: sound.trigger, values: values, at: loop.now)
  }
}
