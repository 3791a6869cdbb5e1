import SoundTrigger

/// Which voices play for which trigger, from their start until they were collected.
struct RunningSounds {
  /// What is to be known of a voice for it to be stopped.
  struct Sound: Equatable {
    let voice: VoiceID
    /// The trigger's name; `nil`: it was played by hand.
    let trigger: String?
    let fadeFrames: Int
  }

  private var sounds: [VoiceID: Sound] = [:]

  mutating func add(_ voice: VoiceID, trigger: String?, fadeFrames: Int) {
    sounds[voice] = Sound(voice: voice, trigger: trigger, fadeFrames: fadeFrames)
  }

  mutating func remove(_ voice: VoiceID) { sounds[voice] = nil }

  /// The trigger that a voice plays for; `nil` if it ended or was played by hand.
  func trigger(of voice: VoiceID) -> String? { sounds[voice]?.trigger }

  /// Everything that runs.
  var all: [Sound] { Array(sounds.values) }

  /// What runs for a trigger.
  func sounds(of trigger: String) -> [Sound] { sounds.values.filter { $0.trigger == trigger } }
}
