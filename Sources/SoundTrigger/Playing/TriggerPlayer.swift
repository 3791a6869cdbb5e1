/// An engine and the player that performs what it decides: a change goes in, a sound comes out.
///
/// Call `settle` after each transaction, and after each call of `engine` or `player`: then nothing is left to decide, to
/// perform or to feed back. Confined to one thread. It cannot be copied, so it has one owner.
package struct TriggerPlayer: ~Copyable {
  package var engine: TriggerEngine
  package var player: Player
  /// What the present transaction has changed, until `settle`, which must not be called before the transaction is complete.
  package var changes: [Change] = []
  /// The decisions and events since `removeSteps`, in order, if `keepsSteps` is set.
  package private(set) var steps: [Step] = []
  package var keepsSteps = false

  package enum Step: Sendable {
    /// This was decided, and then performed.
    case decided(Decision)
    /// This became of a play.
    case received(PlayEvent)
  }

  package init(_ engine: TriggerEngine, _ player: consuming Player) {
    self.engine = engine
    self.player = player
  }

  /// Lets the engine decide about the changes, performs what was decided and feeds back what became of it, until nothing is
  /// left. Returns whether anything was decided, or there were changes.
  ///
  /// `searches`: what the expressions of the transaction may still cost. `willPerform` is called before decisions are performed, and must not touch this player. It returns when their cause
  /// arrived, in nanoseconds of CLOCK_MONOTONIC (0: unknown).
  @discardableResult
  package mutating func settle(
    at now: Instant, searches: SearchBudget? = nil, willPerform: ([Decision]) -> Instant
  ) -> Bool {
    var hasDecided = !changes.isEmpty
    if hasDecided {
      engine.receive(changes, at: now, searches: searches)
      // Most transactions have one change; to remove all in one call takes four times the instructions.
      while !changes.isEmpty { changes.removeLast() }
    }
    while true {
      if !engine.decisions.isEmpty {
        hasDecided = true
        if keepsSteps { for decision in engine.decisions { steps.append(.decided(decision)) } }
        let arrival = willPerform(engine.decisions)
        player.perform(engine.decisions, arrival: arrival)
        engine.removeDecisions()
      }
      if player.events.isEmpty { return hasDecided }
      engine.receive(player.events, at: now)
      if keepsSteps { for event in player.events { steps.append(.received(event)) } }
      player.removeEvents()
    }
  }

  /// Fades out everything that sounds, and drops what waits for the end of a sound. What a debounce or a delay waits for
  /// still plays. `fade` holds for all of it; the trigger's own `fade_out` does not.
  package mutating func stopAll(fade: Duration, by cause: StopCause, at now: Instant) {
    engine.stopSounds(by: cause, at: now)
    // Before the engine's decisions are performed: they find that their sounds fade already.
    player.stopAll(fade: fade, by: cause)
  }

  /// Empties `steps`, and keeps their memory.
  package mutating func removeSteps() { steps.removeAll(keepingCapacity: true) }
}
