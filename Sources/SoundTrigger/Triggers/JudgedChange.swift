/// A change as a trigger saw it, and what became of it.
package struct JudgedChange: Equatable, Sendable {
  /// When the change came.
  package var at: Instant
  /// Long contents are cut.
  package var old: Value
  package var new: Value
  package var verdict: Verdict
  /// Which of the trigger's values changed, as its place in `TriggerDefinition.values`.
  package var watch: Int

  package init(at: Instant, old: Value, new: Value, verdict: Verdict, watch: Int = 0) {
    self.at = at
    self.old = old
    self.new = new
    self.verdict = verdict
    self.watch = watch
  }
}
