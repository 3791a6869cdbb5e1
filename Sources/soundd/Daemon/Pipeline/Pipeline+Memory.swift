import SoundTrigger

/// What bounds a pipeline's memory and time: what contents, clips and searches may take, and how values are forgotten.
extension Pipeline {
  /// How many bytes the contents may take beside the clips.
  var room: Int { memoryLimit - conductor.player.clipBytes }

  /// Lets the store know how many bytes the contents may take, after clips came or went.
  func findRoom() {
    let loaded = conductor.player.sounds.clips.reduce(0) { $0 + $1.byteCount }
    let all = conductor.player.clipBytes
    countsPlays = all > loaded
    conductor.player.hasNewClips = false
    store.setRoom(memoryLimit - all)
  }

  /// What a sound that is played by hand may take.
  var roomByHand: ClipRoom { ClipRoom(bytes: room - store.contentBytes, limit: memoryLimit, isForAll: true) }

  /// What the sounds of the configuration may take, as far as they are those of themes and packs.
  var roomForCollections: ClipRoom {
    let speech = conductor.player.sounds.others.reduce(0) { $0 + $1.byteCount }
    return ClipRoom(bytes: memoryLimit - store.contentBytes - speech, limit: memoryLimit)
  }

  /// Whether a clip that is played by hand fits into the memory. One that is loaded for a trigger takes none.
  func hasRoom(for clip: Clip) -> Bool {
    store.contentBytes + clip.byteCount <= room || conductor.player.sounds.clips.contains { $0 === clip }
  }

  /// Whether so much content is gone that freed memory is worth giving back. Ask after contents may have changed.
  func heapTrimIsDue() -> Bool { heapTrim.isDue(store.contentBytes) }

  /// Ends the searching for expressions, because soundd leaves: from now on each is over budget.
  func endSearches() {
    store.searchLimit = .nothing
    conductor.engine.limitSearches(to: .nothing)
  }

  /// Forgets values that the configuration does not declare: all of them, or none if any is unknown, declared or a feed's.
  ///
  /// For their triggers that is the end of the condition; what is derived from them loses its content. A name that the
  /// configuration's triggers know keeps its place.
  func unset(_ names: [String], at now: Instant) throws(UnsetProblem) {
    var values: Set<ValueID> = []
    for name in names {
      guard let id = store.id(of: Array(name.utf8).span) else { throw .unknown(name) }
      if store.isDeclared(id) { throw .declared(name) }
      if case .feed(let feed) = store.source(of: id) { throw .fedByFeed(name, feed: feed) }
      values.insert(id)
    }
    expire(at: now)
    forget(values, at: now)
  }

  /// Forgets undeclared values of the store.
  func forget(_ values: Set<ValueID>, at now: Instant) {
    for value in values.sorted(by: { $0.index < $1.index }) { forget(value, at: now) }
    conductor.hasHappened = true
    perform(at: now)
  }

  private func forget(_ value: ValueID, at now: Instant) {
    let name = store.name(of: value)
    _ = expectations.note(sourceWorks: true, of: value)
    if !store.isDeclared(value) { expectations.forget(value) }
    unreported.remove(value)
    store.forgetContent(of: value)
    conductor.engine.forget(value, at: now)
    // What the engine did before it counts as before it.
    perform(at: now)
    observer?.forgot(value, name, at: now)
    for index in derivations.steps(below: value) {
      let derived = derivations.steps[index].value
      if store.value(of: derived) == nil { continue }
      store.forgetContent(of: derived)
      conductor.engine.forget(derived, at: now)
      observer?.lostContent(derived)
    }
    // The last member may have left, and taken the value with it.
    if store.id(of: name) == value { removeUnlessUsed(value) }
  }

  /// Removes a value that has no content, unless the configuration or a member of a rule uses it.
  func removeUnlessUsed(_ value: ValueID) {
    if !named.contains(value), !conductor.engine.isKept(value), store.value(of: value) == nil { store.remove(value) }
  }
}

/// Why no value was forgotten.
enum UnsetProblem: Error, Equatable {
  /// There is no value of this name.
  case unknown(String)
  /// The configuration declares the value.
  case declared(String)
  /// The value belongs to a feed, which alone may forget it.
  case fedByFeed(String, feed: String)
}
