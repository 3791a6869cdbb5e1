/// An engine and the player that performs what it decides: transactions, time and the reports of the output go in, sounds and
/// happenings come out.
///
/// After each call, read `happenings` and then call `finish`. After each call of `engine` or `player`, call `perform` before.
/// Confined to one thread. It cannot be copied, so it has one owner.
package struct Conductor: ~Copyable {
  package var engine: TriggerEngine
  package var player: Player
  /// What the present transaction has changed: put it here, and call `decide`. It stays until `finish`.
  package var changes: [Change] = []
  /// Whether `happenings` contains `changed`. Without an observer that would cost instructions for each change in vain.
  package var notesChanges = false
  /// Whether `happenings` contains `begins`.
  package var notesBeginnings = false
  /// Whether anything has changed or happened since this was set to false.
  package var hasHappened = false
  /// Converts the present time to CLOCK_MONOTONIC, by which latencies are measured.
  package var monotonic: (Instant) -> Instant = { $0 }
  /// How many happenings the engine knows.
  private var known = 0

  package init(_ engine: TriggerEngine, _ player: consuming Player) {
    self.engine = engine
    self.player = player
  }

  /// What has happened since `finish`, in order.
  package var happenings: [Happening] { player.happenings }

  // MARK: What goes in

  /// Lets the triggers decide about the changes of a complete transaction, and performs that.
  ///
  /// `searches`: what expressions may still cost; `nil`: as much as in any transaction.
  package mutating func decide(at now: Instant, searches: SearchBudget? = nil) {
    if !changes.isEmpty {
      // What was due before the changes happens before them.
      if let due = engine.nextDeadline, due <= now { engine.advance(to: now) }
      if !engine.decisions.isEmpty { perform(at: now) }
      hasHappened = true
      if notesChanges {
        player.note(.changed)
        // That is no news to the engine.
        known += 1
      }
      engine.receive(changes, at: now, searches: searches)
    }
    perform(at: now)
  }

  /// When `advance` has something to do.
  package var nextDeadline: Instant? { Instant.earlier(player.nextDeadline, engine.nextDeadline) }

  /// Does what is due until `now`.
  package mutating func advance(to now: Instant) {
    engine.advance(to: now)
    player.advance(to: now)
    perform(at: now)
  }

  /// Receives what the output reports. Returns why the device was given up, if it was.
  package mutating func collect(at now: Instant) -> OutputError? {
    let error = player.collect(at: now)
    perform(at: now)
    return error
  }

  /// Plays a clip by hand; `nil`: the loaded one of the play's name.
  package mutating func play(_ play: Play, _ clip: Clip? = nil) {
    player.play(play, clip, arrival: monotonic(play.at))
    perform(at: play.at)
  }

  /// Fades out everything that sounds, and drops what waits for the end of a sound. What a debounce or a delay waits for
  /// still plays. `fade` holds for all of it; the trigger's own `fade_out` does not.
  package mutating func stopAll(fade: Duration, by cause: StopCause, at now: Instant) {
    engine.stopSounds(by: cause, at: now)
    // Before the engine's decisions are performed: they find that their sounds fade already.
    player.stopAll(fade: fade, by: cause, at: now)
    perform(at: now)
  }

  // MARK: What comes out

  /// Performs what was decided and lets the engine know what became of it, until nothing is left.
  package mutating func perform(at now: Instant) {
    while true {
      if !engine.decisions.isEmpty {
        player.perform(engine.decisions, arrival: monotonic(now))
        if notesBeginnings { for case .play(let play) in engine.decisions { player.note(.begins(play)) } }
        engine.removeDecisions()
      }
      if engine.notesVerdicts { for verdict in engine.takeVerdicts() { player.note(.judged(verdict)) } }
      if engine.hasChangedAlarms {
        for alarm in engine.changedAlarms { player.note(.alarm(alarm)) }
        engine.removeChangedAlarms()
      }
      let count = player.happenings.count
      if known == count { return }
      while known < count {
        if let event = PlayEvent(player.happenings[known]) { engine.receive(event, at: now) }
        known += 1
      }
    }
  }

  /// Calls `finish` if nothing has happened, and no member may leave its rule; else returns false. Most transactions need no
  /// more, and a conductor in a class is then accessed once.
  package mutating func finishIfQuiet() -> Bool {
    if !player.happenings.isEmpty || engine.hasLeavers { return false }
    finish()
    return true
  }

  /// Empties `happenings` and `changes`, and wakes the output for what was performed. The caller has begun to open a missing
  /// device before.
  package mutating func finish() {
    // Most transactions have one change; to remove all in one call takes four times the instructions.
    while !changes.isEmpty { changes.removeLast() }
    known = 0
    player.finish()
  }
}
