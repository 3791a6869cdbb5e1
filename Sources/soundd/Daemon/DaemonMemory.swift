import Logging
import SoundTrigger
import SoundWire

/// Where the state is kept, and by what it is saved.
struct StatePlace {
  let file: StateFile
  let worker: BackgroundWorker
  let lock: StateLock

  /// Asks for the lock. Returns `nil` if no state is to be kept, or its file system does not answer.
  init?(_ plan: DaemonPlan, on loop: EventLoop, log: Logger) throws(SystemError) {
    guard let file = plan.state else { return nil }
    if let problem = AnsweringMounts().problem(of: file.path) {
      log.error("the state in \(file.path) is neither read nor kept: \(problem)")
      return nil
    }
    self.file = file
    worker = try BackgroundWorker(name: "soundd-state", on: loop)
    lock = StateLock(file, worker: worker, on: loop)
  }
}

/// What users chose, and what outlives the daemon: volumes, the profile, throttles that still hold, and what values held. Mutes end with the daemon.
final class DaemonMemory {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  /// `nil`: nothing is kept.
  let keeper: StateKeeper?
  private let place: StatePlace?
  private let environment: SystemEnvironment
  /// The configuration in use, if it is good, and the last problem of keeping it.
  private var good: (text: ConfigurationText?, problem: SystemError?)
  /// How long soundd waits before it tries again to keep a copy.
  private static let retryInterval = Duration.seconds(60)
  private lazy var retry = EventLoop.Timer { [unowned self] in if let text = good.text { keep(good: text) } }
  let activity: ActivityKeeper?
  let profile: ProfileKeeper
  let mutes: MuteKeeper
  private var contents = ContentMemory()
  /// The values of an earlier run that are not there yet, and the day when they were last.
  private var absentValues: [ValueName: Int] = [:]
  private var configuration: Configuration
  /// The values that the configuration names.
  private var named: Set<ValueName> = []
  /// What was saved of triggers that the configuration does not have. It is saved again: a configuration that is used later may
  /// have them.
  private var unclaimed = SavedState()

  /// Restores what the last run left. Call it before any value has content.
  init(
    _ plan: DaemonPlan, _ place: StatePlace?, _ pipeline: Pipeline, files: FileThreads, on loop: EventLoop, log: Logger
  ) throws(SystemError) {
    self.pipeline = pipeline
    self.loop = loop
    self.log = log
    configuration = plan.configuration
    self.place = place
    environment = plan.environment
    keeper = place.map { StateKeeper($0.file, worker: $0.worker, lock: $0.lock, on: loop, log: log) }
    activity = place.map { ActivityKeeper($0.file.report, worker: $0.worker, lock: $0.lock, on: loop, log: log) }
    let restored = keeper?.restored ?? SavedState()
    profile = try ProfileKeeper(
      restored.profile, watchesZone: plan.environment.variable("TZ") == nil, files: files, on: loop, log: log
    ) { [pipeline, loop] in pipeline.setProfile($0, at: loop.now) }
    mutes = MuteKeeper(on: loop)
    keeper?.gather = { [unowned self] in state }
    keeper?.inherit = { [unowned self] in inherit($0, isFirst: $1) }
    place?.lock.freed = { [unowned self] in
      keeper?.lookAgain()
      activity?.lockFreed()
      if let text = good.text { keep(good: text) }
    }
    // Later than the numbers of any earlier run, even if its state is lost.
    pipeline.numberAlarms(from: AlarmID(Timestamp.now().microseconds))
    restore(restored)
    unclaimed = restored
    claim()
    pipeline.restoreReports(of: restored, at: loop.now)
    // The alarms of another daemon that runs are its own.
    if plan.text != nil, place?.lock.refusal == nil { logUnclaimed() }
    apply(configuration)
  }

  private func restore(_ state: SavedState) {
    pipeline.restoreContents(of: state)
    absentValues = lastDays(of: state)
    if state.volume != 1 { log.info("volume \(VolumeText.text(state.volume)), as before") }
  }

  private func lastDays(of state: SavedState) -> [ValueName: Int] {
    state.days.merging(state.contents.keys.lazy.map { ($0, self.today) }) { day, _ in day }
  }

  private var today: Int { Int(Timestamp.now().seconds) / 86_400 }

  /// Keeps what another daemon has saved of names that this one does not have. If nothing was restored at the start, it is restored
  /// now.
  private func inherit(_ state: SavedState, isFirst: Bool) {
    unclaimed = isFirst ? state : state.unknown(at: Timestamp.now().seconds, isKnown: pipeline.isKnown)
    if isFirst {
      if claim() { pipeline.resumeAlarms(at: loop.now) }
      pipeline.restoreReports(of: state, at: loop.now)
    }
    for (name, day) in lastDays(of: state) where pipeline.store.lastContent(of: name) == nil {
      state.contents[name].map { pipeline.store.restore($0, of: name) }
      absentValues[name] = day
    }
  }

  /// Gives the triggers of the configuration back what they had. The rest waits for another configuration. Returns whether an alarm
  /// is among them.
  @discardableResult
  private func claim() -> Bool {
    let state = unclaimed
    unclaimed = state.unknown(at: Timestamp.now().seconds, isKnown: pipeline.isKnown)
    var hasAlarms = false
    pipeline.restoreTriggers(of: state, at: loop.now) { restored in
      switch restored {
      case .volume(let name, let volume):
        log.info("trigger '\(name)': volume \(VolumeText.text(volume)), as before")
      case .alarm(let name, let record):
        activity?.counts.resume(name, record.life, since: record.since)
        hasAlarms = true
      case .crowdedAlarm(let name):
        log.warning("alarm '\(name)' was not normal, and its pattern has no room for it (limits.members): it ends")
      case .endedAlarm(let name): log.warning("\(Self.ending(ofAlarm: name, isTrigger: true))")
      }
    }
    return hasAlarms
  }

  /// Names the alarms that were not normal, and that the configuration does not have.
  private func logUnclaimed() {
    for (name, alarm) in unclaimed.alarms.sorted(by: { $0.key < $1.key }) where alarm.life != .normal {
      log.warning(
        "alarm '\(name)' was not normal, and the configuration does not have it: it is silent, and kept for 24 h in case it comes back"
      )
    }
  }

  /// What the log says of an alarm that was not normal, and that the configuration no longer has.
  static func ending(ofAlarm name: String, isTrigger: Bool) -> String {
    let reason = isTrigger ? "its trigger is no alarm any more" : "the configuration no longer has it"
    return "alarm '\(name)' was not normal, and \(reason): it ends"
  }

  /// Uses the configuration of a file that was read again, or for the first time.
  func use(_ configuration: Configuration) {
    if claim() { pipeline.resumeAlarms(at: loop.now) }
    apply(configuration)
  }

  /// What keeps the state from being saved, or from being safe.
  var warnings: [Warning] {
    guard let keeper else { return [] }
    if let refusal = place?.lock.refusal {
      return [Warning(.stateLocked, "\(refusal): this daemon saves nothing, and tries again every 10 s")]
    }
    let weakness = place?.lock.weakness.map {
      Warning(.stateUnlocked, "another soundd may save its state over this one's: \($0)")
    }
    return [weakness, keeper.unsaved.map { Warning(.unsaved, $0) }, copyWarning].compactMap(\.self)
  }

  private var copyWarning: Warning? {
    guard let text = good.text, let problem = good.problem else { return nil }
    return Warning(
      .unsaved, "no copy of \(text.file) can be kept, with which soundd could start if the file is bad then: \(problem)"
    )
  }

  /// Keeps a copy of a good configuration, with which soundd starts if the file is bad then.
  func keep(good text: ConfigurationText) {
    // An empty file may have been cut off by a crash, and holds nothing to start with.
    if text.bytes.isEmpty, text.parts.isEmpty { return }
    good.text = text
    guard let place, place.lock.refusal == nil else { return }
    place.worker.perform {
      [copies = GoodConfigurations(in: place.file.folder), path = environment.absolute(text.file)] in
      Result { () throws(SystemError) in try copies.keep(text, of: path, at: .now()) }
    } then: { [unowned self] result in
      guard case .failure(let problem) = result else { return good.problem = nil }
      let isNew = problem != good.problem
      good.problem = problem
      if isNew, let warning = copyWarning { log.warning("\(warning)") }
      loop.schedule(retry, at: loop.now.advanced(by: Self.retryInterval))
    }
  }

  /// Whether a value or a pattern has an `expect_every`.
  private var expectsReports: Bool {
    configuration.values.contains { $0.expectEvery != nil } || configuration.patterns.contains { $0.expectEvery != nil }
  }

  /// Applies what a configuration says of quiet hours, and of what outlives the daemon.
  private func apply(_ configuration: Configuration) {
    self.configuration = configuration
    named = Set(configuration.values.map(\.name) + configuration.used)
    profile.setHours(configuration.quietHours)
    mutes.keep(Set(configuration.triggers.map(\.definition.name)))
    // The same content may be another value now.
    contents = ContentMemory()
    keeper?.savesAtEnd = expectsReports
    if expectsReports, !reportTimer.isScheduled { saveReportsLater() }
    keeper?.followsDecisions =
      !fingerprinted.isEmpty || !comparingRules.isEmpty || expectsReports
      || pipeline.conductor.engine.definitions.contains(where: \.outlastsSaving)
    keeper?.decided()
  }

  /// What is to outlive the daemon now.
  private var state: SavedState {
    var state = SavedState(volume: pipeline.conductor.player.level(of: nil).volume, profile: profile.choice)
    let others = unclaimed.unknown(at: Timestamp.now().seconds, isKnown: pipeline.isKnown)
    (state.volumes, state.plays, state.alarms) = (others.volumes, others.plays, others.alarms)
    state.unknownSince = others.unknownSince
    for (name, level) in pipeline.conductor.player.levels where level.volume != 1 { state.volumes[name] = level.volume }
    var plays = pipeline.conductor.engine.restoredPlays
    for id in pipeline.conductor.engine.triggers {
      // A name is made only if it is needed, because there may be thousands of members.
      if let record = pipeline.conductor.engine.alarmRecord(of: id) {
        state.alarms[pipeline.conductor.engine.name(of: id)] = SavedAlarm(record)
      }
      let definition = pipeline.conductor.engine.definition(of: id)
      if definition.timing.throttle != nil, let last = pipeline.conductor.engine.lastHeardPlay(of: id) {
        plays.append((pipeline.conductor.engine.name(of: id), definition, last))
      }
    }
    for (name, definition, last) in plays {
      guard let throttle = definition.timing.throttle, last.duration(to: loop.now) < throttle else { continue }
      state.plays[name] = Timestamp(of: last).milliseconds
    }
    for name in fingerprinted {
      guard let id = pipeline.store.id(of: name) else { continue }
      state.contents[name] = contents.content(of: id, in: pipeline.store, at: loop.now)
    }
    for (value, report) in pipeline.expectations.reports {
      state.reports.values[pipeline.store.name(of: value)] = SavedState.Reports.Report(
        milliseconds: Timestamp(of: report.time).milliseconds, isStale: report.isStale)
    }
    addMembers(to: &state)
    return state
  }

  /// After this time the reports of values are saved, if there were any: a crash then loses no more.
  private static let reportInterval = Duration.seconds(300)
  private lazy var reportTimer = EventLoop.Timer { [unowned self] in
    keeper?.refresh()
    if expectsReports { saveReportsLater() }
  }

  private func saveReportsLater() { loop.schedule(reportTimer, at: loop.now.advanced(by: Self.reportInterval)) }

  /// The contents of members that are compared at the next start.
  private func addMembers(to state: inout SavedState) {
    let today = today
    let members = comparingRules.flatMap { pipeline.conductor.engine.members(of: $0) ?? [] }
    for name in members.flatMap({ pipeline.conductor.engine.values(of: $0) }) {
      guard let id = pipeline.store.id(of: name) else { continue }
      state.contents[name] = contents.content(of: id, in: pipeline.store, at: loop.now)
      state.days[name] = today
    }
    state.keep(absent: absentValues.filter { !named.contains($0.key) }, today: today) {
      pipeline.store.lastContent(of: $0)
    }
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
  /// Whether its throttle may still hold when it is in the file, so that a play is worth a write. At a stop every throttle is saved.
  fileprivate var outlastsSaving: Bool { timing.throttle.map { $0 > StateKeeper.patience } ?? false }
}
