/// The time of a `PlayerCore`, and what calls it when something is due.
package protocol PlayerClock: AnyObject, Sendable {
  /// The present time.
  var now: Instant { get }

  /// Receives that the core has something to do sooner than it said. Called under the core's lock.
  func deadlineCameCloser()

  /// Returns after a time by this clock; throws if the task is cancelled before.
  ///
  /// On `isolation` until it sleeps. A clock with `turns` begins one when it wakes the sleeper.
  func sleep(for duration: Duration, isolation: isolated (any Actor)?) async throws

  /// Counts the turns under way, if a test moves this clock; `nil` otherwise.
  var turns: PendingTurns? { get }

  /// Returns when the core has played all that was started.
  func silence() async
}
