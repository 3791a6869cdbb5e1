extension TriggerEngine {
  /// How many triggers may decide, and changes be taken in, before a run pauses: well below a millisecond's worth.
  private static var longestRun: Int { 128 }

  /// Carries out the lines `NAME=VALUE` of a chunk from a byte on, as far as they are plain, and decides about each change.
  ///
  /// It stops at what has to be done line by line: anything that is no plain assignment (`ValueStore.skipUnchanged`). It
  /// pauses when triggers have decided often enough for somebody to look at the clock.
  ///
  /// `changed` is told of each change before a trigger is; like `perform` it must not use the engine. With it, each change
  /// is followed by a pause, in which it can be told what the triggers did.
  package mutating func process(
    linesOf chunk: Span<UInt8>, from start: Int, into store: ValueStore, at now: Instant,
    changed: ((Change, Instant) -> Void)?, _ perform: (TriggerAction) -> Verdict
  ) -> AssignmentRun {
    var run = AssignmentRun(from: start)
    let limit = changed == nil ? Self.longestRun : 1
    var work = 0
    while let new = store.skipUnchanged(chunk, &run, at: now) {
      let value = ValueID(index: new.index)
      work += 1 + watchers.places(of: value).count
      run.end = new.next
      run.lines += 1
      switch store.accept(new, of: chunk, at: now) {
      case .changed(let change):
        run.changes += 1
        changed?(change, now)
        // A client has just done something, even if nothing was there before.
        process(change, isDeliberate: true, at: now, perform)
      case .refused(let reason):
        run.refusal = .refused(name: store.name(of: value).description, reason)
        return run
      case .unchanged, .ignored: break
      }
      if work >= limit {
        run.isPaused = true
        return run
      }
    }
    return run
  }
}
