import SoundTrigger

/// Values and their triggers: updates go in, what is to be played comes out.
///
/// The same for the daemon, which tells it the time of day, and for `render`, which tells it the time of a timeline.
final class Pipeline {
  let store: ValueStore
  private(set) var engine: TriggerEngine
  /// Carries out what a trigger decided, and says what became of it; it must not use the pipeline.
  var perform: (TriggerAction) -> Verdict = { _ in .played }
  private var transaction = ValueTransaction()
  private var changes: [Change] = []
  /// Whether clients may set the values that files feed: there are no files on a timeline.
  private let ignoresSources: Bool

  /// An empty pipeline with the configuration's values and triggers.
  init(_ configuration: Configuration, ignoringSources: Bool = false) throws(ValueStoreError) {
    ignoresSources = ignoringSources
    store = ValueStore(limit: configuration.limits.values)
    engine = TriggerEngine(definitions: [], resolve: { _ in ValueID(index: 0) })
    try replace(configuration)
  }

  /// Takes over another configuration; values and triggers that stayed the same go on as they are.
  func replace(_ configuration: Configuration) throws(ValueStoreError) {
    // Checked before anything is changed: a configuration is taken whole or not at all.
    let names = Set(configuration.values.map(\.name) + configuration.triggers.map(\.definition.value))
    let new = names.filter { store.id(of: $0) == nil }
    if let last = new.first, store.count + new.count > store.limit {
      throw .tooManyValues(name: last.description, limit: store.limit)
    }
    var undeclared = Set(store.ids)
    for value in configuration.values {
      let source: ValueSource =
        switch value.source {
        case .file(let path, _) where !ignoresSources: .file(path: path)
        case .file, .client: .client
        }
      undeclared.remove(try store.declare(value.name, kind: value.kind, source: source, trim: value.trim))
    }
    for id in undeclared { store.retract(id) }
    var identifiers: [ValueName: ValueID] = [:]
    for trigger in configuration.triggers {
      let name = trigger.definition.value
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
      isEvent: { store.kind(of: $0) == .event })
  }

  /// When `advance` has something to do.
  var nextDeadline: Instant? { engine.nextDeadline }

  /// Does what is due until `now`.
  func advance(to now: Instant) { engine.advance(to: now, perform) }

  /// Takes in a content; returns why it was refused, if it was.
  func update(_ id: ValueID, content: Span<UInt8>, at now: Instant) -> ValueRefusal? {
    finish(store.update(id, content: content, at: now), at: now)
  }

  /// Takes in a content that came in chunks; returns why it was refused, if it was.
  func update(_ id: ValueID, content: borrowing ContentAccumulator, at now: Instant) -> ValueRefusal? {
    finish(store.update(id, content: content, at: now), at: now)
  }

  /// `NAME=VALUE`, as a client sends it.
  func assign(_ name: Span<UInt8>, _ content: Span<UInt8>, at now: Instant) throws(ValueStoreError) {
    let id = try store.idDeclaringIfNeeded(name)
    if let refusal = update(id, content: content, at: now) {
      throw .refused(name: store.name(of: id).description, refusal)
    }
  }

  /// A JSON object, as a client sends it: all of its members change together, or none.
  func assign(object: Span<UInt8>, at now: Instant) throws(ObjectProblem) {
    try collect(object)
    changes.removeAll(keepingCapacity: true)
    do throws(ValueStoreError) {
      try store.commit(transaction, at: now, into: &changes)
    } catch {
      throw .value(error)
    }
    for change in changes { engine.process(change, at: now, perform) }
  }

  /// Fills the transaction with the object's members.
  private func collect(_ object: Span<UInt8>) throws(ObjectProblem) {
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

  private func finish(_ outcome: UpdateOutcome, at now: Instant) -> ValueRefusal? {
    switch outcome {
    case .unchanged: return nil
    case .changed(let change):
      engine.process(change, at: now, perform)
      return nil
    case .refused(let refusal): return refusal
    }
  }

  private static func name(of member: JSONMembers.Member, in object: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    member.name.unescape(from: object, appendingTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a JSON object was not taken; nothing of it was.
enum ObjectProblem: Error, Equatable, CustomStringConvertible {
  case json(JSONError)
  case null(name: String)
  case value(ValueStoreError)

  var description: String {
    switch self {
    case .json(let error): "not a JSON object: \(error)"
    case .null(let name): "'\(name)' is null, and no value can be; leave it out"
    case .value(let error): error.description
    }
  }
}
