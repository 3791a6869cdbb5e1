extension SoundPlayer {
  /// What a trigger does if a sound of it still runs. Sounds of other triggers, and those that already fade out, do not count.
  public struct Overlap: Hashable, Sendable {
    /// What the daemon calls it.
    let decision: TriggerDefinition.Overlap

    /// Plays both. The default.
    public static let mix = Overlap(decision: .mix)
    /// Plays the new one, and fades the old one out within 10 ms.
    public static let restart = Overlap(decision: .restart)
    /// Leaves out the new one.
    public static let ignore = Overlap(decision: .ignore)
    /// Plays the new one when the old one has ended. At most 16 wait; a further one is left out.
    public static let queue = Overlap(decision: .queue)
  }
}

/// When a trigger plays: the arguments that `playSound` and `sensoryFeedback` share.
struct Timing {
  var debounce: Duration?
  var delay: Duration?
  var throttle: Duration?
  var overlap: SoundPlayer.Overlap
  var cancellation: () -> (any Equatable)?

  /// The daemon's definition of such a trigger. Throws if a time cannot be waited for.
  func definition(_ feedback: SensoryFeedback?) throws(SoundProblem) -> TriggerDefinition {
    let definition = TriggerDefinition(
      name: "", values: Self.values, sound: .sound(feedback?.sound ?? "-"), to: Self.playing,
      debounce: debounce, throttle: throttle, delay: delay, overlap: overlap.decision,
      settings: PlaySettings(volume: feedback?.intensity ?? 1))
    if let problem = definition.problems(watching: Self.watched).first {
      throw .timing(problem.description)
    }
    return definition
  }

  /// The condition of each definition: these contents play, and all others do not.
  private static let playing: [Value] = [.number(0), .number(1), .number(2)]

  /// What stands for a value in the engine. Equal contents mean equal values.
  ///
  /// Three of each kind are enough to tell a value from the one before, and from the one before a burst.
  static func content(playing: Bool, unlike first: Value? = nil, _ second: Value? = nil) -> Value {
    var number = playing ? 0.0 : 3
    while first == .number(number) || second == .number(number) { number += 1 }
    return .number(number)
  }

  /// Every trigger watches a value of its own, so one name is enough.
  private static let values = [ValueName(literal: "value")]
  private static let watched = values.map { WatchedValue($0, .number) }
}
