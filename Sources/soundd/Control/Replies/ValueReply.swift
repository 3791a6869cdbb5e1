import SoundTrigger
import SoundWire

extension ValueMessage {
  /// How much of a command is shown: a line for the shell may be a whole script.
  private static let longestLine = 200

  /// `isStale`: see `stale`. `problem`: why its command or feed does not work.
  init(
    _ snapshot: ValueSnapshot, _ content: Value?, changedAt: Timestamp?, refusedAt: Timestamp? = nil,
    isStale: Bool?, problem: String? = nil
  ) {
    self.init()
    name = snapshot.name.description
    value = content.map { RawJSON($0) }
    type = snapshot.kind.rawValue
    updates = snapshot.updates
    refusals = RefusalMembers(snapshot, at: refusedAt)
    self.changedAt = changedAt
    source =
      switch snapshot.source {
      case .client: "socket"
      case .file(let path, let aspect): "\(aspect.rawValue) \(path)"
      case .command(let line, _): "command \(line.prefix(Self.longestLine))"
      case .feed(let name): "feed \(name)"
      case .derived(let base): "of \(base)"
      }
    stale = isStale
    self.problem = problem
  }
}

extension RefusalMembers {
  /// The updates that a value has refused. `time`: of the last one, if none was accepted later.
  init(_ snapshot: ValueSnapshot, at time: Timestamp?) {
    self.init(count: snapshot.refusals, time: time, last: snapshot.lastRefusal?.description)
  }
}

extension RefusingValueMessage {
  init(_ snapshot: ValueSnapshot, at time: Timestamp?) {
    self.init()
    (name, refusals) = (snapshot.name.description, RefusalMembers(snapshot, at: time))
  }
}

extension JudgedMembers {
  init(_ change: JudgedChange, of value: ValueName, reason: String) {
    self.init()
    self.value = value.description
    old = change.old.map { RawJSON(truncated: $0) }
    new = change.new.map { RawJSON(truncated: $0) }
    verdict = Word(change.verdict.word)
    self.reason = reason
  }
}

extension VerdictMessage {
  init(_ change: JudgedChange, of value: ValueName, reason: String, at time: Timestamp) {
    self.init()
    (id, at) = (change.id, time)
    judged = JudgedMembers(change, of: value, reason: reason)
  }
}

extension StopCauseMembers {
  init(_ cause: StopCause?, of value: ValueName?) { self.init(by: cause?.rawValue, value: value?.description) }
}

extension StoppedMessage {
  init(_ stop: Stop, at time: Timestamp) {
    self.init()
    (at, cause, reason) = (time, StopCauseMembers(stop.cause, of: stop.value), stop.sentence)
  }
}
