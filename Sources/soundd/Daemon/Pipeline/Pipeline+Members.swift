import SoundTrigger

/// The members of patterns: values that share a declaration, and the triggers of rules on them.
extension Pipeline {
  /// Uses the patterns of a configuration, and what it expects of its values.
  func setMembers(of configuration: Configuration, at now: Instant) {
    patterns = PatternTable()
    for pattern in configuration.patterns { patterns.add(pattern.pattern, pattern) }
    hasPatterns = !configuration.allPatterns.isEmpty
    var expected: Set<ValueID> = []
    for value in configuration.values {
      guard let every = value.expectEvery, let id = store.id(of: value.name) else { continue }
      expectations.expect(id, every: every, at: now)
      expected.insert(id)
    }
    for id in store.ids where store.value(of: id) != nil || expectations.expects(id) {
      if expectMember(id, at: now) { expected.insert(id) }
    }
    expectations.keepOnly(expected)
  }

  /// Lets a value that has its first content, or an alarm of an earlier run, join the rules that name it.
  func join(_ id: ValueID, at now: Instant) {
    conductor.engine.join(id, store.name(of: id), isEvent: store.kind(of: id) == .event)
    expectMember(id, at: now)
  }

  /// Expects of a member what its pattern says. Returns false if that is nothing.
  @discardableResult
  private func expectMember(_ id: ValueID, at now: Instant) -> Bool {
    guard !store.isDeclared(id), let pattern = patterns.elements(matching: store.name(of: id)).first,
      pattern.expectEvery != nil || pattern.forgetAfter != nil
    else { return false }
    expectations.expect(id, every: pattern.expectEvery, forgetAfter: pattern.forgetAfter, at: now)
    return true
  }

  /// Continues what an earlier run knew of a value with an `expect_every`. A member that is missing joins: its silence is what it is
  /// expected to break.
  func restore(_ report: Expectations.Report, of name: ValueName, at now: Instant) {
    var known = store.id(of: name)
    if known == nil, patterns.elements(matching: name).first?.expectEvery != nil {
      known = try? store.useUndeclared(name)
    }
    guard let id = known else { return }
    if !store.isDeclared(id) { join(id, at: now) }
    if expectations.restore(report, of: id, at: now) { conductor.engine.restoreStale(id, at: now) }
  }

  /// The trigger of a name. If it is a member that has not joined yet, it joins, because an earlier run left something of it.
  func restoredTrigger(named name: String, at now: Instant) -> TriggerID? {
    if let trigger = conductor.engine.trigger(named: name) { return trigger }
    guard let member = conductor.engine.value(ofMember: name), let id = try? store.useUndeclared(member) else {
      return nil
    }
    join(id, at: now)
    return conductor.engine.trigger(named: name)
  }

  /// Removes the members whose values were forgotten and that rest, and the values.
  func removeLeavers() { for value in conductor.engine.removeLeavers() { removeUnlessUsed(value) } }
}
