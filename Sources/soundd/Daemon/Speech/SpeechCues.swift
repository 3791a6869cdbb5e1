import SoundTrigger

/// Knows which plays are followed by speech.
struct SpeechCues {
  /// How far a play is.
  enum Moment {
    /// Decided.
    case begins
    case heard
    /// Heard to its end.
    case finished
  }

  /// By the names of triggers and rules.
  private var says: [String: SpeechText] = [:]
  /// The texts that are the same each time.
  private(set) var constants: [String] = []
  /// Since when the alarms are active that have spoken.
  private var spokenAlarms: [String: Instant] = [:]

  /// `sounds` has those texts that somebody can speak.
  mutating func use(_ configuration: Configuration, _ sounds: LoadedSounds) {
    let says = configuration.triggers.compactMap { trigger in trigger.say.map { (trigger.definition.name, $0) } }
    self.says = Dictionary(says) { first, _ in first }
    constants = Set(says.map(\.1).filter { sounds[$0.sound] != nil }.compactMap(\.constant)).sorted()
    spokenAlarms = spokenAlarms.filter { sound(of: $0.key.ruleName) != nil }
  }

  /// The name under which the text of a trigger or rule is loaded; `nil` if it does not speak.
  func sound(of trigger: String) -> String? { says[trigger]?.sound }

  /// Whether a trigger says this each time.
  func isConstant(_ text: String) -> Bool { constants.contains(text) }

  /// The triggers and rules that say this each time.
  func triggers(saying text: String) -> [String] {
    says.filter { $0.value.constant == text }.keys.sorted()
  }

  /// Whether a play has no sound beside what its trigger says.
  func isSpeech(_ play: Play) -> Bool {
    play.rule.flatMap { says[$0] }.map { $0.isAlone && $0.sound == play.sound } ?? false
  }

  /// What to speak when a play comes to this moment; `nil`: nothing.
  func utterance(
    for play: Play, _ moment: Moment, _ pipeline: Pipeline, at now: Instant
  ) -> SpeechQueue.Utterance? {
    guard !says.isEmpty, let trigger = play.trigger, let say = play.rule.flatMap({ says[$0] }), let cause = play.cause,
      !play.standsForGroup,
      // A loop without a gap has no end.
      moment == (say.isAlone ? .begins : play.loops ? .heard : .finished)
    else { return nil }
    let engine = pipeline.conductor.engine
    let id = engine.trigger(named: trigger)
    let utterance = SpeechQueue.Utterance(
      trigger: trigger, text: say.text(of: trigger, cause), settings: play.settings, at: now,
      alarm: play.fresh == nil ? id.flatMap { engine.alarm($0) }?.since : nil,
      callOffs: id.map { engine.callOffs(of: $0) } ?? 0, play: say.isAlone ? play.id : nil)
    // An alarm speaks once while it is active. A content may have nothing to speak.
    let isSpoken = utterance.alarm != nil && spokenAlarms[trigger] == utterance.alarm
    return isSpoken || utterance.text.isEmpty || !pipeline.isToBeSpoken(utterance) ? nil : utterance
  }

  /// An utterance is made and spoken now.
  mutating func remember(_ utterance: SpeechQueue.Utterance, _ pipeline: Pipeline) {
    guard let since = utterance.alarm else { return }
    spokenAlarms[utterance.trigger] = since
    // Members come and go.
    if spokenAlarms.count > 1000 {
      spokenAlarms = spokenAlarms.filter { pipeline.conductor.engine.trigger(named: $0.key) != nil }
    }
  }

  /// An utterance was not heard: an alarm speaks at the next round of its loop, if that has rounds.
  mutating func forget(_ utterance: SpeechQueue.Utterance) {
    if utterance.alarm != nil { spokenAlarms[utterance.trigger] = nil }
  }
}

extension Pipeline {
  /// Whether an utterance may be heard now: not if its trigger is muted, silenced or called off, or its alarm acknowledged.
  func isToBeSpoken(_ utterance: SpeechQueue.Utterance) -> Bool {
    // A program that speaks itself knows nothing of levels.
    for trigger in [nil, utterance.trigger] where conductor.player.level(of: trigger).isAudible == false {
      return false
    }
    guard let id = conductor.engine.trigger(named: utterance.trigger) else { return true }
    if conductor.engine.isSilenced(id, utterance.settings.importance) { return false }
    if conductor.engine.callOffs(of: id) != utterance.callOffs { return false }
    return conductor.engine.alarm(id)?.life != .acknowledged
  }
}
