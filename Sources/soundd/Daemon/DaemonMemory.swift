import Logging
import SoundTrigger

/// What users chose, and what outlives the daemon: volumes, the profile, throttles that still hold, and fingerprints of
/// contents. Mutes end with the daemon.
final class DaemonMemory {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  /// `nil`: nothing is kept.
  let keeper: StateKeeper?
  let activity: ActivityKeeper?
  let profile: ProfileKeeper
  let mutes: MuteKeeper
  private var digests = DigestMemory()
  /// The members of an earlier run that are not there yet, and the day when they were last.
  private var absentMembers: [ValueName: Int] = [:]
  private var configuration: Configuration
  /// What the last run left of its triggers, as long as no configuration file has been read.
  private var unclaimed: SavedState?

  /// Restores what the last run left. Call it before any value has content.
  init(
    _ plan: DaemonPlan, _ pipeline: Pipeline, files: FileThreads, on loop: EventLoop, log: Logger
  ) throws(SystemError) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    configuration = plan.configuration
    if let file = Self.reachable(plan.state, log) {
      let worker = try BackgroundWorker(name: "soundd-state", on: loop)
      keeper = StateKeeper(file, worker: worker, on: loop, log: log)
      activity = ActivityKeeper(file.report, worker: worker, on: loop, log: log)
    } else {
      (keeper, activity) = (nil, nil)
    }
    let restored = keeper?.restored ?? SavedState()
    profile = try ProfileKeeper(
      restored.profile, watchesZone: plan.environment.variable("TZ") == nil, files: files, on: loop, log: log
    ) { [pipeline, loop] in pipeline.setProfile($0, at: loop.now) }
    mutes = MuteKeeper(on: loop)
    keeper?.gather = { [unowned self] in state }
    restore(restored)
    if plan.text == nil { unclaimed = restored } else { claim(restored) }
    apply(configuration)
  }

  /// The state's file, unless its file system does not answer: then nothing is restored or kept.
  private static func reachable(_ file: StateFile?, _ log: Logger) -> StateFile? {
    guard let file, let problem = AnsweringMounts().problem(of: file.path) else { return file }
    log.error("the state in \(file.path) is neither read nor kept: \(problem)")
    return nil
  }

  private func restore(_ state: SavedState) {
    pipeline.conductor.player.setLevel(PlayLevel(volume: state.volume), of: nil)
    for (name, digest) in state.digests { pipeline.store.restore(digest: digest, of: name) }
    absentMembers = state.days
    if state.volume != 1 { log.info("volume \(VolumeText.text(state.volume)), as before") }
  }

  /// Gives the triggers back what they had.
  private func claim(_ state: SavedState) {
    for (name, volume) in state.volumes where pipeline.conductor.engine.trigger(named: name) != nil {
      pipeline.conductor.player.setLevel(PlayLevel(volume: volume), of: name)
      log.info("trigger '\(name)': volume \(VolumeText.text(volume)), as before")
    }
    for (name, civil) in state.plays {
      pipeline.restore(lastPlay: loop.now.advanced(by: .zero - SavedState.age(of: civil, at: .now())), of: name)
    }
    for (name, alarm) in state.alarms {
      let trigger = pipeline.restoredTrigger(named: name, at: loop.now)
      guard let id = trigger, pipeline.conductor.engine.alarm(id) != nil else {
        if alarm.life != .normal { log.warning("\(Self.ending(ofAlarm: name, isTrigger: trigger != nil))") }
        continue
      }
      let timing = pipeline.conductor.engine.definition(of: id).timing
      let longest = max(timing.delay ?? .zero, timing.debounce ?? .zero, timing.throttle ?? .zero)
      // Both clocks at one moment: else the times of alarms would drift with each start.
      let record = alarm.record(
        at: loop.now, civil: Timestamp(of: loop.now), savedAt: state.savedAt.milliseconds, longestWait: longest)
      activity?.counts.resume(name, record.life, since: record.since)
      pipeline.restore(record, of: name, at: loop.now)
    }
  }

  /// What the log says of an alarm that was not normal, and that the configuration no longer has.
  static func ending(ofAlarm name: String, isTrigger: Bool) -> String {
    let reason = isTrigger ? "its trigger is no alarm any more" : "the configuration no longer has it"
    return "alarm '\(name)' was not normal, and \(reason): it ends"
  }

  /// Uses the configuration of a file that was read again, or for the first time.
  func use(_ configuration: Configuration) {
    if let state = unclaimed {
      claim(state)
      pipeline.resumeAlarms(at: loop.now)
    }
    unclaimed = nil
    apply(configuration)
  }

  /// Applies what a configuration says of quiet hours, and of what outlives the daemon.
  private func apply(_ configuration: Configuration) {
    self.configuration = configuration
    profile.setHours(configuration.quietHours)
    mutes.keep(Set(configuration.triggers.map(\.definition.name)))
    // The same content may be another value now.
    digests = DigestMemory()
    keeper?.followsDecisions =
      !fingerprinted.isEmpty || !comparingRules.isEmpty
      || pipeline.conductor.engine.definitions.contains(where: \.outlastsSaving)
    keeper?.decided()
  }

  /// What is to outlive the daemon now.
  private var state: SavedState {
    var state = SavedState(volume: pipeline.conductor.player.level(of: nil).volume, profile: profile.choice)
    if let unclaimed {
      (state.volumes, state.plays, state.alarms) = (unclaimed.volumes, unclaimed.plays, unclaimed.alarms)
    }
    for (name, level) in pipeline.conductor.player.levels where level.volume != 1 { state.volumes[name] = level.volume }
    var plays = pipeline.conductor.engine.restoredPlays
    for id in pipeline.conductor.engine.triggers {
      // A name is made only if it is needed, because there may be thousands of members.
      if let record = pipeline.conductor.engine.alarmRecord(of: id) {
        state.alarms[pipeline.conductor.engine.name(of: id)] = SavedAlarm(record)
      }
      let definition = pipeline.conductor.engine.definition(of: id)
      if definition.outlastsSaving, let last = pipeline.conductor.engine.lastHeardPlay(of: id) {
        plays.append((pipeline.conductor.engine.name(of: id), definition, last))
      }
    }
    for (name, definition, last) in plays where definition.outlastsSaving {
      guard let throttle = definition.timing.throttle, last.duration(to: loop.now) < throttle else { continue }
      state.plays[name] = Timestamp(of: last).milliseconds
    }
    for name in fingerprinted {
      guard let id = pipeline.store.id(of: name) else { continue }
      state.digests[name] = digests.digest(of: id, in: pipeline.store, at: loop.now)
    }
    addMembers(to: &state)
    return state
  }

  /// The contents of members that are compared at the next start.
  private func addMembers(to state: inout SavedState) {
    let today = Int(Timestamp.now().seconds) / 86_400
    let members = comparingRules.flatMap { pipeline.conductor.engine.members(of: $0) ?? [] }
    for name in members.flatMap({ pipeline.conductor.engine.values(of: $0) }) {
      guard let id = pipeline.store.id(of: name) else { continue }
      state.digests[name] = digests.digest(of: id, in: pipeline.store, at: loop.now)
      state.days[name] = today
    }
    state.keep(absent: absentMembers, today: today) { pipeline.store.lastDigest(of: $0) }
  }

  /// The rules whose members' contents count at the next start.
  private var comparingRules: [TriggerID] {
    let definitions = pipeline.conductor.engine.definitions
    return definitions.indices.filter { definitions[$0].isRule && definitions[$0].initial == .ifChanged }
      .map { TriggerID(index: $0) }
  }

  /// The values whose last contents count at the next start: what files and folders hold, and those of triggers with
  /// `initial = "if-changed"`.
  private var fingerprinted: Set<ValueName> {
    let compared = pipeline.conductor.engine.definitions.filter { $0.initial == .ifChanged }.flatMap(\.values)
    return Set(configuration.values.filter(\.isFileLike).map(\.name)).union(compared)
  }
}

extension TriggerDefinition {
  /// Whether its throttle may still hold when it is in the file.
  fileprivate var outlastsSaving: Bool { timing.throttle.map { $0 > StateKeeper.patience } ?? false }
}
