import SoundTrigger

/// Values and their triggers: updates go in, what is to be played comes out.
///
/// The same for the daemon, which tells it the time of day, and for `render`, which tells it the time of a timeline.
final class Pipeline {
  let store: ValueStore
  var engine: TriggerEngine
  /// Carries out what a trigger decided, and says what became of it; it must not use the pipeline.
  var perform: (TriggerAction) -> Verdict = { _ in .played }
  /// Told of a derived value that does not follow from the new content of its base; only once while the reason stays.
  var refused: (ValueID, ValueRefusal) -> Void = { _, _ in }
  /// Told of each change and appearance before a trigger is; it must not use the engine, which may be in the middle of a
  /// run. Nobody listens most of the time.
  var changed: ((Change, Instant) -> Void)?
  private var refusals: [ValueID: ValueRefusal] = [:]
  private var derivations = DerivationOrder()
  private var expectations = Expectations()
  private var transaction = ValueTransaction()
  private var updates: [MemberUpdate] = []
  var hasDecided = false
  /// Whether clients may set the values that files feed: there are no files on a timeline.
  private let ignoresSources: Bool

  /// An empty pipeline with the configuration's values and triggers, which are waited for from `start` on. `seed` is where its
  /// random numbers begin.
  init(
    _ configuration: Configuration, ignoringSources: Bool = false, at start: Instant = Instant(nanoseconds: 0),
    seed: UInt64 = 0
  ) throws(ValueStoreError) {
    ignoresSources = ignoringSources
    store = ValueStore(limit: configuration.limits.values)
    engine = TriggerEngine(definitions: [], resolve: { _ in ValueID(index: 0) }, seed: seed)
    try replace(configuration, at: start)
  }

  /// Takes over another configuration; values and triggers that stayed the same go on as they are.
  ///
  /// `taken` is called when the new triggers stand, before they decide about anything: what the old ones sound is stopped
  /// before, and what is performed after is theirs.
  func replace(
    _ configuration: Configuration, at now: Instant, taken: () -> Void = {}
  ) throws(ValueStoreError) {
    // Checked before anything is changed: a configuration is taken whole or not at all.
    let used = configuration.values.compactMap(\.base) + configuration.triggers.flatMap(\.definition.concerns)
    let names = Set(configuration.values.map(\.name) + used)
    let new = names.filter { store.id(of: $0) == nil }
    if let last = new.first, store.count + new.count > store.limit {
      throw .tooManyValues(name: last.description, limit: store.limit)
    }
    var undeclared = Set(store.ids)
    for value in configuration.values {
      let source: ValueSource =
        switch value.source {
        case .file(let path, _, let aspect) where !ignoresSources: .file(path: path, aspect: aspect)
        case .file, .client: .client
        case .derived(let base): .derived(from: base)
        }
      undeclared.remove(
        try store.declare(
          value.name, kind: value.kind, source: source, trim: value.trim, extraction: value.extraction,
          comparison: value.comparison))
    }
    for id in undeclared { store.retract(id) }
    var identifiers: [ValueName: ValueID] = [:]
    for name in used {
      // A value that nobody declared is a text that clients set.
      let known = store.id(of: name)
      identifiers[name] =
        if let known { known } else {
          try store.idDeclaringIfNeeded(Array(name.description.utf8).span)
        }
    }
    engine.replace(
      definitions: configuration.triggers.map(\.definition),
      // Every trigger's value was found just above.
      resolve: { identifiers[$0] ?? ValueID(index: 0) },
      isEvent: { store.kind(of: $0) == .event },
      at: now, perform)
    taken()
    follow(configuration, identifiers, at: now)
  }

  /// Takes over what is derived from what, and what is expected how often.
  private func follow(_ configuration: Configuration, _ identifiers: [ValueName: ValueID], at now: Instant) {
    let values = configuration.values.compactMap { value in store.id(of: value.name).map { (value, $0) } }
    store.watchOver(
      values.filter { $0.0.expectEvery != nil }.map(\.1) + values.compactMap { $0.0.base.flatMap { identifiers[$0] } })
    derivations = DerivationOrder(
      values.compactMap { value, id in value.base.flatMap { identifiers[$0] }.map { (id, $0) } })
    expectations.replace(values.compactMap { value, id in value.expectEvery.map { (id, $0) } }, at: now)
    refusals = [:]
    for step in derivations.steps {
      let outcome = store.rederive(step.value, from: step.base, at: now)
      note(outcome, step.value)
      _ = take(outcome, step.value, at: now)
    }
    for id in store.takeReread() { engine.reread(id, as: store.value(of: id), at: now, perform) }
  }

  /// Whether triggers have decided about anything since the last call.
  func takeDecided() -> Bool {
    defer { hasDecided = false }
    return hasDecided
  }

  /// Takes over another profile.
  func setProfile(_ profile: Profile, at now: Instant) { engine.setProfile(profile, at: now, perform) }

  /// Takes over when a trigger's throttle began in an earlier run; a name that is not known counts for nothing.
  func restore(lastPlay: Instant, of trigger: String) { engine.restore(lastPlay: lastPlay, of: trigger) }

  /// When `advance` has something to do.
  var nextDeadline: Instant? { Instant.earlier(engine.nextDeadline, expectations.nextDeadline) }

  /// When a trigger has something to do: what is still to come when nobody is left who could update anything.
  var nextWait: Instant? { engine.nextDeadline }

  /// Takes in that nobody is left who could update anything: no silence means anything any more, and only what waits is
  /// waited for.
  func expectNothing() { expectations = Expectations() }

  /// Does what is due until `now`, in the order of time.
  func advance(to now: Instant) {
    hasDecided = true
    while let stale = expectations.nextStale(until: now, lastUpdate: store.lastUpdate) {
      engine.becameStale(stale.value, last: store.value(of: stale.value), at: stale.at, perform)
    }
    engine.advance(to: now, perform)
  }

  /// Takes in that the machine has slept, or that soundd could not listen, which does not count for what is expected; to be
  /// called before anything else that happens after.
  func slept(for duration: Duration) { expectations.slept(for: duration, lastUpdate: store.lastUpdate) }

  /// Whether a value has become stale; `nil` if it is not expected to be updated.
  func isStale(_ id: ValueID) -> Bool? { expectations.expects(id) ? expectations.isStale(id) : nil }

  /// Takes in a content; returns why it was refused, if it was.
  func update(_ id: ValueID, content: Span<UInt8>, at now: Instant) -> ValueRefusal? {
    catchUp(to: now)
    return finish(store.update(id, content: content, at: now), id, at: now)
  }

  /// Takes in a content that came in chunks; returns why it was refused, if it was.
  func update(_ id: ValueID, content: borrowing ContentAccumulator, at now: Instant) -> ValueRefusal? {
    catchUp(to: now)
    return finish(store.update(id, content: content, at: now), id, at: now)
  }

  /// Carries out an assignment or a JSON object, as clients and timelines write them in a line; returns false if the
  /// request is another one.
  func carryOut(_ request: Request, of line: Span<UInt8>, at now: Instant) throws(AssignmentProblem) -> Bool {
    switch request {
    case .assignment(let name, let value):
      do throws(ValueStoreError) {
        try assign(line.extracting(name), line.extracting(value), at: now)
      } catch {
        throw .value(error)
      }
    case .object(let range): try assign(object: line.extracting(range), at: now)
    default: return false
    }
    return true
  }

  /// Carries out the assignments that a chunk of lines holds from a byte on, as far as they are plain; see
  /// `TriggerEngine.process(linesOf:)`. What is left is for `carryOut`, a line at a time.
  func carryOut(linesOf chunk: Span<UInt8>, from start: Int, at now: Instant) -> AssignmentRun {
    catchUp(to: now)
    let run = engine.process(linesOf: chunk, from: start, into: store, at: now, changed: changed, perform)
    if run.changes > 0 { hasDecided = true }
    return run
  }

  /// `NAME=VALUE`, as a client sends it.
  func assign(_ name: Span<UInt8>, _ content: Span<UInt8>, at now: Instant) throws(ValueStoreError) {
    let id = try store.idDeclaringIfNeeded(name)
    if let refusal = update(id, content: content, at: now) {
      throw .refused(name: store.name(of: id).description, refusal)
    }
  }

  /// A JSON object, as a client sends it: all of its members change together, or none.
  func assign(object: Span<UInt8>, at now: Instant) throws(AssignmentProblem) {
    try collect(object)
    catchUp(to: now)
    updates.removeAll(keepingCapacity: true)
    do throws(ValueStoreError) {
      try store.commit(transaction, at: now, into: &updates)
    } catch {
      throw .value(error)
    }
    for update in updates { process(update.change, update.value, at: now) }
    for update in updates { derive(below: update.value, at: now) }
  }

  /// Fills the transaction with the object's members.
  private func collect(_ object: Span<UInt8>) throws(AssignmentProblem) {
    transaction.removeAll()
    var members = JSONMembers()
    var null: JSONMembers.Member?
    do throws(JSONError) {
      while let member = try members.next(in: object) {
        if case .null = member.kind { null = null ?? member }
        transaction.set(member, of: object)
      }
    } catch {
      throw .json(error)
    }
    if let null { throw .null(name: Self.name(of: null, in: object)) }
  }

  /// What became stale before an update did so before it.
  private func catchUp(to now: Instant) {
    if let stale = expectations.nextDeadline, stale <= now { advance(to: now) }
  }

  /// Does what is due, if anything is, so that it can be told before what comes now.
  func settle(to now: Instant) {
    if let next = nextDeadline, next <= now { advance(to: now) }
  }

  private func finish(_ outcome: UpdateOutcome, _ id: ValueID, at now: Instant) -> ValueRefusal? {
    if case .refused(let refusal) = outcome { return refusal }
    if take(outcome, id, at: now) { derive(below: id, at: now) }
    return nil
  }

  /// Brings an update before the triggers; returns whether it was one.
  private func take(_ outcome: UpdateOutcome, _ id: ValueID, at now: Instant) -> Bool {
    switch outcome {
    case .unchanged: process(nil, id, at: now)
    case .changed(let change): process(change, id, at: now)
    case .ignored, .refused: return false
    }
    return true
  }

  private func process(_ change: Change?, _ id: ValueID, at now: Instant) {
    if expectations.noteUpdate(of: id, at: now) { engine.reported(id, at: now, perform) }
    guard let change else { return }
    hasDecided = true
    if let changed {
      if let due = engine.nextDeadline, due <= now { engine.advance(to: now, perform) }
      changed(change, now)
    }
    engine.process(change, isDeliberate: change.isAppearance && bringsNews(id), at: now, perform)
  }

  /// Whether what comes for a value, or for the one that it follows from in the end, has just happened.
  private func bringsNews(_ id: ValueID) -> Bool {
    var id = id
    while case .derived(let base) = store.source(of: id), let next = store.id(of: base) { id = next }
    return store.bringsNews(id)
  }

  /// Computes what follows from a value that was updated.
  private func derive(below id: ValueID, at now: Instant) {
    let range = derivations.steps(below: id)
    var place = range.lowerBound
    while place < range.upperBound {
      let step = derivations.steps[place]
      let outcome = store.derive(step.value, from: step.base, at: now)
      note(outcome, step.value)
      place = take(outcome, step.value, at: now) ? place + 1 : step.next
    }
  }

  private func note(_ outcome: UpdateOutcome, _ id: ValueID) {
    guard case .refused(let refusal) = outcome else {
      if !refusals.isEmpty { refusals[id] = nil }
      return
    }
    if !refusal.hasSameReason(as: refusals.updateValue(refusal, forKey: id)) { refused(id, refusal) }
  }

  private static func name(of member: JSONMembers.Member, in object: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    member.name.unescape(from: object, appendingTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why an assignment or a JSON object was not taken; nothing of it was.
enum AssignmentProblem: Error, Equatable, CustomStringConvertible {
  case json(JSONError)
  case null(name: String)
  case value(ValueStoreError)

  var description: String {
    switch self {
    case .json(let error): "not a JSON object: \(error)"
    case .null(let name): "'\(RequestError.excerpt(name))' is null, and no value can be; leave it out"
    case .value(let error): error.description
    }
  }
}
