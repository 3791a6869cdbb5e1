/// For programs that do not use Observation: something else sees the change, and these methods decide about it.
extension SoundPlayer {
  /// Plays a feedback if a value has changed, and the condition holds.
  ///
  /// ```swift
  /// view.onChange(of: uploads) { old, new in player.feedback(.success, old: old, new: new) { old, new in new > old } }
  /// ```
  ///
  /// Call it in the `onChange` of a view library, as <doc:OwnObservation> shows, on any thread. Each call decides by itself, so
  /// there are no times and no cancellation. The first use of a sound decodes it, and blocks while it reads. A
  /// sound that cannot be played goes to ``onProblem(_:)``.
  ///
  /// - Parameters:
  ///   - feedback: What is played.
  ///   - old: The value before the change. If it equals `new`, nothing plays.
  ///   - new: The present value.
  ///   - condition: Called with both before the call returns, if they differ.
  public func feedback<Value: Equatable>(
    _ feedback: SensoryFeedback, old: Value, new: Value,
    condition: (_ oldValue: Value, _ newValue: Value) -> Bool = { _, _ in true }
  ) {
    self.feedback(old: old, new: new) { old, new in condition(old, new) ? feedback : nil }
  }

  /// Plays the feedback that a closure chooses if a value has changed; `nil`: none.
  ///
  /// The rules of ``feedback(_:old:new:condition:)`` apply.
  public func feedback<Value: Equatable>(
    old: Value, new: Value, _ feedback: (_ oldValue: Value, _ newValue: Value) -> SensoryFeedback?
  ) {
    if old != new, let feedback = feedback(old, new) { play(feedback) }
  }

  /// Plays a sound if a value has changed, and the condition holds.
  ///
  /// `sound` is a name, or a path with a `/`. The rules of ``feedback(_:old:new:condition:)`` apply.
  public func playSound<Value: Equatable>(
    _ sound: String, old: Value, new: Value,
    condition: (_ oldValue: Value, _ newValue: Value) -> Bool = { _, _ in true }
  ) {
    feedback(.sound(sound), old: old, new: new, condition: condition)
  }
}
