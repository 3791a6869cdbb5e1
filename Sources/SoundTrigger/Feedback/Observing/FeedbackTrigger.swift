import Observation

/// Which feedback a change plays.
enum Choice<Value> {
  case fixed(SensoryFeedback)
  case conditional(SensoryFeedback, (_ old: Value, _ new: Value) -> Bool)
  case chosen((_ old: Value, _ new: Value) -> SensoryFeedback?)

  /// The feedback that is known before any change.
  var known: SensoryFeedback? {
    switch self {
    case .fixed(let feedback), .conditional(let feedback, _): feedback
    case .chosen: nil
    }
  }

  /// `nil`: the change plays nothing.
  func feedback(_ old: Value, _ new: Value) -> SensoryFeedback? {
    switch self {
    case .fixed(let feedback): feedback
    case .conditional(let feedback, let holds): holds(old, new) ? feedback : nil
    case .chosen(let choose): choose(old, new)
    }
  }
}

/// Compares a value with the last one and passes its changes to the engine. Confined to the actor of its trigger.
///
/// The engine need not know the value. It gets a content that stands for it (`Timing.content`): one that meets the trigger's
/// condition if the change plays a feedback, and the one from before the burst if the value is back there.
final class FeedbackTrigger<Value: Equatable> {
  private struct Known {
    var value: Value
    /// What stands for it in the engine.
    var content: SoundTrigger.Value
  }

  private let core: PlayerCore
  /// The expression. `nil` if the trigger holds its model weakly.
  private let expression: (() -> Value)?
  private let choice: Choice<Value>
  private let debounces: Bool
  /// Reads the value that cancels.
  private let cancellationValue: () -> (any Equatable)?
  private let handle: TriggerHandle
  /// The trigger's number in the core.
  var number = 0
  /// The present value; `nil` before the first look.
  private var present: Known?
  private var cancellation: (any Equatable)?
  /// The value before the debounced burst.
  private var beforeBurst: Known?

  init(
    _ core: PlayerCore, _ expression: (() -> Value)?, _ choice: Choice<Value>, _ timing: Timing, _ handle: TriggerHandle
  ) {
    self.core = core
    self.expression = expression
    self.choice = choice
    debounces = timing.debounce != nil
    cancellationValue = timing.cancellation
    self.handle = handle
  }

  // The methods that an observer calls: as closures, they need no object of their own.

  /// Reads the expression, so that it is followed.
  func readExpression() { _ = expression?() }

  /// Receives the present value of the expression.
  func receiveExpression() { if let expression { receive(expression()) } }

  /// Reads the value that cancels, so that it is followed.
  func readCancellation() { _ = cancellationValue() }

  /// Receives the present value, and acts if it differs from the last one, or if the value that cancels does.
  func receive(_ new: Value) {
    let (oldCancellation, newCancellation) = (cancellation, cancellationValue())
    cancellation = newCancellation
    guard let old = present else {
      present = Known(value: new, content: Timing.content(playing: false))
      return
    }
    if oldCancellation.differs(from: newCancellation) { core.callOff(number) }
    if old.value != new { change(from: old, to: new) }
  }

  private func change(from old: Known, to new: Value) {
    var start = old
    if debounces {
      if !core.isDebouncing(number) { beforeBurst = old }
      start = beforeBurst ?? old
    }
    let feedback = loaded(choice.feedback(start.value, new))
    let content =
      start.value != new
      ? Timing.content(playing: feedback != nil, unlike: start.content, old.content) : start.content
    present = Known(value: new, content: content)
    core.receive(number, old: old.content, new: content, feedback)
  }

  /// The feedback, unless its sound cannot be played.
  private func loaded(_ feedback: SensoryFeedback?) -> SensoryFeedback? {
    guard let feedback else { return nil }
    // It was decoded when the trigger was declared.
    if choice.known != nil { return feedback }
    do throws(SoundError) {
      try core.load(feedback.sound)
      handle.set(nil)
      return feedback
    } catch {
      handle.set(SoundProblem(error))
      return nil
    }
  }
}

extension (any Equatable)? {
  /// Whether two values differ. Values of two types do.
  func differs(from new: (any Equatable)?) -> Bool {
    func differs<Old: Equatable>(_ old: Old) -> Bool { (new as? Old).map { old != $0 } ?? true }
    return map { differs($0) } ?? (new != nil)
  }
}

extension SoundPlayer {
  /// Declares a trigger whose expression keeps its model alive.
  func follow<Value: Equatable>(
    _ read: @escaping () -> Value, _ choice: Choice<Value>, _ timing: Timing, isolation: isolated (any Actor)?
  ) -> TriggerHandle {
    declare(read, choice, timing, isolation: isolation) { trigger, schedule, handle in
      ValueObserver(
        schedule, handle, following: trigger.readExpression, alsoFollowing: trigger.readCancellation,
        act: trigger.receiveExpression)
    }
  }

  /// Declares a trigger that holds its model weakly.
  func follow<Model: AnyObject & Observable, Value: Equatable>(
    _ model: Model, _ path: KeyPath<Model, Value>, _ choice: Choice<Value>, _ timing: Timing,
    isolation: isolated (any Actor)?
  ) -> TriggerHandle {
    declare(nil, choice, timing, isolation: isolation) { trigger, schedule, handle in
      ValueObserver(
        schedule, of: model, path, handle, alsoFollowing: trigger.readCancellation, act: trigger.receive)
    }
  }

  private func declare<Value: Equatable>(
    _ expression: (() -> Value)?, _ choice: Choice<Value>, _ timing: Timing, isolation: isolated (any Actor)?,
    _ observe: (FeedbackTrigger<Value>, TurnSchedule, TriggerHandle) -> ValueObserver
  ) -> TriggerHandle {
    let handle = TriggerHandle(core)
    do throws(SoundProblem) {
      let definition = try timing.definition(choice.known)
      if let known = choice.known { try load(known) }
      let trigger = FeedbackTrigger(core, expression, choice, timing, handle)
      let observer = observe(trigger, core.schedule, handle)
      trigger.number = try begin(observer, definition, handle, isolation: isolation)
    } catch {
      handle.fail(error)
    }
    return handle
  }

  /// Adds an observer to the player's and lets it look for the first time.
  func begin(
    _ observer: ValueObserver, _ definition: TriggerDefinition?, _ handle: TriggerHandle,
    isolation: isolated (any Actor)?
  ) throws(SoundProblem) -> Int {
    if isolation == nil { throw .notOnAnActor }
    let number = try core.add(PlayerCore.Entry(observer: observer), definition)
    handle.begin(number)
    if !observer.begin(isolation: isolation) {
      core.end(number)
      throw .nothingObserved
    }
    return number
  }
}
