// The standard library has no public way yet to learn of a change after it is stored (SE-0506 proposes one). SwiftUI uses
// this interface of Observation; `withObservationTracking` alone reports before the store, and so loses the last value that
// another thread writes.
@_spi(SwiftUI) import Observation
// Finds the registrar of a model.
@_spi(Reflection) import Swift

/// Follows what an expression reads from `@Observable` models, on one actor, until it ends.
///
/// After each change it waits for the actor's next turn, reads the expression anew and acts. All changes that happen until
/// then are one. Each change is reported after it was stored, so the last value is never lost, whichever thread writes it.
///
/// Safety of `@unchecked Sendable`: threads share the state under the lock of the schedule. The closures run on the actor alone.
final class ValueObserver: @unchecked Sendable {
  private struct Closures {
    /// Reads the expression: what it reads is followed.
    let read: () -> Void
    /// Reads what is followed beside the expression.
    let readMore: () -> Void
    /// Reads it once more and acts. Nothing that this reads is followed.
    let act: () -> Void
  }

  private struct State {
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

  private var state: State
  private let schedule: TurnSchedule
  /// What the schedule orders its observers by: the first made comes first.
  let number: Int
  /// Is read with the model. Observation names a registration only in its reports, so this one makes it report.
  private let gate = Gate()
  /// Ends the trigger of this observer. `nil` if there is none.
  private let handle: TriggerHandle?

  init(
    _ schedule: TurnSchedule, _ handle: TriggerHandle? = nil, following read: @escaping () -> Void,
    alsoFollowing readMore: @escaping () -> Void = {}, act: @escaping () -> Void
  ) {
    self.schedule = schedule
    self.handle = handle
    number = schedule.makeNumber()
    state = State(closures: Closures(read: read, readMore: readMore, act: act))
  }

  // Nobody else has the observer any more, so this needs no lock.
  deinit { state.lifeTracking?.cancel() }

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    schedule.lock.withLock { _ in body(&state) }
  }

  /// Looks for the first time. Returns false if the expression reads nothing that can be observed, so that it never changes.
  @discardableResult
  func begin(isolation: isolated (any Actor)?) -> Bool {
    withState { $0.actor = isolation }
    look(isolation: isolation)
    guard let read = withState({ $0.closures?.read }) else { return true }
    weak var probe: Probe?
    let tracking: ObservationTracking?
    do {
      let held = Probe()
      probe = held
      tracking = Self.attach(held, to: read)
    }
    defer { tracking?.cancel() }
    // If nothing holds it, nothing was read that can be observed.
    return probe != nil
  }

  /// Ends at once: from now on it reads nothing and does nothing, unless it is just looking on its actor. Call it from any
  /// thread.
  func end() {
    let (closures, lifeTracking) = withState { state in (state.closures.take(), state.lifeTracking.take()) }
    if closures == nil { return }
    gate.open()
    lifeTracking?.cancel()
    // The closures are released here and not under the lock, because that may run code of the user.
  }

  var hasEnded: Bool { withState { $0.closures == nil } }

  /// Whether its actor has gone, so that it will never look again.
  var isOrphan: Bool { withState { $0.actor == nil } }

  // MARK: Turns

  /// Reads the expression, and acts: its turn has come.
  func look(isolation: isolated (any Actor)?) {
    let (closures, old, count) = withState { state in
      state.isScheduled = false
      state.looks += 1
      return (state.closures, state.tracking.take(), state.looks)
    }
    guard let closures else { return }
    // The registration holds the observer, and `end` cancels it.
    withObservationTracking {
      gate.read()
      closures.read()
      closures.readMore()
    } didSet: { tracking in
      self.report(tracking, count)
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
    let (isObsolete, isOrphan) = withState { state in
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
      handle?.end()
    }
    if let actor { schedule.add(self, on: actor) }
  }

  /// Is observed beside the model.
  private struct Gate: Observable {
    private let registrar = ObservationRegistrar()

    func read() { registrar.access(self, keyPath: \.self) }
    func open() { registrar.didSet(self, keyPath: \.self) }
  }

  /// Lets all that `read` reads hold an object, until the registration that it returns is cancelled.
  private static func attach(_ object: some AnyObject & Sendable, to read: () -> Void) -> ObservationTracking? {
    let gate = Gate()
    let report = Report()
    withObservationTracking {
      gate.read()
      read()
    } didSet: { [weak report] tracking in
      // After this method there is no report any more: the registration would hold itself.
      withExtendedLifetime(object) { report?.tracking.withLock { $0 = tracking } }
    }
    gate.open()
    return report.tracking.withLock { $0 }
  }

  private final class Report: Sendable {
    let tracking = Guarded<ObservationTracking?>(nil)
  }

  private final class Probe: Sendable {}
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
    self.init(
      schedule, handle, following: { [weak model] in _ = model?[keyPath: path] },
      alsoFollowing: readMore
    ) { [weak model] in
      if let model { act(model[keyPath: path]) } else { handle.end() }
    }
    let registrar = Self.registrar(of: model)
    let tracking = Self.attach(ModelLife(self)) {
      // The property of a nested model would hold it, too.
      if let registrar { registrar.access(model, keyPath: \.self) } else { _ = model[keyPath: path] }
    }
    withState { $0.lifeTracking = tracking }
  }

  /// The registrar that a model stores, without a look at its other properties, which other threads may write; `nil` if it
  /// stores none.
  private static func registrar(of model: AnyObject) -> ObservationRegistrar? {
    var position: Int?
    // `.classType` by its number, because the constant is a variable.
    _forEachField(of: type(of: model), options: _EachFieldOptions(rawValue: 1)) { _, offset, type, _ in
      if type == ObservationRegistrar.self { position = offset }
      return position == nil
    }
    // Safe: at that offset the class stores a property of this very type. `@Observable` makes it a `let`, and the caller holds the
    // model.
    return position.map {
      UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
        .load(fromByteOffset: $0, as: ObservationRegistrar.self)
    }
  }

  /// Is held by a model alone, and so goes with it.
  private final class ModelLife: Sendable {
    private weak let observer: ValueObserver?

    init(_ observer: ValueObserver) { self.observer = observer }

    deinit {
      guard let observer, !observer.hasEnded else { return }
      // Later, because Observation holds the lock of the dying model here.
      observer.schedule.turns.begin()
      Task {
        observer.end()
        observer.handle?.end()
        observer.schedule.turns.end()
      }
    }
  }
}
