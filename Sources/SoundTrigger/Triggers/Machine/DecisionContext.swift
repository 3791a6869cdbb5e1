/// A value that silences triggers while it is true (`unless`). It fails open: without content, or stale, it silences none.
struct Gate: Sendable {
  var isTrue = false
  var isStale = false

  var silences: Bool { isTrue && !isStale }
}

/// The state that all triggers of an engine share while they decide.
struct DecisionContext: Sendable {
  var profile = Profile.full
  /// The values that silence triggers, by their indices.
  var gates: [Int: Gate] = [:]
  /// The groups whose windows have been open.
  var groups: [String: PlayGroup] = [:]
  var missing = MissingSounds()
  var random: SplitMix64
  /// The present time. A wait that is overdue is decided at its own time, which is earlier.
  var now = Instant(nanoseconds: .min)
  /// The rest of the present transaction's search budget.
  var searches = SearchBudget.transaction
  /// The search budget of the next transaction.
  var searchLimit = SearchBudget.transaction
  /// The decisions that the caller has not removed yet, in order.
  var decisions: [Decision] = []
  /// Whether verdicts are collected, because somebody follows them.
  var notesVerdicts = false
  /// The verdicts that the caller has not taken yet, in order.
  var verdicts: [TriggerVerdict] = []
  /// The alarms that may be others than the caller knows, in order.
  var changedAlarms: [TriggerID] = []
  /// The plays that have not ended and the trigger that decided on each, in the order of their numbers.
  var owners: [(play: PlayID, trigger: Int)] = []
  /// How many voices may have become free since the waiting alarms were last tried.
  var freedVoices = 0
  private var lastPlay: UInt64 = 0
  private var lastChange = 0
  /// The number that the next occurrence of an alarm gets.
  private(set) var nextAlarm = AlarmID(1)
  /// The number of the last play that was decided before a voice became free.
  private var lastPlayBeforeRoom: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func makePlayID() -> PlayID {
    lastPlay += 1
    return PlayID(lastPlay)
  }

  /// A number for a change that a trigger is about to judge.
  @inline(__always)
  mutating func makeChangeID() -> Int {
    lastChange &+= 1
    return lastChange
  }

  mutating func makeAlarmID() -> AlarmID {
    defer { nextAlarm = nextAlarm.next }
    return nextAlarm
  }

  /// Raises the number of the next occurrence to `id`. Does nothing if the number is greater already.
  mutating func raiseNextAlarm(to id: AlarmID) { nextAlarm = max(nextAlarm, min(id, AlarmID.valid.upperBound.next)) }

  /// Notes that a voice may have become free.
  mutating func noteRoom() {
    freedVoices += 1
    lastPlayBeforeRoom = lastPlay
  }

  /// Whether a voice may have become free since a play was decided.
  func hadRoom(since play: PlayID) -> Bool { play.rawValue <= lastPlayBeforeRoom }

  // MARK: Owners

  /// The trigger that decided on a play; `nil` if it is gone, or the play has ended.
  func owner(of play: PlayID) -> Int? { index(of: play).map { owners[$0].trigger } }

  /// Forgets a play that has ended. Returns the trigger that decided on it.
  mutating func removeOwner(of play: PlayID) -> Int? {
    if let last = owners.last, last.play == play {
      owners.removeLast()
      return last.trigger
    }
    return index(of: play).map { owners.remove(at: $0).trigger }
  }

  private func index(of play: PlayID) -> Int? {
    // Most often it is one of the latest.
    if let last = owners.last, last.play == play { return owners.count - 1 }
    var range = owners.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if owners[middle].play == play { return middle }
      range =
        owners[middle].play.rawValue < play.rawValue ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
