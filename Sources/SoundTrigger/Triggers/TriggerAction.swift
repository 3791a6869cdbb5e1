/// The place of a trigger in `TriggerEngine.definitions`, until the next reload.
package struct TriggerID: Hashable, Sendable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// The place of a sound in `TriggerEngine.sounds`, until the next reload.
package struct SoundID: Hashable, Sendable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// What the engine asks of whoever makes the noise.
package enum TriggerAction: Equatable, Sendable {
  /// Starts a sound. `at` is when the trigger decided so: the change's time or, after a wait, the end of the wait.
  /// With `loops` it sounds without a gap until it is stopped.
  case play(trigger: TriggerID, sound: SoundID, settings: PlaySettings, loops: Bool, at: Instant)
  /// Fades out everything that runs for a trigger.
  case stop(trigger: TriggerID, at: Instant)
}
