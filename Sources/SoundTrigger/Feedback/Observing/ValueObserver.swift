// The standard library has no public way yet to learn of a change after it is stored (SE-0506 proposes one). SwiftUI uses
// this interface of Observation; `withObservationTracking` alone reports before the store, and so loses the last value that
// another thread writes.
@_spi(SwiftUI) import Observation

/// Follows what an expression reads from `@Observable` models, on one actor, until it ends.
///
/// After each change it waits for the actor's next turn, reads the expression anew and acts. All changes that happen until
/// then are one. Each change is reported after it was stored, so the last value is never lost, whichever thread writes it.
///
/// Safety of `@unchecked Sendable`: threads share the state under a lock. The closures run on the actor alone.
final class ValueObserver: @unchecked Sendable {
  private struct Closures {
    /// Reads the expression: what it reads is followed.
    let read: () -> Void
    /// Reads it once more and acts. Nothing that this reads is followed.
    let act: () -> Void
  }

  private struct State: @unchecked Sendable {
    var closures: Closures?
    weak var actor: (any Actor)?
    /// Whether a turn is on its way to the actor.
    var isScheduled = false
    /// How often it has looked. The registration of each look replaces the one before.
    var looks = 0
    /// The registration of the last look, once it has reported a change.
    var tracking: ObservationTracking?
    /// The registration that lasts as long as a model that is held weakly.
    var lifeTracking: ObservationTracking?
  }

  /// A closure that captures the observer weakly by itself would need a box for it, at each look.
  private struct Weak: Sendable {
    weak let observer: ValueObserver?
  }

  private let state: Guarded<State>
  private let schedule: TurnSchedule
  /// Its place among the observers of the schedule.
  let number: Int
  /// Is read with the model. Observation names a registration only in its reports, so this one makes it report.
  private let gate = Gate()
  /// Called after the observer has ended because its model or its actor has gone.
  private let onEnd: @Sendable () -> Void

  init(
    _ schedule: TurnSchedule, onEnd: @escaping @Sendable () -> Void = {}, following read: @escaping () -> Void,
    act: @escaping () -> Void
  ) {
    self.schedule = schedule
    self.onEnd = onEnd
    number = schedule.makeNumber()
    state = Guarded(State(closures: Closures(read: read, act: act)))
  }

  deinit { end() }

  /// Looks for the first time.
  func begin(isolation: isolated (any Actor)?) {
    state.withLock { $0.actor = isolation }
    look(isolation: isolation)
  }

  /// Ends at once: from now on it reads nothing and does nothing, unless it is just looking on its actor. Call it from any
  /// thread.
  func end() {
    let (closures, lifeTracking) = state.withLock { state in (state.closures.take(), state.lifeTracking.take()) }
    if closures == nil { return }
    gate.open()
    lifeTracking?.cancel()
    // The closures are released here and not under the lock, because that may run code of the user.
  }

  var hasEnded: Bool { state.withLock { $0.closures == nil } }

  /// Whether its actor has gone, so that it will never look again.
  var isOrphan: Bool { state.withLock { $0.actor == nil } }

  // MARK: Turns

  /// Reads the expression, and acts: its turn has come.
  func look(isolation: isolated (any Actor)?) {
    let (closures, old, count) = state.withLock { state in
      state.isScheduled = false
      state.looks += 1
      return (state.closures, state.tracking.take(), state.looks)
    }
    guard let closures else { return }
    let me = Weak(observer: self)
    withObservationTracking {
      gate.read()
      closures.read()
    } didSet: { tracking in
      if let observer = me.observer { observer.report(tracking, count) } else { tracking.cancel() }
    }
    if hasEnded {
      // It ended on another thread before the registration was there.
      gate.open()
    } else {
      // The value is read after the registration, because another thread may have written between that and the first reading.
      closures.act()
    }
    // Not before the new registration, so that no change falls between the two; and not before the sound.
    old?.cancel()
  }

  /// Receives that something has changed that was read in a look, or that the gate was opened; on the thread that did it.
  private func report(_ tracking: ObservationTracking, _ count: Int) {
    var actor: (any Actor)?
    let (isObsolete, isOrphan) = state.withLock { state in
      if state.closures == nil { return (true, false) }
      let isObsolete = count < state.looks
      if !isObsolete { state.tracking = tracking }
      if state.isScheduled { return (isObsolete, false) }
      state.isScheduled = true
      actor = state.actor
      return (isObsolete, actor == nil)
    }
    if isObsolete { tracking.cancel() }
    if isOrphan {
      end()
      onEnd()
    }
    if let actor { schedule.add(self, on: actor) }
  }

  /// Is observed beside the model.
  private final class Gate: Observable {
    private let registrar = ObservationRegistrar()
    private var isOpen: Bool { false }

    func read() { registrar.access(self, keyPath: \.isOpen) }
    func open() { registrar.didSet(self, keyPath: \.isOpen) }
  }
}

// MARK: The end of a model

extension ValueObserver {
  /// An observer of a property of a model that it holds weakly. It ends its trigger with the model.
  ///
  /// `readMore` reads what is followed beside the property. `act` gets the property's present value.
  convenience init<Model: AnyObject & Observable, Value>(
    _ schedule: TurnSchedule, of model: Model, _ path: KeyPath<Model, Value>, _ handle: TriggerHandle,
    alsoFollowing readMore: @escaping () -> Void = {}, act: @escaping (Value) -> Void
  ) {
    self.init(schedule, onEnd: { handle.end() }) { [weak model] in
      _ = model?[keyPath: path]
      readMore()
    } act: { [weak model] in
      if let model { act(model[keyPath: path]) } else { handle.end() }
    }
    endWithModel { _ = model[keyPath: path] }
  }

  /// Ends when the model goes that `read` reads; of several models, the last of them. The caller holds them meanwhile.
  private func endWithModel(_ read: () -> Void) {
    weak let life = register(read)
    // If nothing holds it, `read` reads nothing that can be observed.
    life?.begin()
  }

  private func register(_ read: () -> Void) -> ModelLife {
    let gate = Gate()
    let registration = Guarded<ObservationTracking?>(nil)
    // The registration alone holds this, and the model holds the registration.
    let life = ModelLife(self)
    withObservationTracking {
      gate.read()
      read()
    } didSet: { [life, registration] tracking in
      _ = life
      registration.withLock { $0 = tracking }
    }
    gate.open()
    state.withLock { $0.lifeTracking = registration.withLock { $0.take() } }
    return life
  }

  private final class ModelLife: Sendable {
    private weak let observer: ValueObserver?
    private let hasBegun = Guarded(false)

    init(_ observer: ValueObserver) { self.observer = observer }

    func begin() { hasBegun.withLock { $0 = true } }

    deinit {
      guard hasBegun.withLock({ $0 }), let observer, !observer.hasEnded else { return }
      // Later, because Observation holds the lock of the dying model here.
      observer.schedule.turns.begin()
      Task {
        observer.end()
        observer.onEnd()
        observer.schedule.turns.end()
      }
    }
  }
}
