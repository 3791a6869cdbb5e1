/// Why a trigger or a player stays silent. Its description says what to do.
///
/// ```swift
/// player.onProblem { problem in
///   if problem.kind != .device { print(problem) }
/// }
/// ```
public struct SoundProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems. Later versions may have more.
  public struct Kind: Hashable, Sendable {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// A trigger was declared outside of an actor, so nothing orders the changes of the model. The trigger has ended.
    public static let notOnAnActor = Kind("notOnAnActor")
    /// The expression of a trigger reads no observable property, so it never changes. The trigger has ended.
    public static let nothingObserved = Kind("nothingObserved")
    /// Triggers set each other off without end.
    public static let restless = Kind("restless")
    /// A sound cannot be found or decoded.
    public static let sound = Kind("sound")
    /// `debounce`, `delay` or `throttle` is not more than 0 and at most 365 days. The trigger has ended.
    public static let timing = Kind("timing")
    /// The player has as many triggers as it may have. The new trigger has ended; the others stay.
    public static let tooManyTriggers = Kind("tooManyTriggers")
    /// The device cannot be opened, or broke. Sounds play by the clock, unheard, until it can be opened again.
    public static let device = Kind("device")
  }

  /// What kind of problem it is.
  public let kind: Kind
  /// What is wrong, and what to do.
  public let description: String

  private init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// See ``Kind/notOnAnActor``.
  public static let notOnAnActor = SoundProblem(
    .notOnAnActor, "a trigger needs an actor: call it from one, such as the main actor, or pass its isolation")
  /// See ``Kind/nothingObserved``.
  public static let nothingObserved = SoundProblem(
    .nothingObserved,
    "the value of a trigger never changes: its expression must read a property of an @Observable model")
  /// See ``Kind/restless``.
  public static let restless = SoundProblem(
    .restless, "the triggers do not come to rest, because their actions change the values of each other again and again"
  )
  /// See ``Kind/sound``. The text names the sound, and the folders or the file.
  public static func sound(_ text: String) -> SoundProblem { SoundProblem(.sound, text) }
  /// See ``Kind/timing``.
  public static func timing(_ text: String) -> SoundProblem { SoundProblem(.timing, text) }
  /// See ``Kind/tooManyTriggers``.
  public static func tooManyTriggers(limit: Int) -> SoundProblem {
    SoundProblem(.tooManyTriggers, "a player has at most \(limit) triggers: end those that are no longer needed")
  }
  /// See ``Kind/device``. The text names the device, the ALSA function and the cause.
  public static func device(_ text: String) -> SoundProblem { SoundProblem(.device, text) }

  init(_ error: SoundError) {
    if case .tooLong(let path, let limit) = error {
      self = .sound("the sound \(path) is longer than \(limit) s")
    } else {
      self = .sound("\(error)")
    }
  }
}
