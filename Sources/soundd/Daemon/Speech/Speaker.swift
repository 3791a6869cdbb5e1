import SoundTrigger
import SoundWire

/// Speaks what triggers say, after their sounds. Belongs to the event loop, or without one to the thread that renders.
final class Speaker {
  /// What became of the last utterance of each trigger.
  struct Outcome {
    var text: String
    /// Why it was not spoken.
    var problem: String?
  }

  private(set) var outcomes: [String: Outcome] = [:]
  private(set) var cues = SpeechCues()
  private var queue = SpeechQueue()
  private var engine: SpeechEngine
  private let loader: ClipLoader
  private var duck = 1.0
  private let loop: EventLoop?
  private let report: (String) -> Void
  /// Where the program is run, because it may hang; without a loop here.
  private var worker: BoundedWorker?
  /// How many runs of it have not been answered.
  private var runs = 0
  private var isStopped = false
  /// Whether the last run was called off.
  private var isCancelled = Guarded(false)
  /// The sounds of the texts that are the same each time.
  private(set) var made: [String: Clip] = [:] { didSet { onChange() } }
  /// Called when `made` has changed.
  var onChange: () -> Void = {}
  /// Those of them that are made when nothing is spoken; `nil`: not before the program has been asked whether it writes sounds.
  private var unmade: [String]?
  /// The plays without another sound whose speech is not over, and those of them that are heard.
  private var spoken: [PlayID] = [], heard: Set<PlayID> = []
  /// Why they were not heard, if their speech was made.
  private var refusals: [PlayID: PlayEvent.Refusal] = [:]
  /// The play of the present utterance, and whether the last one has just ended.
  private var play: PlayID?, isOver = false

  /// `report` receives why something is not spoken.
  init(
    _ setting: CommandRunner.Setting, _ loader: ClipLoader, on loop: EventLoop?, report: @escaping (String) -> Void
  ) {
    engine = SpeechEngine(Configuration().speech, setting)
    (self.loader, self.loop, self.report) = (loader, loop, report)
  }

  /// From now on speaks for these triggers, as far as somebody can speak for them.
  func use(_ configuration: Configuration, _ sounds: LoadedSounds) {
    cues.use(configuration, sounds)
    duck = configuration.output.duck
    let isSame = engine.command == configuration.speech
    engine = SpeechEngine(configuration.speech, engine.setting)
    outcomes = outcomes.filter { cues.sound(of: $0.key) != nil }
    unmade = nil
    if queue.current == nil { cancel() }
    made = made.filter { isSame && cues.isConstant($0.key) }
  }

  // MARK: What happens

  /// Receives how far a play is.
  func note(_ play: Play, _ moment: SpeechCues.Moment, _ pipeline: Pipeline, at now: Instant) {
    if isStopped { return }
    if moment == .heard, play.id == self.play, let current = queue.current {
      outcomes[current.trigger.ruleName] = Outcome(text: current.text)
      noteHeard(current)
    }
    if moment == .begins, cues.isSpeech(play) { spoken.append(play.id) }
    if let utterance = cues.utterance(for: play, moment, pipeline, at: now) { queue.add(utterance) }
  }

  /// Receives that a play has ended, or was refused.
  func ended(_ id: PlayID, _ refusal: PlayEvent.Refusal? = nil) {
    guard play == id else { return }
    if let refusal, let current = queue.current {
      cues.forget(current)
      if let play = current.play { refusals[play] = refusal }
    }
    play = nil
    isOver = true
    queue.ended()
  }

  private func noteHeard(_ utterance: SpeechQueue.Utterance) { if let play = utterance.play { heard.insert(play) } }

  /// Lets the triggers know what became of the plays that are nothing but speech.
  private func settle(_ pipeline: Pipeline, at now: Instant) {
    if spoken.isEmpty { return }
    for play in spoken where heard.remove(play) != nil { pipeline.conductor.player.speechHeard(play) }
    for play in spoken where !queue.holds(play) {
      pipeline.conductor.player.speechEnded(play, refusals.removeValue(forKey: play) ?? .unspoken)
    }
    spoken.removeAll { !queue.holds($0) }
    pipeline.conductor.perform(at: now)
  }

  // MARK: Speaking

  /// Ends the speech of triggers, and forgets what they have waiting.
  func stop(_ target: StopTarget, _ pipeline: Pipeline, at now: Instant) {
    if queue.remove(target) { endPresent(pipeline, at: now) }
  }

  private func cancel() { isCancelled.withLock { $0 = true } }

  private func endPresent(_ pipeline: Pipeline, at now: Instant) {
    cancel()
    if let play { pipeline.endPlay(play, at: now) }
    play = nil
    pipeline.endSpeech()
  }

  /// Ends the present utterance if it may no longer be heard, and begins the next one if it is its turn. `Pipeline.drain` lets both be
  /// heard.
  func turn(_ pipeline: Pipeline, at now: Instant) {
    // Muted, acknowledged or called off meanwhile.
    if let current = queue.current, !isToBeSpoken(current, pipeline) {
      queue.ended()
      endPresent(pipeline, at: now)
      cues.forget(current)
    }
    while !queue.waiting.isEmpty, let action = queue.next(at: now) {
      switch action {
      case .stop(let utterance):
        if play == nil { cues.forget(utterance) }
        endPresent(pipeline, at: now)
      case .make(let utterance) where !isToBeSpoken(utterance, pipeline): queue.ended()
      case .make(let utterance):
        cues.remember(utterance, pipeline)
        // What is made in advance must wait.
        cancel()
        if let clip = made[utterance.text] {
          begin(utterance, clip, pipeline, at: now)
        } else {
          make(utterance, pipeline, at: now)
        }
      }
    }
    if isOver, play == nil { pipeline.endSpeech() }
    isOver = false
    settle(pipeline, at: now)
    if loop != nil, !isStopped, runs == 0, queue.current == nil { prepare() }
  }

  /// A reload may have removed its trigger.
  private func isToBeSpoken(_ utterance: SpeechQueue.Utterance, _ pipeline: Pipeline) -> Bool {
    cues.sound(of: utterance.trigger.ruleName) != nil && pipeline.isToBeSpoken(utterance)
  }

  private func make(_ utterance: SpeechQueue.Utterance, _ pipeline: Pipeline, at now: Instant) {
    perform(utterance.text) { [engine, loader] isCancelled throws(SoundError) in
      try engine.speak(utterance.text, loader, isCancelled)
    } then: { [unowned self] result in
      switch result {
      case .success(let clip?):
        begin(utterance, clip, pipeline, at: loop?.now ?? now)
        if cues.isConstant(utterance.text), self.engine.command == engine.command { made[utterance.text] = clip }
      case .success(nil):
        outcomes[utterance.trigger.ruleName] = Outcome(text: utterance.text)
        noteHeard(utterance)
        queue.ended()
      case .failure(let problem):
        failed(utterance.trigger, utterance.text, problem)
        queue.ended()
      }
    }
  }

  private func failed(_ trigger: String, _ text: String, _ problem: SoundError) {
    outcomes[trigger.ruleName] = Outcome(text: text, problem: "\(problem)")
    report("trigger '\(trigger)': \(problem)")
  }

  private func begin(_ utterance: SpeechQueue.Utterance, _ clip: Clip, _ pipeline: Pipeline, at now: Instant) {
    // Known before it begins, because it may be refused at once.
    let id = pipeline.makePlayID()
    play = id
    pipeline.speak(utterance.text, clip, as: id, for: utterance.trigger, utterance.settings, duck: duck, at: now)
  }

  // MARK: Texts that are the same each time

  /// Makes the next text. An empty one tells whether the program writes sounds: if it does not, it would be heard now.
  private func prepare() {
    guard let unmade else {
      if cues.constants.allSatisfy({ made[$0] != nil }) { return unmade = [] }
      return perform("") { [engine] isCancelled throws(SoundError) in
        try engine.write("", isCancelled).isEmpty
      } then: { [unowned self] result in
        // If it fails, the first utterance says why.
        let isSilent = (try? result.get()) ?? true
        unmade = isSilent ? [] : cues.constants.filter { made[$0] == nil }
      }
    }
    guard let text = unmade.first else { return }
    perform(text) { [engine, loader] isCancelled throws(SoundError) in
      try engine.speak(text, loader, isCancelled)
    } then: { [unowned self] result in
      self.unmade?.removeAll { $0 == text }
      switch result {
      case .success(let clip): made[text] = clip
      case .failure(let problem):
        for trigger in cues.triggers(saying: text) { failed(trigger, text, problem) }
      }
    }
  }

  /// Runs the program for a text on the worker's thread, and `done` on this one, unless it is cancelled meanwhile.
  private func perform<Output: Sendable>(
    _ text: String, _ job: @escaping @Sendable (_ isCancelled: () -> Bool) throws(SoundError) -> Output,
    then done: @escaping (Result<Output, SoundError>) -> Void
  ) {
    let isCancelled = Guarded(false)
    self.isCancelled = isCancelled
    let run: @Sendable () -> Result<Output, SoundError> = {
      Result { () throws(SoundError) in try job { isCancelled.withLock { $0 } } }
    }
    guard let loop else { return done(run()) }
    // It ends a program that hangs, but not one whose start does.
    let limit = engine.patience + .seconds(2)
    do throws(SystemError) {
      if worker == nil { worker = try BoundedWorker(name: "soundd-speech", limit: limit, on: loop) }
    } catch {
      return done(.failure(.unspoken(text: text, reason: "\(error)")))
    }
    runs += 1
    worker?.perform(run) { [unowned self] result in
      runs -= 1
      if isCancelled.withLock({ $0 }) { return }
      let reason = "the program cannot be started or ended within \(DurationText.text(limit)): \(engine.command.line)"
      done(result ?? .failure(.unspoken(text: text, reason: reason)))
    }
  }

  // MARK: The end

  /// Whether something is spoken, or waits for it.
  var isBusy: Bool { queue.current != nil || !queue.waiting.isEmpty }

  /// Ends the speech. Returns whether the program is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool {
    isStopped = true
    _ = queue.remove(.everything)
    cancel()
    return worker?.stop() ?? false
  }
}
