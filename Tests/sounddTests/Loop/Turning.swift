import SoundTrigger
import Testing
import TestSupport

@testable import soundd

extension EventLoop {
  /// Turns the loop until `condition` holds; gives up after five seconds of real time without it, or more in a sanitizer.
  ///
  /// Nothing is slept through: each turn ends with the first thing that happens.
  func turn(
    until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = Self.clock().advanced(by: atMost(.seconds(5)))
    while !condition() {
      let left = Self.clock().duration(to: end)
      if left <= .zero {
        Issue.record("it did not happen in time", sourceLocation: sourceLocation)
        return
      }
      try runOnce(timeout: min(left, .milliseconds(100)))
    }
  }

  /// Whether there is a moment without anything to do.
  ///
  /// Not at once perhaps: other tests remove folders beside the one that is watched.
  func comesToRest() throws -> Bool {
    for _ in 0..<100 * timeFactor where try !runOnce(timeout: .milliseconds(5)) { return true }
    return false
  }

  /// Handles everything that is pending now, without waiting.
  func turnWhileBusy() throws {
    for _ in 0..<100_000 where try !runOnce(timeout: .zero) { return }
    Issue.record("the loop never comes to rest")
  }
}
