/// What a warning is about: a word on which programs may rely, while its sentence may change.
package enum WarningCode: String, CaseIterable, Sendable {
  /// The configuration has no trigger.
  case noTrigger = "no_trigger"
  /// A name that nothing declares, while a declared one is close to it.
  case undeclared
  /// No trigger uses a declared value.
  case unused
  /// Two triggers play the same for the same changes.
  case double
  /// A critical alarm counts as acknowledged after a time, although nobody has acknowledged it.
  case givesUp = "gives_up"
  /// `debounce` waits for a jittering number to be still.
  case neverStill = "never_still"
  /// A value in `unless`, `quiet_while` or `silent_while` is of a type that is never true.
  case neverTrue = "never_true"
  /// Nothing can be seen at a path now.
  case path
  /// A command cannot be started, fails, or does not end in time; or a feed is silent for its `expect_every`.
  case command
  /// A mount does not answer, so the values on it keep their contents.
  case unavailable
  /// The daemon has not looked at the paths of all values.
  case unchecked
  /// There is no configuration file, or a bad one and no good copy of it.
  case noConfiguration = "no_configuration"
  /// The file was bad when soundd started, so the last good one runs.
  case lastGood = "last_good"
  /// The file is not what runs, because of this error.
  case notReloaded = "not_reloaded"
  /// The daemon does not see when the configuration is saved.
  case notWatched = "not_watched"
  /// The sounds alone take more than `limits.memory`.
  case memory
  /// The file of a sound was cut off.
  case truncated
  /// Some of a pack's sounds cannot be played.
  case unplayable
  /// A sound theme is not installed.
  case theme
  /// A sound is too long for another pitch, or there is no memory for it.
  case pitch
  /// The state is not saved.
  case unsaved
  /// Another daemon saves its state in the same place, so this one saves nothing.
  case stateLocked = "state_locked"
  /// The state cannot be locked, so another daemon may save its own over it.
  case stateUnlocked = "state_unlocked"
  /// A setting counts only after a restart.
  case restart
  /// A pattern has refused members, because it has as many as it may have.
  case members
  /// A client set a name that is probably misspelt.
  case misspelt
  /// There are more warnings of one kind than are shown.
  case more
}
