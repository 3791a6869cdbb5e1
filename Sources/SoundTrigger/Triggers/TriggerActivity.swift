/// What a trigger is doing at one moment, for people and programs to read.
package struct TriggerActivity: Equatable, Sendable {
  /// Of several that are true the last in this list.
  ///
  /// The raw value is the word for it in `status`.
  package enum State: String, Sendable {
    /// It neither waits nor sounds.
    case resting
    /// A `debounce` or a `delay` has not ended.
    case waiting
    /// One of its sounds runs.
    case sounding
    /// Its condition lasts, and it sounds as long, unless the profile or something else keeps it from being heard.
    case looping
  }

  package var state: State
  /// How many plays wait for their turn.
  package var queued: Int

  package init(state: State, queued: Int = 0) {
    self.state = state
    self.queued = queued
  }
}
