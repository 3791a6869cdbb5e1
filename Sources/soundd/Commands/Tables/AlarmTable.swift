import SoundTrigger
import SoundWire

/// Alarms for people.
enum AlarmTable {
  static func text(_ alarms: [AlarmMessage], inColour: Bool, width: Int?, now: Timestamp = .now()) -> String {
    let rows = alarms.map { alarm in
      [
        alarm.name.shownName, state(of: alarm), alarm.since?.localTime(at: now) ?? "-",
        (alarm.until ?? alarm.snoozedUntil)?.localTime(at: now) ?? "-", alarm.valueAndContent, reason(for: alarm, now),
      ]
    }
    let lines = Table(rows: [["ALARM", "STATE", "SINCE", "UNTIL", "VALUE", "WHY"]] + rows, dropping: [4, 3, 5, 2])
      .lines(width: width)
    let painted = zip(lines.dropFirst(), alarms).flatMap { lines, alarm in
      lines.map { alarm.colour.paint($0, if: inColour) }
    }
    return (lines[0] + painted).joined(separator: "\n")
  }

  /// What silences it, with the life that this hides: `suppressed (acknowledged)`.
  private static func state(of alarm: AlarmMessage) -> String {
    let (state, life) = (Excerpt.escaping(alarm.state.text), Excerpt.escaping(alarm.life.text))
    if state != life { return "\(state) (\(life))" }
    return alarm.life == .normal && alarm.isSnoozed ? "snoozed (normal)" : state
  }

  private static func reason(for alarm: AlarmMessage, _ now: Timestamp) -> String {
    let reason = alarm.why ?? (alarm.isSnoozed ? "snoozed" : alarm.problem) ?? "-"
    return reason + (alarm.ageOfSilence(at: now).map { "; it began \($0.rounded) ago" } ?? "")
  }
}

extension AlarmMessage {
  /// Whether it is snoozed at this moment, even while it is normal.
  var isSnoozed: Bool { snoozedUntil != nil }

  var colour: Colour? {
    switch state.kind {
    case .active, .latched: .red
    case .normal: nil
    default: .yellow
    }
  }

  /// `temperature = 95`, for people; `-` if no value began it.
  var valueAndContent: String {
    guard let value else { return "-" }
    return value.shownName + (content.map { " = \(Table.content($0.text))" } ?? "")
  }
}
