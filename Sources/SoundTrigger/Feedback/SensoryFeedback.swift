/// A kind of feedback, named as in SwiftUI, and how strong it is.
///
/// Two are equal if they are of the same kind and intensity. `Weight` and the other parameters are structures, so that kinds
/// can be added without breaking a `switch`.
///
/// ```swift
/// player.sensoryFeedback(.impact(weight: .heavy, intensity: 0.7), trigger: model.score)
/// ```
public struct SensoryFeedback: Hashable, Sendable {
  /// The name of the sound that is looked up first, such as `impact-heavy`; or a path, which contains a `/`.
  public let sound: String
  /// The gain of the sound, a factor from 0 (silent) to 1 (as it was recorded).
  public let intensity: Double

  /// `intensity` outside 0 to 1 becomes the nearer of the two; NaN becomes 0.
  private init(_ sound: String, intensity: Double = 1) {
    self.sound = sound
    self.intensity = intensity > 0 ? min(intensity, 1) : 0
  }

  // MARK: What has happened

  /// A task was completed.
  public static let success = SensoryFeedback("success")
  /// A task gave cause for concern.
  public static let warning = SensoryFeedback("warning")
  /// A task failed.
  public static let error = SensoryFeedback("error")

  // MARK: Processes and quantities

  /// An activity began.
  public static let start = SensoryFeedback("start")
  /// An activity ended.
  public static let stop = SensoryFeedback("stop")
  /// An important value rose above a significant threshold.
  public static let increase = SensoryFeedback("increase")
  /// An important value fell below a significant threshold.
  public static let decrease = SensoryFeedback("decrease")
  /// Something went from one level to another.
  public static let levelChange = SensoryFeedback("level-change")
  /// Something that is dragged came into line.
  public static let alignment = SensoryFeedback("alignment")
  /// A drawn path came to its end.
  public static let pathComplete = SensoryFeedback("path-complete")

  // MARK: Selections

  /// A selection changes.
  public static let selection = SensoryFeedback("selection")

  /// A selection changes in a certain way. `minimum` sounds like `off`, and `maximum` like `on`.
  public static func selection(_ feedback: SelectionFeedback) -> SensoryFeedback {
    SensoryFeedback("selection-\(feedback.name)")
  }

  /// The ways in which a selection changes.
  public struct SelectionFeedback: Hashable, Sendable {
    let name: String

    /// Something was switched on.
    public static let on = SelectionFeedback(name: "on")
    /// Something was switched off.
    public static let off = SelectionFeedback(name: "off")
    /// The lowest value was reached.
    public static let minimum = SelectionFeedback(name: "minimum")
    /// The highest value was reached.
    public static let maximum = SelectionFeedback(name: "maximum")
  }

  // MARK: Impacts

  /// Two things met.
  public static let impact = SensoryFeedback("impact")

  /// Two things of some weight met.
  ///
  /// Each weight has a sound of its own. `intensity` is the gain of the sound, 0 to 1: what is outside becomes the nearer of
  /// the two, and NaN becomes 0.
  public static func impact(weight: Weight = .medium, intensity: Double = 1) -> SensoryFeedback {
    SensoryFeedback("impact-\(weight.name)", intensity: intensity)
  }

  /// Two things of some hardness met.
  ///
  /// Each hardness has a sound of its own. `intensity` is the gain of the sound, 0 to 1: what is outside becomes the nearer of
  /// the two, and NaN becomes 0.
  public static func impact(flexibility: Flexibility, intensity: Double = 1) -> SensoryFeedback {
    SensoryFeedback("impact-\(flexibility.name)", intensity: intensity)
  }

  /// How heavy the things are that meet.
  public struct Weight: Hashable, Sendable {
    let name: String

    /// Small bodies.
    public static let light = Weight(name: "light")
    /// Bodies of middle size.
    public static let medium = Weight(name: "medium")
    /// Large bodies.
    public static let heavy = Weight(name: "heavy")
  }

  /// How hard the things are that meet.
  public struct Flexibility: Hashable, Sendable {
    let name: String

    /// Hard, such as metal.
    public static let rigid = Flexibility(name: "rigid")
    /// Firm, such as wood.
    public static let solid = Flexibility(name: "solid")
    /// Soft, such as felt.
    public static let soft = Flexibility(name: "soft")
  }

  // MARK: Controls

  /// A control was pressed. All controls sound alike, unless a folder has a sound for one.
  public static func press(_ control: PressFeedback) -> SensoryFeedback { SensoryFeedback("press-\(control.name)") }

  /// A control was let go.
  public static func release(_ control: ReleaseFeedback) -> SensoryFeedback {
    SensoryFeedback("release-\(control.name)")
  }

  /// The controls that are pressed.
  public struct PressFeedback: Hashable, Sendable {
    let name: String

    /// A button with a label.
    public static let button = PressFeedback(name: "button")
    /// A button without a label.
    public static let buttonIconOnly = PressFeedback(name: "button-icon-only")
    /// A slider that is taken hold of.
    public static let slider = PressFeedback(name: "slider")
    /// A tab.
    public static let tab = PressFeedback(name: "tab")
    /// A switch.
    public static let toggle = PressFeedback(name: "toggle")
  }

  /// The controls that are let go.
  public struct ReleaseFeedback: Hashable, Sendable {
    let name: String

    /// A slider that is let go.
    public static let slider = ReleaseFeedback(name: "slider")
  }

  // MARK: Any sound

  /// A sound of your own. SwiftUI has no such kind.
  ///
  /// ```swift
  /// player.play(.sound("/opt/uploads/fanfare.ogg", intensity: 0.5))
  /// ```
  ///
  /// `name` is the file's name without its extension, looked up in the player's folders; or a path, which contains a `/`. A
  /// relative path begins at the working directory. `intensity` is the gain of the sound, 0 to 1: what is outside becomes the
  /// nearer of the two, and NaN becomes 0.
  public static func sound(_ name: String, intensity: Double = 1) -> SensoryFeedback {
    SensoryFeedback(name, intensity: intensity)
  }
}

extension SensoryFeedback: CustomStringConvertible {
  /// The name of the sound, and the intensity if it is not 1.
  public var description: String { intensity == 1 ? sound : "\(sound) at \(intensity)" }
}
