/// Decides about one trigger: a change or the end of a wait goes in, what is to be done comes out.
///
/// Its states are two: at rest (no `burst`) and, with `debounce`, waiting for the value to keep still.
struct TriggerMachine: Sendable {
  /// What is to be done now.
  enum Decision: Equatable {
    case play(SoundID)
    case keepSilent(Verdict)
  }

  /// Arrivals with less than `debounce` between them, which are judged as one change when they have ended.
  private struct Burst: Sendable {
    /// The value before the first arrival.
    var old: Value
    var new: Value
    /// Whether the first arrival was the value's first content.
    var isAppearance: Bool
    /// Whether the burst is a change even if it ends where it began.
    var isEvent: Bool
    /// When the value has been still for long enough.
    var deadline: Instant
  }

  private let initial: Bool
  private let isEvent: Bool
  /// In nanoseconds, more than 0.
  private let debounce: Int64?
  /// In nanoseconds, more than 0.
  private let throttle: Int64?
  private let sounds: SoundTable
  private var condition: TriggerCondition
  private var burst: Burst?
  private var lastPlay: Instant?

  /// A machine at rest.
  ///
  /// `isEvent`: every arrival of the watched value is a change, even an equal one.
  init(_ definition: TriggerDefinition, isEvent: Bool, sound: (String) -> SoundID) {
    initial = definition.initial
    self.isEvent = isEvent
    debounce = Self.interval(definition.debounce)
    throttle = Self.interval(definition.throttle)
    sounds = SoundTable(definition.sound, sound)
    condition = TriggerCondition(definition)
  }

  /// When the machine wants `deadlinePassed(at:)` to be called, if nothing else happens before.
  var deadline: Instant? { burst?.deadline }

  /// Takes over the memory of another machine of the same definition.
  mutating func inherit(from other: TriggerMachine) {
    condition.inherit(from: other.condition)
    burst = other.burst
    lastPlay = other.lastPlay
  }

  /// Takes in a change or an appearance.
  ///
  /// An appearance begins everything but the throttle anew.
  mutating func receive(_ change: Change, at now: Instant) -> Decision {
    if change.isAppearance {
      burst = nil
      guard initial else {
        condition.begin(at: change.new)
        return .keepSilent(.appeared)
      }
    }
    guard let debounce else {
      return decide(old: change.old, new: change.new, isAppearance: change.isAppearance, at: now)
    }
    // Only an event brings its old value once more without appearing.
    let isEvent = isEvent || (change.old == change.new && !change.isAppearance)
    let deadline = Self.instant(debounce, after: now)
    if burst == nil {
      burst = Burst(
        old: change.old, new: change.new, isAppearance: change.isAppearance, isEvent: isEvent, deadline: deadline)
    } else {
      burst?.new = change.new
      if isEvent { burst?.isEvent = true }
      burst?.deadline = deadline
    }
    return .keepSilent(.waiting(for: .nanoseconds(debounce)))
  }

  /// Judges the burst that has ended.
  ///
  /// Without one nothing was awaited, and nothing is to be done.
  mutating func deadlinePassed(at now: Instant) -> Decision? {
    guard let burst else { return nil }
    self.burst = nil
    if burst.old == burst.new, !burst.isAppearance, !burst.isEvent { return .keepSilent(.returned) }
    return decide(old: burst.old, new: burst.new, isAppearance: burst.isAppearance, at: now)
  }

  private mutating func decide(old: Value, new: Value, isAppearance: Bool, at now: Instant) -> Decision {
    if let obstacle = condition.obstacle(old: old, new: new, isAppearance: isAppearance) {
      return .keepSilent(obstacle)
    }
    guard let sound = sounds[new] else { return .keepSilent(.noSound) }
    if let throttle, let lastPlay {
      let next = Self.instant(throttle, after: lastPlay)
      guard now >= next else { return .keepSilent(.throttled(for: now.duration(to: next))) }
    }
    lastPlay = now
    return .play(sound)
  }

  /// The interval in nanoseconds, or `nil` if there is none to wait for.
  private static func interval(_ duration: Duration?) -> Int64? {
    guard let nanoseconds = duration?.nanoseconds, nanoseconds > 0 else { return nil }
    return nanoseconds
  }

  /// The end of an interval; one that time does not reach ends with time.
  private static func instant(_ interval: Int64, after start: Instant) -> Instant {
    let (sum, overflow) = start.nanoseconds.addingReportingOverflow(interval)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
}
