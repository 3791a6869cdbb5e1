import Logging
import SoundTrigger

/// Speaks what triggers say, after their sounds. Belongs to the event loop.
final class Speaker {
  /// What became of the last utterance of each trigger.
  struct Outcome {
    var text: String
    /// Why it was not spoken.
    var problem: String?
  }

  private(set) var outcomes: [String: Outcome] = [:]
  private var queue = SpeechQueue()
  private(set) var cues = SpeechCues()
  private var engine: SpeechEngine
  private let loader: ClipLoader
  private var duck = 1.0
  /// How the program runs.
  var setting: CommandRunner.Setting { engine.setting }
  private let loop: EventLoop
  private let log: Logger
  private var workers: [BackgroundWorker] = []
  /// Makes texts before they are spoken.
  private var preparer: BackgroundWorker?
  /// Whether what is made was called off.
  private var isCancelled = Guarded(false)
  /// The play of the present utterance, and whether the last one has just ended.
  private var play: PlayID?, isOver = false

  init(_ setting: CommandRunner.Setting, _ loader: ClipLoader, on loop: EventLoop, log: Logger) {
    engine = SpeechEngine(Configuration().speech, setting)
    (self.loader, self.loop, self.log) = (loader, loop, log)
  }

  /// From now on speaks for these triggers.
  func use(_ configuration: Configuration) {
    cues.use(configuration)
    duck = configuration.output.duck
    engine = SpeechEngine(configuration.speech, setting)
    outcomes = outcomes.filter { cues.sound(of: $0.key) != nil }
  }

  // MARK: What happens

  /// Receives that the sound of a play was heard; `isOver`: to its end.
  func heard(_ play: Play, isOver: Bool, _ pipeline: Pipeline, at now: Instant) {
    guard let (utterance, isSpoken) = cues.utterance(for: play, isOver: isOver, pipeline, at: now) else { return }
    if isSpoken { outcomes[utterance.trigger.ruleName] = Outcome(text: utterance.text) } else { queue.add(utterance) }
  }

  /// Receives that a play has ended, or was refused.
  func ended(_ id: PlayID) {
    guard play == id else { return }
    play = nil
    isOver = true
    queue.ended()
  }

  // MARK: Speaking

  /// Ends what a trigger says (`nil`: everybody), and forgets what it has waiting.
  func stop(_ trigger: String?, _ pipeline: Pipeline, at now: Instant) {
    if queue.remove(trigger) { endPresent(pipeline, at: now) }
  }

  private func endPresent(_ pipeline: Pipeline, at now: Instant) {
    isCancelled.withLock { $0 = true }
    if let play { pipeline.endPlay(play, at: now) }
    play = nil
    pipeline.endSpeech()
  }

  /// Ends the present utterance if it may no longer be heard, and begins the next one if it is its turn.
  func turn(_ pipeline: Pipeline, at now: Instant) {
    // Muted or acknowledged meanwhile.
    if let current = queue.current, !pipeline.isToBeSpoken(current) { stop(current.trigger, pipeline, at: now) }
    while !queue.waiting.isEmpty, let action = queue.next(at: now) {
      switch action {
      case .stop: endPresent(pipeline, at: now)
      case .make(let utterance) where !pipeline.isToBeSpoken(utterance): queue.ended()
      case .make(let utterance):
        let name = Speech.prefix + utterance.text
        if let clip = pipeline.conductor.player.sounds[name], clip.frameCount > 1 {
          begin(utterance, clip, pipeline, at: now)
        } else {
          make(utterance, pipeline)
        }
      }
    }
    if isOver, play == nil { pipeline.endSpeech() }
    isOver = false
  }

  private func make(_ utterance: SpeechQueue.Utterance, _ pipeline: Pipeline) {
    isCancelled = Guarded(false)
    do throws(SystemError) {
      let worker = try freeWorker()
      worker.perform { [engine, loader, isCancelled] in
        Result { () throws(SoundError) in try engine.speak(utterance.text, loader) { isCancelled.withLock { $0 } } }
      } then: { [unowned self, isCancelled] result in
        if isCancelled.withLock({ $0 }) { return }
        made(utterance, result, pipeline)
      }
    } catch {
      failed(utterance, "\(error)")
    }
  }

  private func made(_ utterance: SpeechQueue.Utterance, _ result: Result<Clip?, SoundError>, _ pipeline: Pipeline) {
    switch result {
    case .success(let clip?): begin(utterance, clip, pipeline, at: loop.now)
    case .success(nil):
      outcomes[utterance.trigger.ruleName] = Outcome(text: utterance.text)
      queue.ended()
    case .failure(let problem): failed(utterance, "\(problem)")
    }
  }

  private func begin(_ utterance: SpeechQueue.Utterance, _ clip: Clip, _ pipeline: Pipeline, at now: Instant) {
    outcomes[utterance.trigger.ruleName] = Outcome(text: utterance.text)
    // Known before it begins, because it may be refused at once.
    let id = pipeline.makePlayID()
    play = id
    pipeline.speak(utterance.text, clip, as: id, for: utterance.trigger, utterance.settings, duck: duck, at: now)
  }

  private func failed(_ utterance: SpeechQueue.Utterance, _ problem: String) {
    outcomes[utterance.trigger.ruleName] = Outcome(text: utterance.text, problem: problem)
    log.warning("trigger '\(utterance.trigger)': \(problem)")
    queue.ended()
  }

  /// Makes sounds of texts on a thread of its own, because the program may hang.
  func prepare(_ job: @escaping @Sendable () -> [LoadedSound], then done: @escaping ([LoadedSound]) -> Void) {
    do throws(SystemError) {
      if preparer == nil { preparer = try BackgroundWorker(name: "soundd-texts", on: loop) }
      preparer?.perform(job, then: done)
    } catch {
      log.error("cannot prepare what is spoken: \(error)")
    }
  }

  /// A cancelled engine may take a moment to end.
  private func freeWorker() throws(SystemError) -> BackgroundWorker {
    if let worker = workers.first(where: { !$0.isBusy }) { return worker }
    let worker = try BackgroundWorker(name: "soundd-speech", on: loop)
    workers.append(worker)
    return worker
  }

  // MARK: The end

  /// Whether something is spoken, or waits for it.
  var isBusy: Bool { queue.current != nil || !queue.waiting.isEmpty }

  /// Ends the speech. Returns whether an engine is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool {
    _ = queue.remove(nil)
    isCancelled.withLock { $0 = true }
    return (workers + [preparer].compactMap(\.self)).reduce(false) { $1.stop() || $0 }
  }
}
