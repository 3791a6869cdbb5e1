import SoundTrigger

/// Knows which plays are followed by speech.
struct SpeechCues {
  /// By the names of triggers and rules.
  private var says: [String: SpeechText] = [:]
  /// Since when the alarms were active that have spoken.
  private var spokenAlarms: [String: Instant] = [:]

  mutating func use(_ configuration: Configuration) {
    let says = configuration.triggers.compactMap { trigger in trigger.say.map { (trigger.definition.name, $0) } }
    self.says = Dictionary(says) { first, _ in first }
    spokenAlarms = spokenAlarms.filter { sound(of: $0.key.ruleName) != nil }
  }

  /// The name under which the text of a trigger or rule is loaded; `nil` if it does not speak.
  func sound(of trigger: String) -> String? { says[trigger]?.sound }

  /// What follows when the sound of a play was heard (`isOver`: to its end), and whether that sound was the speech.
  mutating func utterance(
    for play: Play, isOver: Bool, _ pipeline: Pipeline, at now: Instant
  ) -> (SpeechQueue.Utterance, isSpoken: Bool)? {
    guard !says.isEmpty, let trigger = play.trigger, let say = play.rule.flatMap({ says[$0] }), let cause = play.cause,
      // A loop without a gap has no end.
      isOver != play.loops
    else { return nil }
    let utterance = SpeechQueue.Utterance(
      trigger: trigger, text: say.text(of: trigger, cause), settings: play.settings, at: now)
    // An alarm that is muted now speaks when it is heard again.
    if !pipeline.isToBeSpoken(utterance) { return nil }
    let engine = pipeline.conductor.engine
    if play.fresh == nil, let since = engine.trigger(named: trigger).flatMap({ engine.alarm($0) })?.since {
      if spokenAlarms.updateValue(since, forKey: trigger) == since { return nil }
      // Members come and go.
      if spokenAlarms.count > 1000 { spokenAlarms = spokenAlarms.filter { engine.trigger(named: $0.key) != nil } }
    }
    let length = pipeline.conductor.player.sounds[say.sound]?.frameCount ?? 0
    return (utterance, say.isAlone && length > 1)
  }
}

extension Pipeline {
  /// Whether an utterance may be heard now: not if its trigger is muted or silenced, or its alarm acknowledged.
  func isToBeSpoken(_ utterance: SpeechQueue.Utterance) -> Bool {
    // A program that speaks itself knows nothing of levels.
    for trigger in [nil, utterance.trigger] where conductor.player.level(of: trigger).gain == 0 { return false }
    guard let id = conductor.engine.trigger(named: utterance.trigger) else { return true }
    if conductor.engine.isSilenced(id, utterance.settings.importance) { return false }
    return conductor.engine.alarm(id)?.life != .acknowledged
  }
}
