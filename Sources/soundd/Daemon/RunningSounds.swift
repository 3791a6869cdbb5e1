import SoundTrigger

/// Which voices play for which trigger, from their start until they were collected.
struct RunningSounds {
  /// What is to be known of a voice for it to be stopped.
  struct Sound: Equatable {
    let voice: VoiceID
    /// The sound's name.
    let name: String
    /// The trigger's name; `nil`: it was played by hand.
    let trigger: String?
    let fadeFrames: Int
    /// Whether the trigger waits for its end; not one that was changed by a reload.
    var isAwaited = true
    /// Whether it was told to fade out.
    var isStopped = false
  }

  private var sounds: [VoiceID: Sound] = [:]

  mutating func add(_ voice: VoiceID, _ name: String, trigger: String?, fadeFrames: Int) {
    sounds[voice] = Sound(voice: voice, name: name, trigger: trigger, fadeFrames: fadeFrames)
  }

  /// A voice was told to fade out.
  mutating func noteStop(_ voice: VoiceID) { sounds[voice]?.isStopped = true }

  /// Forgets a voice; returns what it was.
  @discardableResult
  mutating func remove(_ voice: VoiceID) -> Sound? { sounds.removeValue(forKey: voice) }

  /// The triggers of these names begin afresh: the ends of their sounds are no concern of theirs any more.
  mutating func disown(_ triggers: Set<String>) {
    for (voice, sound) in sounds where sound.trigger.map(triggers.contains) ?? false {
      sounds[voice]?.isAwaited = false
    }
  }

  /// The trigger that a voice plays for; `nil` if it ended or was played by hand.
  func trigger(of voice: VoiceID) -> String? { sounds[voice]?.trigger }

  /// Everything that runs.
  var all: [Sound] { Array(sounds.values) }

  /// What runs for a trigger.
  func sounds(of trigger: String) -> [Sound] { sounds.values.filter { $0.trigger == trigger } }
}
