public import Observation

extension SoundPlayer {
  /// Runs an action whenever a value changes, as SwiftUI's `onChange(of:initial:_:)` does.
  ///
  /// ```swift
  /// player.onChange(of: model.phase, initial: true) { old, new in print("\(old) → \(new)") }
  /// ```
  ///
  /// All changes in one turn of the actor are one change; if the value is back where it was, there is none.
  ///
  /// - Parameters:
  ///   - value: Read now and after each change of an `@Observable` property that it reads. It keeps the model alive.
  ///   - initial: Whether the action runs at once, too, with the present value as the old and the new one.
  ///   - isolation: The actor that the model belongs to; the caller's, if not given.
  ///   - action: Gets the old and the new value. Runs on the caller's actor. Nothing that it reads is followed. The player
  ///     keeps what it captures: capture the player weakly.
  /// - Returns: A handle, which may be thrown away.
  @discardableResult
  public func onChange<Value: Equatable>(
    of value: @autoclosure @escaping () -> Value, initial: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> TriggerHandle {
    declare(isolation: isolation) { schedule, handle in
      var old: Value?
      return ValueObserver(schedule, handle) {
        _ = value()
      } act: {
        let (before, new) = (old, value())
        old = new
        Self.react(before, new, initial: initial, action)
      }
    }
  }

  /// Runs an action whenever a value changes, whatever the values are.
  ///
  /// ```swift
  /// player.onChange(of: model.uploads) { print("one more") }
  /// ```
  @discardableResult
  public func onChange<Value: Equatable>(
    of value: @autoclosure @escaping () -> Value, initial: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ action: @escaping () -> Void
  ) -> TriggerHandle {
    onChange(of: value(), initial: initial, isolation: isolation) { _, _ in action() }
  }

  /// Runs an action whenever a property of a model changes that is held weakly: the trigger ends with the model.
  ///
  /// ```swift
  /// player.onChange(of: model, \.phase) { old, new in print("\(old) → \(new)") }
  /// ```
  ///
  /// An `action` that captures the model keeps it alive: capture it weakly.
  @discardableResult
  public func onChange<Model: AnyObject & Observable, Value: Equatable>(
    of model: Model, _ path: KeyPath<Model, Value>, initial: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> TriggerHandle {
    declare(isolation: isolation) { schedule, handle in
      var old: Value?
      return ValueObserver(schedule, of: model, path, handle) { new in
        let before = old
        old = new
        Self.react(before, new, initial: initial, action)
      }
    }
  }

  /// Runs an action whenever a property of a model changes that is held weakly, whatever the values are.
  @discardableResult
  public func onChange<Model: AnyObject & Observable, Value: Equatable>(
    of model: Model, _ path: KeyPath<Model, Value>, initial: Bool = false,
    isolation: isolated (any Actor)? = #isolation, _ action: @escaping () -> Void
  ) -> TriggerHandle {
    onChange(of: model, path, initial: initial, isolation: isolation) { _, _ in action() }
  }

  /// Runs an action if a value differs from the last one, or if it is the first and `initial` is set.
  private static func react<Value: Equatable>(
    _ old: Value?, _ new: Value, initial: Bool, _ action: (Value, Value) -> Void
  ) {
    if let old {
      if old != new { action(old, new) }
    } else if initial {
      action(new, new)
    }
  }

  private func declare(
    isolation: isolated (any Actor)?, _ observe: (TurnSchedule, TriggerHandle) -> ValueObserver
  ) -> TriggerHandle {
    let handle = TriggerHandle(core)
    do throws(SoundProblem) {
      _ = try begin(observe(core.schedule, handle), nil, handle, isolation: isolation)
    } catch {
      handle.fail(error)
    }
    return handle
  }
}
