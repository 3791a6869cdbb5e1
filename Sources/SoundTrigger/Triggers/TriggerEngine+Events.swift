extension TriggerEngine {
  /// Takes in that a value was not reported for as long as its `expect_every`, with its content, `nil` if it has none.
  package mutating func becameStale(
    _ value: ValueID, last: Value?, at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) {
    advance(to: now, perform)
    for place in watchers.places(of: value) {
      let trigger = watchers[place].trigger
      guard let watch = watchers[place].watch, machines[trigger].isStale else { continue }
      machines[trigger].becomeStale(last, watch: watch, at: clock, &shared, perform)
      setDeadlines(of: trigger)
    }
  }

  /// Takes in that a stale value was reported, equal or not; to be called before its change is processed.
  package mutating func reported(_ value: ValueID, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    for place in watchers.places(of: value) {
      let trigger = watchers[place].trigger
      guard let watch = watchers[place].watch, machines[trigger].isStale else { continue }
      machines[trigger].conditionEnded(watch: watch, at: clock, perform)
      setDeadlines(of: trigger)
    }
  }

  /// Takes in that a value's content is another one though nothing happened to it, because it is read in another way now;
  /// `nil`: it has none any more. What lasts only while a condition holds ends if it does not.
  package mutating func reread(
    _ value: ValueID, as content: Value?, at now: Instant, _ perform: (TriggerAction) -> Verdict
  ) {
    advance(to: now, perform)
    for place in watchers.places(of: value) {
      let trigger = watchers[place].trigger
      guard let watch = watchers[place].watch, !machines[trigger].isStale else { continue }
      machines[trigger].beginAnew(at: content, watch: watch, at: clock, perform)
      setDeadlines(of: trigger)
    }
  }

  /// Takes in that a sound has ended: by itself, stopped, or because it had to make way for others.
  ///
  /// To be called once for each play that was answered with `.played` or `.muted`. Plays of a definition that a reload has
  /// replaced are forgotten, so their ends are not to be told.
  package mutating func soundEnded(_ trigger: TriggerID, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    machines[trigger.index].soundEnded(at: clock, &shared, perform)
    setDeadlines(of: trigger.index)
  }

  /// Calls off what a trigger waits for, and ends what sounds, as a change of its `cancel` value does.
  package mutating func callOff(_ trigger: TriggerID, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    machines[trigger.index].cancel(at: clock, perform)
    setDeadlines(of: trigger.index)
  }

  /// How much may be heard.
  package var profile: Profile { shared.profile }

  /// Takes another profile: what it does not admit is stopped, and what waits for its turn is dropped; loops that were
  /// silent and are admitted now are heard.
  package mutating func setProfile(_ profile: Profile, at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    shared.profile = profile
    for trigger in machines.indices {
      machines[trigger].profileChanged(at: clock, &shared, perform)
      setDeadlines(of: trigger)
    }
  }

  /// Tries again to start the loops that were refused: a sound has healed, or a device has come back.
  package mutating func retryLoops(at now: Instant, _ perform: (TriggerAction) -> Verdict) {
    advance(to: now, perform)
    for trigger in machines.indices { machines[trigger].retryLoop(at: clock, &shared, perform) }
  }

  /// Takes in that a play was not heard after all: `.noDevice` if no device took one within `fresh`, so that it was
  /// stopped; anything else of the latest play.
  package mutating func noteUnheard(_ trigger: TriggerID, _ verdict: Verdict = .noDevice, at now: Instant) {
    machines[trigger.index].noteUnheard(verdict, at: max(clock, now))
  }
}
