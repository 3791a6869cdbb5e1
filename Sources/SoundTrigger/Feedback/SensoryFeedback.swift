/// A kind of feedback, as SwiftUI names them, each with a shipped sound of its own.
public struct SensoryFeedback: Hashable, Sendable {
  /// The name of the sound that stands for it.
  public let sound: String

  private init(_ sound: String) { self.sound = sound }

  /// A task was completed.
  public static let success = SensoryFeedback("success")
  /// A task gave cause for concern.
  public static let warning = SensoryFeedback("warning")
  /// A task failed.
  public static let error = SensoryFeedback("error")
  /// A selection changes.
  public static let selection = SensoryFeedback("selection")
  /// An important value rose above a significant threshold.
  public static let increase = SensoryFeedback("increase")
  /// An important value fell below a significant threshold.
  public static let decrease = SensoryFeedback("decrease")
  /// An activity began.
  public static let start = SensoryFeedback("start")
  /// An activity ended.
  public static let stop = SensoryFeedback("stop")
  /// Something that is dragged came into line.
  public static let alignment = SensoryFeedback("alignment")
  /// Something went from one level to another.
  public static let levelChange = SensoryFeedback("level-change")
  /// A drawn path came to its end.
  public static let pathComplete = SensoryFeedback("path-complete")
  /// Two things met.
  public static let impact = SensoryFeedback("impact")
  /// A control was pressed.
  public static let press = SensoryFeedback("press")
  /// A control was let go.
  public static let release = SensoryFeedback("release")

  /// Two things of some weight met.
  public static func impact(weight: Weight) -> SensoryFeedback { SensoryFeedback("impact-\(weight.rawValue)") }

  /// Two things of some hardness met.
  public static func impact(flexibility: Flexibility) -> SensoryFeedback {
    SensoryFeedback("impact-\(flexibility.rawValue)")
  }

  /// A selection was made or given up.
  public static func selection(isOn: Bool) -> SensoryFeedback {
    SensoryFeedback(isOn ? "selection-on" : "selection-off")
  }

  /// How heavy the things are that meet.
  public enum Weight: String, CaseIterable, Sendable { case light, medium, heavy }

  /// How hard the things are that meet.
  public enum Flexibility: String, CaseIterable, Sendable { case rigid, solid, soft }
}
