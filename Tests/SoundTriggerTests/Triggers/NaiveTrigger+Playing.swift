@testable import SoundTrigger

/// The plays of a trigger of the naive model, and what became of them.
extension NaiveTrigger {
  /// When the throttle counts from.
  var lastPlay: Int64? { starts.values.max() }

  func throttleWait(at now: Int64) -> Int64? {
    guard let throttle, let lastPlay, now - lastPlay < throttle else { return nil }
    return lastPlay + throttle - now
  }

  var isSounding: Bool { plays.contains { !$0.isStopped } }

  /// Picks a sound and starts it; `nil` if it is broken.
  mutating func perform(
    _ sounds: [String], _ record: NaiveRecords.Entry, settings: PlaySettings, loops: Bool, sparing: Bool, at now: Int64,
    _ stage: inout NaiveStage
  ) -> Int? {
    if sounds.contains(where: stage.broken.contains) { return nil }
    let play = stage.number()
    let change = record.change
    let cause = Cause(value: definition.values[change.watch], old: change.old, new: change.new)
    stage.decisions.append(
      .play(
        play, definition, sounds: sounds, settings, loops: loops, sparing: sparing, cause, at: now))
    plays.append(Running(id: play))
    cyclePosition += 1
    return play
  }

  /// All sounds of which any is right; empty: the value is silent.
  func sounds(for value: Value?) -> [String] {
    switch definition.sound {
    case .sound(let name): return [name]
    case .list(let names, .random): return names
    case .list(let names, .cycle): return [names[cyclePosition % names.count]]
    case .table(let names, let otherwise):
      if let value, let name = names[value] { return [name] }
      return otherwise.map { [$0] } ?? []
    }
  }

  @discardableResult mutating func note(
    _ record: NaiveRecords.Entry, _ verdict: Verdict, play: Int? = nil
  ) -> NaiveRecords.Entry {
    counters.lastVerdict = verdict
    lastStarting = play
    return records.write(record, verdict, play: play)
  }

  private mutating func settle(_ play: Int, _ verdict: Verdict) {
    records.settle(play, verdict)
    guard lastStarting == play else { return }
    lastStarting = nil
    counters.lastVerdict = verdict
  }

  // MARK: What became of plays

  private func place(of play: Play) -> Int? { plays.firstIndex { $0.id == Int(play.id.rawValue) } }

  mutating func heard(_ play: Play, isMuted: Bool) {
    guard let place = place(of: play) else { return }
    counters.played += 1
    counters.lastPlay = play.at.nanoseconds
    settle(plays[place].id, isMuted ? .muted : .played)
    if alarm.sound == .plays(plays[place].id) {
      if !isMuted { (alarm.wasAudible, alarm.beatWasHeard) = (true, true) }
      (alarm.wasHeard, alarm.heardSound) = (true, play.sound)
    }
  }

  mutating func refused(_ play: Play, _ refusal: PlayEvent.Refusal, at now: Int64, _ stage: inout NaiveStage) {
    guard let place = place(of: play) else { return }
    let id = plays.remove(at: place).id
    starts[id] = nil
    switch refusal {
    case .crowded: settle(id, .crowded)
    case .noDevice: settle(id, .noDevice)
    case .broken: settle(id, .broken)
    case .disabled: settle(id, .disabled)
    case .unspoken: settle(id, .unspoken)
    case .ending: settle(id, .ending)
    }
    // An alarm without gaps is not dropped, but waits.
    if !play.loops, refusal == .crowded || refusal == .noDevice { counters.dropped += 1 }
    alarmLoses(play, refusal, at: now, &stage)
    playQueue(at: now, &stage)
    throttleForgets(at: now, &stage)
  }

  mutating func ended(_ play: Play, _ ending: PlayEvent.Ending, at now: Int64, _ stage: inout NaiveStage) {
    guard let place = place(of: play) else { return }
    let id = plays.remove(at: place).id
    settle(id, ending == .stolen ? .crowded : .cancelled)
    if ending == .stolen { counters.lastStop = Stop(at: Instant(nanoseconds: now), cause: .stolen) }
    if ending == .cancelled { starts[id] = nil }
    alarmLoses(id, isStolen: ending == .stolen)
    playQueue(at: now, &stage)
    if ending == .cancelled { throttleForgets(at: now, &stage) }
  }

  private mutating func playQueue(at now: Int64, _ stage: inout NaiveStage) {
    while !isSounding, !queue.isEmpty {
      let next = queue.removeFirst()
      let start = starts.removeValue(forKey: next.start) ?? now
      playOnce(next.new, next.record, decidedAt: start, at: now, &stage)
    }
  }

  mutating func emptyQueue(_ verdict: Verdict) {
    for queued in queue {
      starts[queued.start] = nil
      noteSilent(queued.record, queued.new, verdict)
    }
    queue.removeAll()
  }
}
