/// Why a trigger or a player stays silent. Its description says what to do.
///
/// ```swift
/// player.onProblem { problem in print(problem) }
/// ```
public enum SoundProblem: Error, Equatable, Sendable {
  /// A trigger was declared outside of an actor, so nothing orders the changes of the model. The trigger has ended.
  case notOnAnActor
  /// A sound cannot be found or decoded. The text names the sound and the folders or the file.
  case sound(String)
  /// `debounce`, `delay` or `throttle` is not more than 0 and at most 365 days. The trigger has ended.
  case timing(String)
  /// The player has `limit` triggers already. The new trigger has ended; the others stay.
  case tooManyTriggers(limit: Int)
  /// The device cannot be opened, or broke. Sounds play by the clock, unheard, until it can be opened again. The text names the
  /// device, the ALSA function and the cause.
  case device(String)

  init(_ error: SoundError) {
    if case .tooLong(let path, let limit) = error {
      self = .sound("the sound \(path) is longer than \(limit) s")
    } else {
      self = .sound("\(error)")
    }
  }
}

extension SoundProblem: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .notOnAnActor: "a trigger needs an actor: call it from one, such as the main actor, or pass its isolation"
    case .sound(let text), .timing(let text), .device(let text): text
    case .tooManyTriggers(let limit): "a player has at most \(limit) triggers: end those that are no longer needed"
    }
  }
}
