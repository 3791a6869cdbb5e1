public import Observation

extension SoundPlayer {
  // MARK: One sound

  /// Plays a sound whenever a value changes, as SwiftUI's `sensoryFeedback(_:trigger:)` plays a feedback.
  ///
  /// ```swift
  /// player.playSound("ding", trigger: model.messages)
  /// ```
  ///
  /// The first value is silent. All changes in one turn of the actor are one change; if the value is back where it was, there
  /// is none. The method neither throws nor traps: if it cannot work, the trigger stays silent, and its handle and
  /// ``onProblem(_:)`` say why. <doc:Timing> explains the times, and <doc:OwnershipAndActors> the life of a trigger.
  ///
  /// - Parameters:
  ///   - sound: A name, or a path with a `/`. It is decoded now, which blocks while the file is read.
  ///   - trigger: Read now and after each change of an `@Observable` property that it reads. It keeps the model alive.
  ///   - debounce: Plays when the value has been still for so long: more than 0, at most a year.
  ///   - delay: Plays so long after the change: more than 0, at most a year. Later changes do not postpone it.
  ///   - throttle: Plays at most once in such an interval, the first: more than 0, at most a year.
  ///   - overlap: What happens if a sound of this trigger still runs.
  ///   - cancellation: When this value changes, what waits is dropped and what runs fades out. It acts before `trigger`.
  ///   - isolation: The actor that the model belongs to; the caller's, if not given.
  /// - Returns: A handle, which may be thrown away.
  @discardableResult
  public func playSound<Value: Equatable>(
    _ sound: String, trigger: @autoclosure @escaping () -> Value, debounce: Duration? = nil, delay: Duration? = nil,
    throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(trigger, .fixed(.sound(sound)), timing, isolation: isolation)
  }

  /// Plays a sound whenever a property of a model changes that is held weakly: the trigger ends with the model.
  ///
  /// ```swift
  /// player.playSound("ding", of: model, trigger: \.messages)
  /// ```
  ///
  /// The other parameters are those of ``playSound(_:trigger:debounce:delay:throttle:overlap:cancellation:isolation:)``. A
  /// `cancellation` that reads the model keeps it alive.
  @discardableResult
  public func playSound<Model: AnyObject & Observable, Value: Equatable>(
    _ sound: String, of model: Model, trigger: KeyPath<Model, Value>, debounce: Duration? = nil,
    delay: Duration? = nil, throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(model, trigger, .fixed(.sound(sound)), timing, isolation: isolation)
  }

  // MARK: One kind of feedback

  /// Plays a feedback whenever a value changes.
  ///
  /// ```swift
  /// player.sensoryFeedback(.success, trigger: model.uploads)
  /// ```
  ///
  /// The rules of ``playSound(_:trigger:debounce:delay:throttle:overlap:cancellation:isolation:)`` apply.
  @discardableResult
  public func sensoryFeedback<Value: Equatable>(
    _ feedback: SensoryFeedback, trigger: @autoclosure @escaping () -> Value, debounce: Duration? = nil,
    delay: Duration? = nil, throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(trigger, .fixed(feedback), timing, isolation: isolation)
  }

  /// Plays a feedback whenever a value changes and the condition holds.
  ///
  /// ```swift
  /// player.sensoryFeedback(.success, trigger: model.phase) { old, new in new == .done }
  /// ```
  ///
  /// `condition` gets the old and the new value; of a debounced burst, the value before it. It runs on the caller's actor, once
  /// for each change. Nothing that it reads is followed.
  @discardableResult
  public func sensoryFeedback<Value: Equatable>(
    _ feedback: SensoryFeedback, trigger: @autoclosure @escaping () -> Value, debounce: Duration? = nil,
    delay: Duration? = nil, throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    condition: @escaping (_ oldValue: Value, _ newValue: Value) -> Bool
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(trigger, .conditional(feedback, condition), timing, isolation: isolation)
  }

  /// Plays a feedback whenever a property of a model changes that is held weakly, and the condition holds.
  ///
  /// ```swift
  /// player.sensoryFeedback(.success, of: model, trigger: \.uploads)
  /// ```
  ///
  /// The trigger ends with the model. A `condition` or a `cancellation` that reads the model keeps it alive.
  @discardableResult
  public func sensoryFeedback<Model: AnyObject & Observable, Value: Equatable>(
    _ feedback: SensoryFeedback, of model: Model, trigger: KeyPath<Model, Value>, debounce: Duration? = nil,
    delay: Duration? = nil, throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    condition: ((_ oldValue: Value, _ newValue: Value) -> Bool)? = nil
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    let choice = condition.map { Choice.conditional(feedback, $0) } ?? .fixed(feedback)
    return follow(model, trigger, choice, timing, isolation: isolation)
  }

  // MARK: A feedback that the change chooses

  /// Plays the feedback that a closure chooses whenever a value changes; `nil`: none.
  ///
  /// ```swift
  /// player.sensoryFeedback(trigger: model.build) { old, new in new == .failed ? .error : .success }
  /// ```
  ///
  /// A sound is decoded when it is first chosen, which blocks while the file is read; ``load(_:)`` does it ahead of time.
  ///
  /// `feedback` gets the old and the new value; of a debounced burst, the value before it. It runs on the caller's actor, once for
  /// each change. Nothing that it reads is followed.
  @discardableResult
  public func sensoryFeedback<Value: Equatable>(
    trigger: @autoclosure @escaping () -> Value, debounce: Duration? = nil, delay: Duration? = nil,
    throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ feedback: @escaping (_ oldValue: Value, _ newValue: Value) -> SensoryFeedback?
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(trigger, .chosen(feedback), timing, isolation: isolation)
  }

  /// Plays the feedback that a closure chooses whenever a value changes, whatever the values are; `nil`: none.
  ///
  /// ```swift
  /// player.sensoryFeedback(trigger: model.uploads) { model.phase == .done ? .success : .selection }
  /// ```
  @discardableResult
  public func sensoryFeedback<Value: Equatable>(
    trigger: @autoclosure @escaping () -> Value, debounce: Duration? = nil, delay: Duration? = nil,
    throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ feedback: @escaping () -> SensoryFeedback?
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(trigger, .chosen { _, _ in feedback() }, timing, isolation: isolation)
  }

  /// Plays the feedback that a closure chooses whenever a property of a model changes that is held weakly; `nil`: none.
  ///
  /// ```swift
  /// player.sensoryFeedback(of: model, trigger: \.build) { _, new in new == .failed ? .error : nil }
  /// ```
  ///
  /// The trigger ends with the model. A `feedback` or a `cancellation` that reads the model keeps it alive.
  @discardableResult
  public func sensoryFeedback<Model: AnyObject & Observable, Value: Equatable>(
    of model: Model, trigger: KeyPath<Model, Value>, debounce: Duration? = nil, delay: Duration? = nil,
    throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ feedback: @escaping (_ oldValue: Value, _ newValue: Value) -> SensoryFeedback?
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(model, trigger, .chosen(feedback), timing, isolation: isolation)
  }
  /// Plays the feedback that a closure chooses whenever a property of a model changes that is held weakly, whatever the values
  /// are; `nil`: none.
  @discardableResult
  public func sensoryFeedback<Model: AnyObject & Observable, Value: Equatable>(
    of model: Model, trigger: KeyPath<Model, Value>, debounce: Duration? = nil, delay: Duration? = nil,
    throttle: Duration? = nil, overlap: Overlap = .mix,
    cancellation: @autoclosure @escaping () -> (any Equatable)? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ feedback: @escaping () -> SensoryFeedback?
  ) -> TriggerHandle {
    let timing = Timing(
      debounce: debounce, delay: delay, throttle: throttle, overlap: overlap, cancellation: cancellation)
    return follow(model, trigger, .chosen { _, _ in feedback() }, timing, isolation: isolation)
  }
}
