import SoundTrigger

/// A play that a trigger has decided on; what it is played for is looked up when the engine has done.
struct NotedPlay {
  var trigger: String
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
    events.add(client, names: filter)
    client.isSubscribed = true
    pipeline.changed = { [unowned self] in tell($0, at: $1) }
    return .ok
  }

  func clientDidClose(_ client: ControlClient) {
    events.remove(client)
    if !events.isEmpty { return }
    pipeline.changed = nil
    notedPlays = []
  }

  /// Sends what has happened.
  func sendEvents() {
    if events.isEmpty { return }
    tellPlays()
    events.send()
  }

  /// Tells of a value's change or appearance, before any trigger has seen it.
  private func tell(_ change: Change, at now: Instant) {
    if !isInRun { tellPlays() }
    guard events.want(change.value, pipeline.store.name(of: change.value)) else { return }
    let isFirst = change.isAppearance || isFirstEvent(change)
    events.tell(
      change.value, pipeline.store.name(of: change.value), old: isFirst ? nil : change.old, new: change.new, at: now)
  }

  /// A client's first event is a change, though there was nothing before.
  private func isFirstEvent(_ change: Change) -> Bool {
    guard pipeline.store.kind(of: change.value) == .event else { return false }
    return pipeline.store.snapshot(of: change.value).updates == 1
  }

  /// Notes what became of a play that a trigger decided on; called while the engine decides.
  func note(_ play: NotedPlay, of definition: TriggerDefinition) {
    if events.isEmpty || !events.want(trigger: play.trigger, values: definition.values) { return }
    notedPlays.append(play)
  }

  /// Tells of the plays that were noted.
  func tellPlays() {
    if notedPlays.isEmpty { return }
    // Apart: to tell somebody may end the connection of the last who follows, and then there are no notes any more.
    let plays = notedPlays
    notedPlays.removeAll(keepingCapacity: true)
    for (place, play) in plays.enumerated() {
      guard let trigger = pipeline.engine.trigger(named: play.trigger) else { continue }
      let values = pipeline.engine.definitions[trigger.index].values
      let later = plays[(place + 1)...].count { $0.trigger == play.trigger && $0.verdict == play.verdict }
      let cause = pipeline.engine.judgedChange(of: trigger, play.verdict, before: later).map { change in
        EventReport.Cause(value: values[change.watch].description, old: change.old, new: change.new)
      }
      let report = EventReport.Play(
        trigger: play.trigger, sound: play.sound, cause: cause, verdict: play.verdict.word)
      events.tell(.play(report), trigger: play.trigger, values: values, at: play.at)
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
