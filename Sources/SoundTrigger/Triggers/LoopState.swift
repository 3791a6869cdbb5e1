/// How a trigger sounds while its condition lasts.
struct LoopState: Sendable {
  enum Phase: Sendable {
    /// Its sound was started and has not been stopped; one that is repeated may be between two repetitions.
    case sounding
    /// The profile does not admit it.
    case silenced
    /// Its sound could not be started.
    case refused
    /// Its sound had to make way for others; it begins again at `restart`.
    case lost
  }

  var choice: SoundTable.Choice
  /// The change that began it.
  let cause: PendingChange
  /// The same, until its sound is started for the first time.
  var unheard: PendingChange?
  var phase = Phase.refused
  /// When it is repeated next; `nil`: it sounds without a gap.
  var repetition: Instant?
  /// When it gives up.
  var limit: Instant?
  /// When a sound that was lost begins again.
  var restart: Instant?
  /// When that last happened.
  var lastRestart: Instant?

  init(_ choice: SoundTable.Choice, for change: PendingChange, repetition: Instant?, limit: Instant?) {
    self.choice = choice
    cause = change
    unheard = change
    self.repetition = repetition
    self.limit = limit
  }

  /// When something is to be done.
  var deadline: Instant? { Instant.earlier(limit, Instant.earlier(repetition, restart)) }
}
