import SoundTrigger

/// A trigger of the naive model that sounds for as long as its condition lasts.
struct NaiveLoop {
  /// The least time between two beginnings of a loop of which others took the place, in nanoseconds.
  static let restartInterval: Int64 = 1_000_000_000

  /// The value whose sound is played; `nil` if it never had one.
  var new: Value?
  /// The change that began it.
  var record: NaiveRecords.Entry
  /// Whether it has been played, so that the change has its verdict.
  var wasPlayed = false
  var every: Int64?
  /// When it gives up.
  var end: Int64?
  /// The next repetition, or the next attempt to come back.
  var next: Int64?
  /// Whether a gapless loop was begun and neither stopped nor ended since.
  var sounds = false
  var lastComeback: Int64?

  var deadline: Int64? {
    if let end, let next { return min(end, next) }
    return end ?? next
  }
}

extension NaiveTrigger {
  mutating func beginLoop(_ watch: Int, new: Value?, _ record: NaiveRecords.Entry, at now: Int64) {
    for index in watches.indices { watches[index].firedInLoop = index == watch }
    let (every, limit) = (definition.loop?.every?.nanoseconds, definition.loop?.limit?.nanoseconds)
    loop = NaiveLoop(
      new: new, record: record, every: every, end: limit.map { now + $0 }, next: every.map { now + $0 })
  }

  mutating func endLoop() { loop = nil }

  mutating func endLoopIfOver(at now: Int64, _ stage: inout NaiveStage) {
    for index in watches.indices where !watches[index].holds { watches[index].firedInLoop = false }
    guard loop != nil, !watches.contains(where: { $0.firedInLoop }) else { return }
    endLoop()
    stop(at: now, &stage)
  }

  /// Begins the sound of an active loop, at first or again.
  mutating func soundLoop(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop else { return }
    guard isAdmitted(stage) else { return noteLoop(.profile(stage.profile)) }
    if loop.every == nil { self.loop?.next = nil }
    let answer = perform(loop.new, loops: loop.every == nil, at: now, &stage)
    let plays = answer == .played || answer == .muted
    self.loop?.sounds = plays
    noteLoop(answer)
    if plays, !loop.wasPlayed {
      self.loop?.wasPlayed = true
      lastPlay = now
    }
  }

  /// What became of the change that began the loop, which is said anew until it was played.
  private mutating func noteLoop(_ verdict: Verdict) {
    guard let loop, !loop.wasPlayed else { return }
    self.loop?.record = records.conclude(loop.record, verdict)
    counters.lastVerdict = verdict
  }

  /// The profile does not admit it any more.
  mutating func silenceLoop() {
    loop?.sounds = false
    if loop?.every == nil { loop?.next = nil }
  }

  /// The profile admits it again: a repetition out of turn, or the gapless sound.
  mutating func loopIsAdmitted(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop, loop.every == nil || running == 0 else { return }
    soundLoop(at: now, &stage)
  }

  /// The last sound of the trigger has ended: if that was not asked for, a gapless loop comes back.
  mutating func loopFellSilent(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop, loop.every == nil, loop.sounds else { return }
    self.loop?.sounds = false
    if let last = loop.lastComeback, now - last < NaiveLoop.restartInterval {
      self.loop?.next = last + NaiveLoop.restartInterval
    } else {
      comeBack(at: now, &stage)
    }
  }

  /// A sound healed, or a device came back.
  mutating func retryLoop(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop, loop.every == nil, !loop.sounds, loop.next == nil, isAdmitted(stage) else { return }
    soundLoop(at: now, &stage)
  }

  /// The time of a repetition or of a comeback.
  mutating func loopDue(at now: Int64, _ stage: inout NaiveStage) {
    guard let every = loop?.every else { return comeBack(at: now, &stage) }
    loop?.next = now + every
    if running == 0 { soundLoop(at: now, &stage) }
  }

  private mutating func comeBack(at now: Int64, _ stage: inout NaiveStage) {
    loop?.lastComeback = now
    soundLoop(at: now, &stage)
  }
}
