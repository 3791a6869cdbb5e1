import Glibc

/// The triggers of a `SoundPlayer` and what they play on, for any thread.
///
/// Safety of `@unchecked Sendable`: all that changes is accessed under the lock. No code of the user runs under it.
package final class PlayerCore: @unchecked Sendable {
  package let output: any AudioOutput
  package let locator: SoundLocator
  package let clock: any PlayerClock
  let schedule: TurnSchedule
  /// The most triggers.
  private let limit: Int
  /// Guards what is below, which `Guarded` could not hold because it cannot be copied. (An empty content would confuse the
  /// Thread Sanitizer.)
  private let lock = Guarded(false)

  // Under the lock:
  /// Keeps the device of the output; `nil`: it needs none.
  private let device: DeviceDriver?
  private var conductor: Conductor
  private var entries: [Int: Entry] = [:]
  private var lastEntry = 0
  /// When the clock will call, as far as it knows.
  private var announcedDeadline: Instant?
  private var onProblem: @Sendable (SoundProblem) -> Void = { PlayerCore.printToStandardError($0) }
  /// The plays that were heard, in order; `nil`: they are not recorded.
  private var heard: [Play]?

  /// What a handle stands for.
  struct Entry {
    var observer: ValueObserver?
    var trigger: TriggerID?
    /// Its end cancels the tasks.
    var tasks: DelayedTasks?
  }

  package init(
    _ output: any AudioOutput, locator: SoundLocator, clock: any PlayerClock, recordsPlays: Bool = false,
    limit: Int = 65_536, device: DeviceDriver? = nil
  ) {
    self.output = output
    self.locator = locator
    self.clock = clock
    self.limit = limit
    self.device = device
    schedule = TurnSchedule(clock.turns)
    let engine = TriggerEngine(definitions: [], resolve: { _ in ValueID(index: 0) })
    conductor = Conductor(engine, Player(output))
    heard = recordsPlays ? [] : nil
  }

  // MARK: Problems

  func setOnProblem(_ handler: @escaping @Sendable (SoundProblem) -> Void) {
    // The old one is released after the lock, because that may run code of the user.
    let old = lock.withLock { _ in
      defer { onProblem = handler }
      return onProblem
    }
    _ = old
  }

  package func report(_ problem: SoundProblem) {
    let handler = lock.withLock { _ in onProblem }
    handler(problem)
  }

  private static func printToStandardError(_ problem: SoundProblem) {
    let line = Array("SoundTrigger: \(Excerpt.escaping(problem.description))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  // MARK: Sounds

  /// Decodes a sound unless it is loaded. Blocks the caller while it reads, and no other thread.
  package func load(_ sound: String) throws(SoundError) {
    if lock.withLock({ _ in conductor.player.sounds[sound] != nil }) { return }
    let clip = try ClipLoader(rate: output.control.rate).load(path: try locator.locate(sound))
    lock.withLock { _ in conductor.player.sounds.set(sound, .success(clip)) }
  }

  /// Starts a loaded sound.
  func play(_ feedback: SensoryFeedback) {
    perform { conductor, now in
      conductor.play(
        Play(
          id: conductor.engine.makePlayID(), trigger: nil, sound: feedback.sound,
          settings: PlaySettings(volume: feedback.intensity), fresh: nil, at: now))
    }
  }

  // MARK: Triggers

  /// Adds what a handle stands for, with a trigger of the engine if there is a definition. Returns its number.
  func add(_ entry: Entry, _ definition: TriggerDefinition? = nil) throws(SoundProblem) -> Int {
    if triggerCount >= limit { removeOrphans() }
    let added = lock.withLock { _ -> Int? in
      if entries.count >= limit { return nil }
      var entry = entry
      entry.trigger = definition.map { conductor.engine.add($0) }
      lastEntry += 1
      entries[lastEntry] = entry
      return lastEntry
    }
    guard let added else { throw .tooManyTriggers(limit: limit) }
    return added
  }

  /// Removes the triggers whose actors have gone, if their models have never changed since.
  private func removeOrphans() {
    let orphans = lock.withLock { _ in entries.filter { $0.value.observer?.isOrphan ?? false }.keys }
    for number in orphans { end(number) }
  }

  /// Ends a trigger: drops what waits; what sounds sounds to its end.
  func end(_ number: Int) {
    let entry = lock.withLock { _ in
      let entry = entries.removeValue(forKey: number)
      if let trigger = entry?.trigger { conductor.engine.remove(trigger) }
      return entry
    }
    entry?.observer?.end()
  }

  /// Ends all triggers, because the player ends: the engine keeps them.
  package func endAll() {
    var ended = lock.withLock { _ in
      defer { entries = [:] }
      return entries.sorted { $0.key > $1.key }
    }
    // One after the other in the order in which they were made: memory that is freed while it is in the cache costs less.
    while let (_, entry) = ended.popLast() { entry.observer?.end() }
  }

  /// Returns when no trigger has a turn of its actor before it, or when it has reported that this does not come.
  package func settled() async { if await !schedule.turns.none() { report(.restless) } }

  /// How many triggers there are.
  package var triggerCount: Int { lock.withLock { _ in entries.count } }

  /// Whether a trigger waits for the end of a debounce, now.
  func isDebouncing(_ number: Int) -> Bool {
    perform { conductor, now in
      guard let trigger = self.entries[number]?.trigger else { return false }
      conductor.engine.advance(to: now)
      return conductor.engine.isDebouncing(trigger)
    }
  }

  /// Lets a trigger decide about a change. `feedback`: what it plays from now on, if its time allows it; `nil`: what it did.
  func receive(_ number: Int, old: Value, new: Value, _ feedback: SensoryFeedback?) {
    perform { conductor, now in
      // Another thread may have ended it.
      guard let trigger = self.entries[number]?.trigger else { return }
      // What was due before plays the sound that was chosen before.
      conductor.engine.advance(to: now)
      if let feedback { conductor.engine.setSound(feedback.sound, volume: feedback.intensity, of: trigger) }
      conductor.changes.append(Change(value: ValueID(index: trigger.index), old: old, new: new))
      conductor.decide(at: now)
    }
  }

  /// Drops what a trigger waits for, and fades out what it plays.
  func callOff(_ number: Int) {
    perform { conductor, now in
      if let trigger = self.entries[number]?.trigger { conductor.engine.callOff(trigger, at: now) }
    }
  }

  // MARK: The whole

  /// Uses the conductor, performs what is decided, and announces when there is more to do.
  @discardableResult
  package func perform<Result, Thrown: Error>(
    _ body: (inout Conductor, Instant) throws(Thrown) -> Result
  ) throws(Thrown) -> Result {
    try lock.withLock { _ throws(Thrown) in
      let now = clock.now
      let result = try body(&conductor, now)
      conductor.perform(at: now)
      drain(at: now)
      if let deadline = nextDeadline, announcedDeadline.map({ deadline < $0 }) ?? true {
        announcedDeadline = deadline
        clock.deadlineCameCloser()
      }
      return result
    }
  }

  /// Does what is due: for the clock. Returns when to call again. Reports what has become of the device.
  @discardableResult
  package func advance() -> Instant? {
    let (deadline, news) = lock.withLock { _ -> (Instant?, [DeviceDriver.News]) in
      let now = clock.now
      // What ends at this instant ends before anything is decided at it.
      let lost = conductor.collect(at: now)
      conductor.advance(to: now)
      drain(at: now)
      let news = device?.update(lost, at: now) ?? []
      announcedDeadline = nextDeadline
      return (announcedDeadline, news)
    }
    for item in news {
      switch item {
      case .lost(let error), .stuck(let error): report(.device("\(error)"))
      case .missing, .back: break
      }
    }
    return deadline
  }

  private var nextDeadline: Instant? { Instant.earlier(conductor.nextDeadline, device?.deadline) }

  private func drain(at now: Instant) {
    for happening in conductor.happenings {
      switch happening {
      case .needsDevice: device?.soundBegins(at: now)
      case .heard(let play, _): heard?.append(play)
      case .changed, .judged, .alarm, .begins, .refused, .stopping, .ended: break
      }
    }
    conductor.finish()
  }

  /// The plays that were heard, in order, if they are recorded.
  package var heardPlays: [Play] { lock.withLock { _ in heard ?? [] } }

  /// What the core plays on.
  var playedDevice: SoundPlayer.Device {
    lock.withLock { _ in
      guard let output = output as? Output else { return SoundPlayer.Device(name: "none", isOpen: false, problem: nil) }
      return SoundPlayer.Device(
        name: output.settings.device, isOpen: output.device != nil, problem: output.deviceError.map { "\($0)" })
    }
  }

  package var isSilent: Bool { lock.withLock { _ in conductor.player.isSilent } }
}
