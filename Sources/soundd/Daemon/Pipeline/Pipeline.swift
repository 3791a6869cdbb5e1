import SoundTrigger
import SoundWire

/// Values, their triggers and the player: updates come in, sounds go out.
///
/// The daemon runs it by the clock, and `render` by the times of a timeline. Each call performs what was decided and
/// feeds back what became of it, until nothing is left; then the observer receives what has happened.
final class Pipeline {
  let store: ValueStore
  var conductor: Conductor
  /// Outlives the pipeline.
  unowned var observer: (any PipelineObserver)? { didSet { conductor.notesChanges = observer != nil } }
  var refusals: [ValueID: (reason: ValueRefusal, at: Instant)] = [:]
  var derivations = DerivationOrder()
  var expectations = Expectations()
  var silences = FeedSilences()
  /// Whether a trigger may play copies of sounds. Stored, because each decision asks.
  var changesPitch = false
  /// The values named in `cancel` that their feed has not reported since its program started: the first report may be old.
  var unreported: Set<ValueID> = []
  private var transaction = ValueTransaction()
  private var updates: [MemberUpdate] = []
  /// The values that the configuration's triggers and derived values name.
  var named: Set<ValueID> = []
  /// What the configuration declares for patterns, by the names that they match.
  var patterns = PatternTable<PatternDeclaration>()
  /// Whether a new value may match a pattern.
  var hasPatterns = false
  let memoryLimit: Int
  /// Whether clips are counted that only a play keeps alive.
  var countsPlays = false
  var heapTrim = HeapTrim()
  /// How many sounds by hand were refused because of it.
  var refusedSounds = 0
  /// Whether clients may set the values that files feed, because there are no files on a timeline.
  let ignoresSources: Bool

  /// Makes a pipeline with a configuration's values and triggers. `start`: from when values with `expect_every` are
  /// expected. `seed`: where the random numbers begin.
  init(
    _ configuration: Configuration, player: consuming Player, ignoringSources: Bool = false,
    at start: Instant = Instant(nanoseconds: 0), seed: UInt64 = 0
  ) throws(ValueStoreError) {
    ignoresSources = ignoringSources
    memoryLimit = configuration.limits.memory
    store = ValueStore(limit: configuration.limits.values)
    let engine = TriggerEngine(definitions: [], resolve: { _ in ValueID(index: 0) }, seed: seed)
    conductor = Conductor(engine, player)
    try replace(configuration, at: start)
    findRoom()
  }

  // MARK: Updates

  /// Applies a content. `writtenAt`: when a content that was found by looking was written. Returns why it was refused, if it was.
  func update(_ id: ValueID, content: Span<UInt8>, writtenAt: Instant? = nil, at now: Instant) -> ValueRefusal? {
    expire(at: now)
    let outcome = store.update(id, content: content, at: now, into: &conductor.changes)
    return finish(outcome, id, writtenAt: writtenAt, at: now)
  }

  /// Applies a content that came in chunks. Returns why it was refused, if it was.
  func update(
    _ id: ValueID, content: borrowing ContentAccumulator, writtenAt: Instant? = nil, at now: Instant
  ) -> ValueRefusal? {
    expire(at: now)
    let outcome = store.update(id, content: content, at: now, into: &conductor.changes)
    return finish(outcome, id, writtenAt: writtenAt, at: now)
  }

  /// Applies an assignment or a JSON object, as clients and timelines write them in a line. Returns false for any other
  /// request.
  func apply(_ request: Request, of line: Span<UInt8>, at now: Instant) throws(AssignmentRefusal) -> Bool {
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

  /// Applies `NAME=VALUE`, as a client or this feed sends it. The name is the whole one.
  func assign(
    _ name: Span<UInt8>, _ content: Span<UInt8>, by feed: String? = nil, at now: Instant
  ) throws(ValueStoreError) {
    expire(at: now)
    let (id, outcome): (ValueID, UpdateOutcome)
    do throws(ValueStoreError) {
      (id, outcome) = try store.assign(name, content: content, by: feed, at: now, into: &conductor.changes)
    } catch {
      if case .tooManyMembers = error { observer?.refusedMember() }
      throw error
    }
    if feed != nil { dropFirstChanges(of: [id]) }
    var wasSilent = false
    switch outcome {
    case .refused: break
    case _ where feed != nil || ignoresSources: wasSilent = endSilence(by: feed, of: CollectionOfOne(id), at: now)
    case .unchanged, .changed, .appeared, .ignored: break
    }
    let refusal = finish(outcome, id, at: now)
    // Nothing may have been decided, because nothing has changed.
    if wasSilent { perform(at: now) }
    if let refusal {
      throw .refused(name: store.name(of: id).description, refusal)
    }
  }

  /// Applies a JSON object, as a client or a feed sends it: all of its members change together, or none. A feed's `null`
  /// forgets a value.
  func assign(object: Span<UInt8>, by feed: FeedDeclaration? = nil, at now: Instant) throws(AssignmentRefusal) {
    let forgotten = try collect(object, by: feed)
    expire(at: now)
    updates.removeAll(keepingCapacity: true)
    do throws(ValueStoreError) {
      try store.commit(transaction, by: feed?.name, at: now, into: &conductor.changes, updates: &updates)
    } catch {
      if case .tooManyMembers = error { observer?.refusedMember() }
      throw .value(error)
    }
    if feed != nil { dropFirstChanges(of: updates.lazy.map(\.value)) }
    _ = endSilence(by: feed?.name, of: updates.lazy.map(\.value), at: now)
    // All members change before anything follows from them.
    for update in updates { note(update.value, at: now) }
    for update in updates { derive(below: update.value, isAppearance: update.outcome.isAppearance, at: now) }
    decide(at: now)
    if !forgotten.isEmpty { forget(forgotten, at: now) }
  }

  /// Fills the transaction with the object's members. Returns the values that a feed forgets.
  private func collect(_ object: Span<UInt8>, by feed: FeedDeclaration?) throws(AssignmentRefusal) -> Set<ValueID> {
    transaction.removeAll()
    var null: [UInt8]?
    // By name, how many updates came before it.
    var nulls: [[UInt8]: Int] = [:]
    var scanner = try JSONScanner(assigning: object)
    while let (name, value) = try scanner.nextAssignment(in: object) {
      let isNull = value.kind == .null
      if let feed {
        let written = name.content(in: object)
        let whole = try Self.whole(written.span, of: feed)
        if isNull { nulls[whole] = transaction.count } else { transaction.set(whole.span, to: value, of: object) }
      } else if isNull {
        null = null ?? name.content(in: object)
      } else {
        transaction.set(name, to: value, of: object)
      }
    }
    var forgotten: Set<ValueID> = []
    for name in transaction.remove(before: nulls) {
      guard let id = store.id(of: name.span) else { continue }
      // A declared value always has its place.
      if store.isDeclared(id) {
        null = null ?? Array(name.dropFirst(feed?.prefix.utf8.count ?? 0))
      } else {
        forgotten.insert(id)
      }
    }
    if let null { throw .null(name: String(decoding: null, as: UTF8.self)) }
    return forgotten
  }

  private func finish(
    _ outcome: UpdateOutcome, _ id: ValueID, writtenAt: Instant? = nil, at now: Instant
  ) -> ValueRefusal? {
    if !refusals.isEmpty { refusals[id] = nil }
    switch outcome {
    case .refused(let refusal):
      refusals[id] = (refusal, now)
      return refusal
    case .ignored: return nil
    case .unchanged where derivations.isEmpty && expectations.isEmpty: return nil
    case .unchanged, .changed, .appeared:
      note(id, writtenAt: writtenAt, at: now)
      // A derived value is reported whenever its base is.
      derive(below: id, isAppearance: outcome.isAppearance, writtenAt: writtenAt, at: now)
    }
    decide(at: now)
    return nil
  }

  /// Notes an update, whether or not it changed anything: its source lives.
  private func note(_ id: ValueID, writtenAt: Instant? = nil, at now: Instant) {
    let isFresh =
      if let writtenAt {
        expectations.noteContent(writtenAt: writtenAt, of: id, at: now)
      } else {
        expectations.noteUpdate(of: id, at: now)
      }
    if isFresh { conductor.engine.reported(id, at: now) }
  }

  /// Computes what follows from a value that was updated.
  private func derive(below id: ValueID, isAppearance: Bool, writtenAt: Instant? = nil, at now: Instant) {
    if derivations.isEmpty { return }
    let range = derivations.steps(below: id)
    var appeared: Set<ValueID> = isAppearance ? [id] : []
    var index = range.lowerBound
    while index < range.upperBound {
      let step = derivations.steps[index]
      let outcome = store.derive(
        step.value, from: step.base, baseAppears: appeared.contains(step.base), at: now, into: &conductor.changes)
      noteRefusal(outcome, step.value, at: now)
      switch outcome {
      case .ignored, .refused: index = step.next
      case .unchanged, .changed, .appeared:
        if outcome.isAppearance { appeared.insert(step.value) }
        note(step.value, writtenAt: writtenAt, at: now)
        index += 1
      }
    }
  }

  func noteRefusal(_ outcome: UpdateOutcome, _ id: ValueID, at now: Instant) {
    guard case .refused(let refusal) = outcome else {
      if !refusals.isEmpty { refusals[id] = nil }
      return
    }
    if !refusal.hasSameReason(as: refusals.updateValue((refusal, now), forKey: id)?.reason) {
      observer?.refused(id, refusal)
    }
  }

  // MARK: Decisions

  /// Lets the triggers decide about the transaction.
  func decide(at now: Instant) {
    if hasPatterns { for change in conductor.changes where change.isFirst { join(change.value, at: now) } }
    conduct(at: now) { $0.decide(at: now, searches: store.searches) }
  }

  /// Performs what the engine has decided outside of a transaction.
  func perform(at now: Instant) {
    conduct(at: now) { $0.perform(at: now) }
  }

  /// Lets the conductor do something, and hands over what has happened.
  ///
  /// One access for both, because Swift checks each access to a property of a class at run time.
  private func conduct(at now: Instant, _ body: (inout Conductor) -> Void) {
    if changesPitch { conductor.player.clipLimit = memoryLimit - store.contentBytes }
    func isOver(_ conductor: inout Conductor) -> Bool {
      body(&conductor)
      return conductor.finishIfQuiet()
    }
    if !isOver(&conductor) { handOver(at: now) }
  }

  /// Hands over what has happened. The output then carries out what was performed.
  func drain(at now: Instant) {
    if !conductor.finishIfQuiet() { handOver(at: now) }
  }

  private func handOver(at now: Instant) {
    conductor.hasHappened = true
    if let observer { tell(observer, at: now) }
    if countsPlays || conductor.player.hasNewClips { findRoom() }
    conductor.finish()
    if conductor.engine.hasLeavers { removeLeavers() }
  }

  private func tell(_ observer: any PipelineObserver, at now: Instant) {
    for happening in conductor.happenings { observer.happened(happening, at: now) }
    if !conductor.notesBeginnings { return }
    let count = conductor.happenings.count
    observer.speak(at: now)
    for happening in conductor.happenings[count...] { observer.happened(happening, at: now) }
  }

  /// Whether anything has happened since the last call.
  func removeHasHappened() -> Bool {
    defer { conductor.hasHappened = false }
    return conductor.hasHappened
  }

  // MARK: Time

  /// When `advance` has something to do.
  var nextDeadline: Instant? { Instant.earlier(conductor.nextDeadline, nextExpectation) }

  /// When a value may be stale, or is to be forgotten.
  private var nextExpectation: Instant? { Instant.earlier(expectations.nextDeadline, silences.nextDeadline) }

  /// When a trigger has something to do.
  var nextWait: Instant? { conductor.engine.nextDeadline }

  /// The name of an alarm that sounds, or will, until a value changes or somebody acknowledges it.
  var endlessAlarm: String? {
    if conductor.engine.endlessAlarm == nil { return nil }
    return conductor.engine.triggers.first { id in
      guard let loop = conductor.engine.definition(of: id).loop, let alarm = conductor.engine.alarm(id) else {
        return false
      }
      switch alarm.life {
      // A pending one becomes active before.
      case .normal, .pending: return false
      case .active, .latched: return loop.limit == nil || loop.realarm != nil
      case .acknowledged: return loop.realarm != nil
      }
    }.map { conductor.engine.name(of: $0) }
  }

  /// Does what is due until `now`, in the order of time.
  func advance(to now: Instant) {
    while let (value, event, time) = expectations.popDue(until: now) {
      switch event {
      case .stale: conductor.engine.becameStale(value, last: store.value(of: value), at: time)
      case .forgotten where conductor.engine.hasAlarm(on: value):
        expectations.postpone(value, for: .seconds(60), at: time)
      case .forgotten: forget([value], at: time)
      }
    }
    while let (feed, time) = silences.popDue(until: now) { becameSilent(feed, at: time) }
    if changesPitch { conductor.player.clipLimit = memoryLimit - store.contentBytes }
    conductor.advance(to: now)
    drain(at: now)
  }

  /// What became stale before an update did so before it.
  func expire(at now: Instant) {
    if let stale = nextExpectation, stale <= now { advance(to: now) }
  }

  /// Receives that the machine slept until now, or that soundd could not listen. Call it before anything that happened afterwards.
  func woke(at now: Instant) {
    expectations.woke(at: now)
    silences.woke(at: now)
  }

  /// Receives that no source is left. From now on no value becomes stale.
  func expectNothing() { (expectations, silences) = (Expectations(), FeedSilences()) }

  /// Whether a value has become stale; `nil` if it is not expected to be updated.
  func isStale(_ id: ValueID) -> Bool? {
    let isExpected = expectations.expects(id) || silences.owner(of: store.name(of: id)) != nil
    return isExpected ? expectations.isStale(id) : nil
  }
}

extension JSONScanner {
  /// Begins to read an object of values.
  fileprivate init(assigning object: Span<UInt8>) throws(AssignmentRefusal) {
    do throws(JSONError) { try self.init(object: object) } catch { throw .json(error) }
  }

  fileprivate mutating func nextAssignment(
    in object: Span<UInt8>
  ) throws(AssignmentRefusal) -> (name: JSONValue, value: JSONValue)? {
    do throws(JSONError) { return try nextMember(in: object) } catch { throw .json(error) }
  }
}
