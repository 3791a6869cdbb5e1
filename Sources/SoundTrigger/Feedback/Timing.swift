extension SoundPlayer {
  /// What a trigger does if a sound of it still runs. Sounds of other triggers, and those that already fade out, do not count.
  public enum Overlap: Sendable {
    /// Plays both. The default.
    case mix
    /// Plays the new one, and fades the old one out within 10 ms.
    case restart
    /// Leaves out the new one.
    case ignore
    /// Plays the new one when the old one has ended. At most 16 wait; a further one is left out.
    case queue
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
      name: "", values: Self.values, sound: .sound(feedback?.sound ?? "-"), debounce: debounce, throttle: throttle,
      delay: delay, overlap: TriggerDefinition.Overlap(overlap),
      settings: PlaySettings(volume: feedback?.intensity ?? 1))
    if let problem = definition.problems(watching: Self.watched).first {
      throw .timing(problem.description)
    }
    return definition
  }

  /// Every trigger watches a value of its own, so one name is enough.
  private static let values = [ValueName(literal: "value")]
  private static let watched = values.map { WatchedValue($0, .number) }
}

extension TriggerDefinition.Overlap {
  fileprivate init(_ overlap: SoundPlayer.Overlap) {
    self =
      switch overlap {
      case .mix: .mix
      case .restart: .restart
      case .ignore: .ignore
      case .queue: .queue
      }
  }
}
