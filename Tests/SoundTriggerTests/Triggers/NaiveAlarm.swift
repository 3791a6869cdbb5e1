import SoundTrigger

/// A trigger of the naive model that sounds for as long as its condition lasts.
struct NaiveLoop {
  /// The least time between two attempts to come back, in nanoseconds.
  static let comebackInterval: Int64 = 1_000_000_000

  /// The value whose sound is played; `nil` if it never had one.
  var new: Value?
  /// The change that began it, or that chose its sound.
  var record: NaiveRecords.Entry
  /// Whether it was heard, so that the change has its verdict.
  var wasHeard = false
  /// When it gives up.
  var end: Int64?
  /// When it begins, is repeated or comes back.
  var next: Int64?
  var lastComeback: Int64?
  /// The play that sounds for it.
  var play: Int?
  var isThrottled = false
  var isSilenced = false
  var needsVoice = false
  var needsSound = false

  var deadline: Int64? { [end, next].compactMap(\.self).min() }

  mutating func fallSilent() {
    play = nil
    (isThrottled, isSilenced, needsVoice, needsSound) = (false, false, false, false)
  }
}

extension NaiveTrigger {
  private var every: Int64? { definition.loop?.every.first?.nanoseconds }
  private var limit: Int64? { definition.loop?.limit?.nanoseconds }

  mutating func joinLoop(
    _ watch: Int, new: Value?, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) {
    if loop == nil { for index in watches.indices { watches[index].firedInLoop = false } }
    watches[watch].firedInLoop = true
    if let loop {
      note(record, loop.isThrottled ? .throttled(for: .nanoseconds((loop.next ?? now) - now)) : .alreadyLooping)
      return
    }
    loop = NaiveLoop(new: new, record: record)
    guard let wait = throttleWait(at: now) else { return beginLoop(at: now, &stage) }
    loop?.isThrottled = true
    loop?.next = now + wait
    noteLoop(.throttled(for: .nanoseconds(wait)))
  }

  private mutating func beginLoop(at now: Int64, _ stage: inout NaiveStage) {
    let (next, end) = (every.map { now + $0 }, limit.map { now + $0 })
    loop?.next = next
    loop?.end = end
    soundLoop(at: now, &stage)
  }

  /// Whether a loop that sounds has another sound for a value.
  func wouldSwitchLoop(to new: Value?) -> Bool {
    guard case .table = definition.sound, let loop else { return false }
    let sounds = sounds(for: new)
    return !sounds.isEmpty && sounds != self.sounds(for: loop.new)
  }

  mutating func switchLoop(
    _ watch: Int, to new: Value?, _ record: NaiveRecords.Entry, at now: Int64, _ stage: inout NaiveStage
  ) {
    watches[watch].firedInLoop = true
    loop?.new = new
    loop?.record = record
    loop?.wasHeard = false
    guard let loop else { return }
    if loop.isThrottled {
      noteLoop(.throttled(for: .nanoseconds((loop.next ?? now) - now)))
    } else if loop.isSilenced {
      noteLoop(.profile(stage.profile))
    } else if loop.play != nil || loop.needsVoice || loop.needsSound {
      stop(at: now, by: .restart, &stage)
      soundLoop(at: now, &stage)
    } else {
      noteLoop(.alreadyLooping)
    }
  }

  /// Starts the sound of an active loop, at first or again.
  private mutating func soundLoop(at now: Int64, comesBack: Bool = false, _ stage: inout NaiveStage) {
    guard let loop else { return }
    self.loop?.fallSilent()
    if every == nil { self.loop?.next = nil }
    if !isAdmitted(stage) {
      self.loop?.isSilenced = true
      return noteLoop(.profile(stage.profile))
    }
    let play = perform(
      loop.new, loop.record, loops: every == nil, sparing: comesBack, at: now, &stage)
    self.loop?.play = play
    self.loop?.needsSound = play == nil
    if let play, !loop.wasHeard { starts[play] = now }
    noteLoop(play == nil ? .broken : .starting, play: play)
  }

  /// The verdict on the change that began the loop, until it was heard.
  private mutating func noteLoop(_ verdict: Verdict, play: Int? = nil) {
    guard let loop, !loop.wasHeard else { return }
    let record = note(loop.record, verdict, play: play)
    self.loop?.record = record
  }

  mutating func silenceLoop(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop, !loop.isThrottled else { return }
    self.loop?.fallSilent()
    self.loop?.isSilenced = true
    if every == nil { self.loop?.next = nil }
    noteLoop(.profile(stage.profile))
  }

  mutating func loopIsAdmitted(at now: Int64, _ stage: inout NaiveStage) {
    if loop?.isSilenced == true { soundLoop(at: now, &stage) }
  }

  mutating func soundsChanged(at now: Int64, _ stage: inout NaiveStage) {
    if loop?.needsSound == true, every == nil { soundLoop(at: now, &stage) }
  }

  /// A play is over that the loop may have sounded by.
  mutating func loopLoses(_ play: Int, _ refusal: PlayEvent.Refusal? = nil) {
    guard loop?.play == play else { return }
    loop?.fallSilent()
    guard every == nil else { return }
    if refusal == .broken { loop?.needsSound = true } else { loop?.needsVoice = true }
  }

  mutating func lookForVoice(at now: Int64, _ stage: inout NaiveStage) {
    guard let loop, loop.needsVoice else { return }
    let earliest = (loop.lastComeback ?? .min / 2) + NaiveLoop.comebackInterval
    if now < earliest { self.loop?.next = earliest } else { comeBack(at: now, &stage) }
  }

  private mutating func comeBack(at now: Int64, _ stage: inout NaiveStage) {
    loop?.lastComeback = now
    soundLoop(at: now, comesBack: true, &stage)
  }

  /// The time at which the loop begins, is repeated or comes back.
  mutating func loopDue(at now: Int64, _ stage: inout NaiveStage) {
    if loop?.isThrottled == true { return beginLoop(at: now, &stage) }
    guard let every else { return comeBack(at: now, &stage) }
    loop?.next = now + every
    if !isSounding { soundLoop(at: now, &stage) }
  }

  mutating func endLoopIfOver(at now: Int64, _ stage: inout NaiveStage) {
    for index in watches.indices where !watches[index].holds && watches[index].firedInLoop {
      watches[index].firedInLoop = false
      loopEnder = index
    }
    if !watches.contains(where: \.firedInLoop) { endLoop(at: now, by: .condition, &stage) }
  }

  mutating func endLoop(at now: Int64, by cause: StopCause, _ stage: inout NaiveStage) {
    if loop == nil { return }
    loop = nil
    noteStop(at: now, by: cause)
    stop(at: now, by: cause, &stage)
  }

  /// A play was never heard: what the throttle held back for it begins sooner.
  mutating func throttleForgets(at now: Int64, _ stage: inout NaiveStage) {
    if loop?.isThrottled != true { return }
    if let wait = throttleWait(at: now) {
      loop?.next = now + wait
    } else {
      beginLoop(at: now, &stage)
    }
  }

  mutating func finishLoop(_ stage: inout NaiveStage) {
    if loop == nil { return }
    loop = nil
    for play in plays where !play.isStopped { stage.decisions.append(.finish(play.id)) }
  }

  /// Continues the loop of the trigger whose place this one takes. Returns false if its condition does not hold.
  mutating func continueLoop(
    of old: NaiveTrigger, _ present: [Value?], at now: Int64, _ stage: inout NaiveStage
  ) -> Bool {
    guard definition.loop != nil, let oldLoop = old.loop else { return false }
    for (watch, content) in present.enumerated() {
      begin(watch, at: content)
      if definition.when == .stale, old.definition.when == .stale,
        let before = old.values.firstIndex(of: values[watch]), old.watches[before].firedInLoop
      {
        watches[watch].holds =
          watches[watch].staleObstacle(definition, last: content) == nil && !sounds(for: content).isEmpty
      }
      watches[watch].firedInLoop = watches[watch].holds
    }
    guard let watch = watches.firstIndex(where: \.firedInLoop) else { return false }
    var old = old
    for index in old.watches.indices { old.forget(index) }
    takeOver(old)
    loop = oldLoop
    loop?.new = present[watch]
    loop?.record.change.watch = watch
    if definition.values != old.definition.values { loop?.record.number = nil }
    if oldLoop.isThrottled { return true }
    let oldRule = old.definition.loop
    let (next, end) = (every.map { now + $0 }, limit.map { now + $0 })
    if definition.loop?.limit != oldRule?.limit { loop?.end = end }
    if definition.loop?.every != oldRule?.every { loop?.next = next }
    var isSameSound = definition.sound == old.definition.sound && (every == nil) == (oldRule?.every == nil)
    if case .table = definition.sound, sounds(for: oldLoop.new) != sounds(for: present[watch]) { isSameSound = false }
    if let play = oldLoop.play, isSameSound, isAdmitted(stage) {
      if definition.settings != old.definition.settings { stage.decisions.append(.adjust(play, definition.settings)) }
      return true
    }
    let isPausing = oldLoop.play == nil && !oldLoop.isSilenced && !oldLoop.needsVoice && !oldLoop.needsSound
    if isPausing && every != nil || oldLoop.needsVoice && every == nil { return true }
    stop(at: now, by: .configuration, &stage)
    soundLoop(at: now, &stage)
    return true
  }
}
