import SoundTrigger

/// A configuration replaces another one, or becomes the first.
extension Pipeline {
  /// Replaces the configuration. Values and triggers that stayed the same continue as they are.
  ///
  /// `replaced` is called when the new triggers are in place, before anything appears to them. It may set the sounds.
  func replace(
    _ configuration: Configuration, at now: Instant, replaced: () -> Void = {}
  ) throws(ValueStoreError) {
    store.beginTransaction()
    let identifiers = try declare(configuration)
    named = Set(identifiers.values)
    changesPitch = configuration.triggers.contains { $0.definition.changesPitch }
    let values = configuration.values.compactMap { value in store.id(of: value.name).map { (value, $0) } }
    derivations = DerivationOrder(
      values.compactMap { value, id in value.base.flatMap { identifiers[$0] }.map { (id, $0) } })
    refusals = [:]
    // What has content only now appears to all triggers in the same way, below.
    var appearances: [Change] = []
    for (value, content) in store.takeCarried() {
      noteRefusal(store.update(value, content: content.span, at: now, into: &appearances), value, at: now)
    }
    for step in derivations.steps {
      noteRefusal(store.rederive(step.value, from: step.base, at: now, into: &appearances), step.value, at: now)
    }
    let appearing = Set(appearances.map(\.value))
    let lost = conductor.engine.replace(
      definitions: configuration.triggers.map(\.definition),
      // `declare` has found the values of every trigger.
      resolve: { identifiers[$0] ?? ValueID(index: 0) }, isEvent: { store.kind(of: $0) == .event },
      profileGates: configuration.profileGates, values: store.ids.map { ($0, store.name(of: $0)) },
      contents: { appearing.contains($0) ? nil : store.value(of: $0) }, at: now)
    replaced()
    for name in lost { observer?.lostAlarm(name) }
    conductor.notesBeginnings = configuration.triggers.contains { $0.say?.isAlone ?? false }
    setMembers(of: configuration, at: now)
    for value in store.takeLost() {
      conductor.engine.readAnew(value, at: now)
      observer?.lostContent(value)
    }
    // An alarm that is new follows the silence that there is.
    for value in store.ids where expectations.isStale(value) { conductor.engine.restoreStale(value, at: now) }
    conductor.changes = appearances
    expectLines(of: configuration.feeds, at: now)
    decide(at: now)
  }

  /// Declares the configuration's values, and those that only its triggers name; takes back all other declarations.
  private func declare(_ configuration: Configuration) throws(ValueStoreError) -> [ValueName: ValueID] {
    // Checked before anything is changed: a configuration is taken whole or not at all.
    let definitions = configuration.triggers.map(\.definition)
    let used = configuration.used
    let declared = Set(configuration.values.map(\.name))
    let new = declared.union(used).filter { store.id(of: $0) == nil }
    if let last = new.first, store.count + new.count > store.limit {
      throw .tooManyValues(name: last.description, limit: store.limit)
    }
    store.setPatterns(
      configuration.allPatterns.map { pattern, declaration in
        (pattern, declaration.map { .init(kind: $0.kind, trim: $0.trim, extraction: $0.extraction) })
      }, limit: configuration.limits.members)
    store.setFeeds(ignoresSources ? [] : configuration.feeds.map { ($0.prefix, $0.name) })
    var undeclared = Set(store.ids)
    for value in configuration.values {
      let source: ValueSource =
        switch value.source {
        case .file(let path, _, let aspect) where !ignoresSources: .file(path: path, aspect: aspect)
        case .command(let command) where !ignoresSources:
          .command(command.line, isPolled: command.every != nil)
        case .feed(let name) where !ignoresSources: .feed(name)
        case .file, .command, .feed, .client: .client
        case .derived(let base): .derived(from: base)
        }
      undeclared.remove(
        try store.declare(
          value.name, kind: value.kind, source: source, trim: value.trim, extraction: value.extraction,
          comparison: value.comparison))
    }
    // A value that nothing declares and only `cancel` names is an event: every `set` acknowledges.
    let acknowledgements = Set(definitions.compactMap(\.cancel)).subtracting(declared)
      .subtracting(configuration.values.compactMap(\.base) + definitions.flatMap(\.values))
    for name in acknowledgements where !store.isMember(name) {
      undeclared.remove(try store.useUndeclared(name, kind: .event))
    }
    for id in undeclared { store.retract(id) }
    var identifiers: [ValueName: ValueID] = [:]
    for name in used {
      let known = store.id(of: name)
      identifiers[name] = if let known { known } else { try store.useUndeclared(name) }
    }
    return identifiers
  }

  /// The triggers that are not among these definitions, and whether they have plays that wait.
  func triggers(notAmong definitions: [TriggerDefinition]) -> [(name: String, waits: Bool)] {
    let unchanged = Set(definitions)
    return conductor.engine.definitions.enumerated().filter { !unchanged.contains($0.element) }.map {
      index, definition in
      let activity = conductor.engine.activity(of: TriggerID(index: index))
      return (definition.name, activity.queued > 0 || activity.state == .waiting)
    }
  }
}
