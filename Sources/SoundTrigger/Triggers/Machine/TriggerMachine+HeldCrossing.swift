/// Crossings that a gate silences. Such a crossing is not used up: it sounds when the gate ends, if the number is still beyond the
/// threshold.
extension TriggerMachine {
  /// Concludes a change that something silences. If it is a crossing, and a gate silences it, it is held.
  @inline(__always)
  mutating func concludeSilenced(
    _ change: PendingChange, _ choice: SoundChoice.Selection, _ verdict: Verdict, _ context: inout DecisionContext
  ) {
    guard case .suppressed(let gate) = verdict, definition.threshold != nil else {
      return conclude(change, verdict, &context)
    }
    hold(change, choice, by: gate, &context)
  }

  @inline(never)
  private mutating func hold(
    _ change: PendingChange, _ choice: SoundChoice.Selection, by gate: ValueName, _ context: inout DecisionContext
  ) {
    var held = change
    postpone(&held, .held(by: gate), &context)
    watches[change.watch].held = WatchState.Held(change: held, choice: choice)
  }

  /// Judges a later change of a value whose crossing is held. Returns whether the verdict on it is known: the crossing is held with
  /// this change, or plays. `wasBeyond`: whether the number before it was beyond the threshold.
  mutating func continueHeldCrossing(
    _ change: PendingChange, _ judgement: inout TriggerCondition.Judgement, wasBeyond: Bool, at now: Instant,
    _ context: inout DecisionContext
  ) -> Bool {
    let watch = change.watch
    // The number has gone back far enough, or crosses a line again.
    guard judgement.holds, judgement.verdict != nil, let choice = sound[change.new] else {
      watches[watch].held = nil
      return false
    }
    guard watches[watch].condition.isBeyond else { return false }
    if let verdict = gateVerdict(at: now, context) {
      concludeSilenced(change, choice, verdict, &context)
      return true
    }
    watches[watch].held = nil
    guard judgement.verdict == .notArmed else { return false }
    // The gate has ended in this transaction, or during a debounce.
    if wasBeyond {
      play(change, choice, at: now, &context)
    } else {
      // It ended while the number was back within the hysteresis: that was no time to sound.
      judgement.verdict = nil
    }
    return wasBeyond
  }

  /// Plays the crossings that gates have held, if none silences the trigger any more.
  mutating func playHeldCrossings(at now: Instant, _ context: inout DecisionContext) {
    for watch in watches.indices where watches[watch].holdsCrossing {
      // During a debounce the present content is still to be judged.
      guard watches[watch].condition.isBeyond, watches[watch].burst == nil, gateVerdict(at: now, context) == nil,
        let held = watches[watch].held
      else { continue }
      watches[watch].held = nil
      play(held.change, held.choice, at: now, &context)
    }
  }

  /// Forgets the crossings that gates have held: they are used up.
  mutating func callOffHeldCrossings(_ context: inout DecisionContext) {
    for watch in watches.indices {
      guard let held = watches[watch].held else { continue }
      watches[watch].held = nil
      conclude(held.change, .cancelled, &context)
    }
  }

  private func gateVerdict(at now: Instant, _ context: borrowing DecisionContext) -> Verdict? {
    if case .gate(let gate)? = silence(at: now, context) { .suppressed(by: gate) } else { nil }
  }
}
