import SoundTrigger
import SoundWire

/// Decides what is spoken when: one utterance at a time, the most important one first.
struct SpeechQueue {
  struct Utterance: Equatable {
    var trigger: String
    var text: String
    var settings: PlaySettings
    /// When it was to be spoken.
    var at: Instant
    /// Since when its alarm is active; `nil`: it is no alarm.
    var alarm: Instant?
    /// How often its trigger had been called off.
    var callOffs: UInt32 = 0
    /// The trigger's play, if that has no other sound.
    var play: PlayID?
  }

  enum Action: Equatable {
    /// Make its sound and play it; the answer is `ended`.
    case make(Utterance)
    /// Stop what is made or plays.
    case stop(Utterance)
  }

  /// More do not wait: nobody listens to that many.
  static let mostWaiting = 16
  /// What has waited for longer is not news any more.
  static let longestWait = Duration.seconds(30)

  private(set) var waiting: [Utterance] = []
  /// What is made or spoken.
  private(set) var current: Utterance?

  /// Takes the place of what the same trigger has waiting.
  mutating func add(_ utterance: Utterance) {
    if let index = waiting.firstIndex(where: { $0.trigger == utterance.trigger }) { return waiting[index] = utterance }
    waiting.append(utterance)
    if waiting.count > Self.mostWaiting, let least = leastImportant { waiting.remove(at: least) }
  }

  private var leastImportant: Int? { waiting.indices.min { rank($0) < rank($1) } }

  private func rank(_ index: Int) -> UInt8 { waiting[index].settings.importance.rank }

  /// What to do now; call it until it returns `nil`.
  mutating func next(at now: Instant) -> Action? {
    waiting.removeAll { $0.at.duration(to: now) > Self.longestWait }
    // Among equals the first.
    guard let index = waiting.indices.max(by: { rank($0) < rank($1) || (rank($0) == rank($1) && $0 > $1) }) else {
      return nil
    }
    if let current {
      if rank(index) <= current.settings.importance.rank { return nil }
      self.current = nil
      return .stop(current)
    }
    let utterance = waiting.remove(at: index)
    current = utterance
    return .make(utterance)
  }

  /// Whether a play is still to be spoken, or is spoken now.
  func holds(_ play: PlayID) -> Bool { current?.play == play || waiting.contains { $0.play == play } }

  /// The sound is made and plays, or failed, or was spoken by the engine itself: then it is over.
  mutating func ended() { current = nil }

  /// Forgets the utterances of triggers. Returns whether the present one was among them.
  mutating func remove(_ target: StopTarget) -> Bool {
    func belongs(_ one: Utterance) -> Bool { target.includes(one.trigger, isAlarm: one.alarm != nil) }
    waiting.removeAll(where: belongs)
    guard let current, belongs(current) else { return false }
    self.current = nil
    return true
  }
}
