import Logging
import SoundTrigger
import SoundWire

/// What a daemon that began now would hold before anything changes: what was saved, and what files and folders hold.
///
/// It starts no command, feed or speech, opens no named pipe and writes nothing. So some values stay unknown.
struct StartPreview {
  /// In the order of their declarations.
  private(set) var values: [ValueMessage] = []
  /// The values that commands, feeds, pipes or clients would set, and those that follow from them.
  private(set) var unknown: [ValueName] = []
  private(set) var triggers: [TriggerMessage] = []
  /// Those that are not normal, or snoozed.
  private(set) var alarms: [AlarmMessage] = []
  let level: LevelMembers
  let profile: ProfileMembers
  /// Why what was saved could not be read.
  private(set) var stateProblem: String?

  /// Blocks while mounts do not answer, for a second at most. `state` is `nil` if none is kept.
  init(
    _ configuration: Configuration, _ sounds: LoadedSounds, state file: StateFile?, rate: Int
  ) throws {
    let loop = try EventLoop()
    let threads = try FileThreads(on: loop)
    let now = loop.now
    let output = OfflineOutput(writer: nil, rate: rate, voiceLimit: configuration.limits.voices)
    let pipeline = try Pipeline(configuration, player: Player(output), at: now)
    pipeline.setSounds(sounds, at: now)
    var state = SavedState()
    if let file {
      switch StateKeeper.read(file) {
      case .nothing: break
      case .state(let saved): state = saved
      case .damaged(let reason), .untouchable(let reason): stateProblem = reason
      }
    }
    let times = ProfileTimes(state.profile, configuration.quietHours, at: Timestamp.now().seconds)
    pipeline.setProfile(times.situation.profile, at: now)
    pipeline.restoreContents(of: state)
    pipeline.restoreTriggers(of: state, at: now)
    pipeline.restoreReports(of: state, at: now)
    try Self.look(at: configuration.values, for: pipeline, threads, on: loop)
    pipeline.resumeAlarms(at: loop.now)
    pipeline.advance(to: loop.now)

    let surroundings = Surroundings(
      profile: times, gates: configuration.profileGates)
    level = pipeline.level(of: nil, in: surroundings)
    profile = pipeline.profile(in: surroundings)
    alarms = pipeline.alarms(all: false).map { alarm in
      pipeline.message(
        of: alarm, since: alarm.since.map(Timestamp.init(of:)), pipeline.silence(of: alarm, in: surroundings))
    }
    let files = Set(configuration.values.filter(\.isLookedAt).map(\.name))
    for id in pipeline.store.ids where pipeline.store.isDeclared(id) || pipeline.named.contains(id) {
      let snapshot = pipeline.store.snapshot(of: id)
      let value = ValueMessage(
        snapshot, pipeline.store.value(of: id), changedAt: nil,
        refusedAt: pipeline.refusals[id].map { Timestamp(of: $0.at) }, isStale: pipeline.isStale(id))
      values.append(value)
      if value.value == nil, value.refusals.count == 0, !files.contains(snapshot.name) { unknown.append(snapshot.name) }
    }
    triggers = pipeline.conductor.engine.definitions.map { definition in
      let problem = definition.sounds.lazy.compactMap { sounds.problem(of: $0) }.first
      var trigger = TriggerMessage(
        definition, TriggerCounters(), TriggerActivity(state: .resting), problem: problem.map { "\($0)" })
      trigger.level = pipeline.level(of: definition.name, in: surroundings)
      return trigger
    }
  }

  /// Lets the files that hold values be read once.
  private static func look(
    at values: [ValueDeclaration], for pipeline: Pipeline, _ files: FileThreads, on loop: EventLoop
  ) throws {
    let feeds = FileFeeds(
      pipeline, files: files, on: loop, log: Logger(label: "soundd", factory: { _ in SwiftLogNoOpLogHandler() }))
    var isDone = false
    feeds.follow(values.filter(\.isLookedAt)) { isDone = true }
    while !isDone { try loop.runOnce() }
    _ = files.stop()
  }
}

extension ValueDeclaration {
  /// Whether it comes from a path that is no named pipe.
  fileprivate var isLookedAt: Bool {
    guard case .file(_, _, let aspect) = source else { return false }
    return aspect != .fifo
  }
}
