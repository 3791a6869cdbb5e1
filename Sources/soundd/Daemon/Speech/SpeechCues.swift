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
  /// Since when the alarms were active that have spoken.
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

  /// Returns what to speak now that a play has come to this moment.
  mutating func utterance(
    for play: Play, _ moment: Moment, _ pipeline: Pipeline, at now: Instant
  ) -> SpeechQueue.Utterance? {
    guard !says.isEmpty, let trigger = play.trigger, let say = play.rule.flatMap({ says[$0] }), let cause = play.cause,
      !play.standsForGroup,
      // A loop without a gap has no end.
      moment == (say.isAlone ? .begins : play.loops ? .heard : .finished)
    else { return nil }
    let utterance = SpeechQueue.Utterance(
      trigger: trigger, text: say.text(of: trigger, cause), settings: play.settings, at: now)
    // An alarm that is muted now speaks when it is heard again. A content may have nothing to speak.
    if utterance.text.isEmpty || !pipeline.isToBeSpoken(utterance) { return nil }
    let engine = pipeline.conductor.engine
    if play.fresh == nil, let since = engine.trigger(named: trigger).flatMap({ engine.alarm($0) })?.since {
      if spokenAlarms.updateValue(since, forKey: trigger) == since { return nil }
      // Members come and go.
      if spokenAlarms.count > 1000 { spokenAlarms = spokenAlarms.filter { engine.trigger(named: $0.key) != nil } }
    }
    return utterance
  }

  /// An utterance was called off: an alarm speaks when it is heard again.
  mutating func forget(_ utterance: SpeechQueue.Utterance) { spokenAlarms[utterance.trigger] = nil }
}

extension Pipeline {
  /// Whether an utterance may be heard now: not if its trigger is muted, silenced or called off, or its alarm acknowledged.
  func isToBeSpoken(_ utterance: SpeechQueue.Utterance) -> Bool {
    // A program that speaks itself knows nothing of levels.
    for trigger in [nil, utterance.trigger] where conductor.player.level(of: trigger).gain == 0 { return false }
    guard let id = conductor.engine.trigger(named: utterance.trigger) else { return true }
    if conductor.engine.isSilenced(id, utterance.settings.importance) { return false }
    let cancel = conductor.engine.definition(of: id).cancel.flatMap { store.id(of: $0) }
    if let change = cancel.flatMap({ store.snapshot(of: $0).changedAt }), change > utterance.at { return false }
    return conductor.engine.alarm(id)?.life != .acknowledged
  }
}
