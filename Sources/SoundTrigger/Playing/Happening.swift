/// What a conductor did, and what became of it. Each play is heard at most once, and ends exactly once: by `refused` or by `ended`.
package enum Happening: Sendable {
  /// The values of `Conductor.changes` have changed or appeared, in one transaction. What they cause comes later.
  case changed
  /// A sound begins on an output that wants a device. `DeviceDriver` then opens the device if it is gone, and watches it. Occurs once
  /// until the buffer is emptied.
  case needsDevice
  /// A trigger's verdict on a change, if `TriggerEngine.notesVerdicts`.
  indirect case judged(TriggerVerdict)
  /// The life, snooze or silence of an alarm has changed (`TriggerEngine.alarm`).
  case alarm(TriggerID)
  /// A play was decided, if `Conductor.notesBeginnings`.
  case begins(Play)
  /// A device accepted the first frames of a play. `isMuted`: it plays in silence, because soundd or the
  /// trigger is muted, or has volume 0.
  case heard(Play, isMuted: Bool)
  /// A play will not be heard.
  case refused(Play, PlayEvent.Refusal)
  /// A play that was heard begins to fade out, because it was stopped at this time.
  case stopping(Play, at: Instant)
  /// A play has ended that was heard, or that was stopped before.
  case ended(Play, PlayEvent.Ending)
}

extension PlayEvent {
  /// What the engine must know of a happening, if anything.
  @inline(__always)
  init?(_ happening: Happening) {
    switch happening {
    case .heard(let play, let isMuted): self = .heard(play, isMuted: isMuted)
    case .refused(let play, let reason): self = .refused(play, reason)
    case .ended(let play, let ending): self = .ended(play, ending)
    case .changed, .judged, .alarm, .needsDevice, .begins, .stopping: return nil
    }
  }
}
