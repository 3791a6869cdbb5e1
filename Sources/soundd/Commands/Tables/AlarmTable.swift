import SoundTrigger

/// Alarms for people.
enum AlarmTable {
  static func text(_ alarms: [JSONObject], inColour: Bool, width: Int?, now: Timestamp = .now()) -> String {
    let rows = alarms.map { alarm in
      [alarm.shownName(), state(of: alarm), time(alarm, "since", now), end(of: alarm, now) ?? "-"]
        + [alarm.shownName("value"), reason(for: alarm, now)]
    }
    let lines = Table(rows: [["ALARM", "STATE", "SINCE", "UNTIL", "VALUE", "WHY"]] + rows, dropping: [4, 3, 5, 2])
      .lines(width: width)
    let painted = zip(lines.dropFirst(), alarms).flatMap { lines, alarm in
      lines.map { colour(of: alarm.shown("state")).paint($0, if: inColour) }
    }
    return (lines[0] + painted).joined(separator: "\n")
  }

  static func colour(of state: String) -> Colour? {
    switch state {
    case "active", "latched": .red
    case "normal": nil
    default: .yellow
    }
  }

  /// `active since 14:05:11`, `snoozed until 14:20:00 (active since 14:05:11)`.
  static func sentence(_ alarm: JSONObject, now: Timestamp) -> String {
    let (state, life) = (isSnoozed(alarm) ? "snoozed" : alarm.shown("state"), alarm.shown("life"))
    let age = age(ofSilent: alarm, now: now).map { ", \($0) ago" } ?? ""
    let since = alarm["since"] == nil ? "" : " since \(time(alarm, "since", now))\(age)"
    let until = end(of: alarm, now).map { " until \($0)" } ?? ""
    let why = alarm["why"] == nil || state == "snoozed" ? "" : ": \(alarm.shown("why"))"
    return state == life ? "\(state)\(since)\(until)\(why)" : "\(state)\(until)\(why) (\(life)\(since))"
  }

  /// How long ago an alarm began that something silences, if its silence is old.
  static func age(ofSilent alarm: JSONObject, now: Timestamp) -> String? {
    guard alarm["why"] != nil, let since = alarm.text("since").flatMap({ Timestamp($0) }) else { return nil }
    let age = Duration.seconds(now.seconds - since.seconds)
    return age > OldSilences.age ? age.rounded : nil
  }

  /// Whether it is snoozed at this moment, also while it is normal.
  static func isSnoozed(_ alarm: JSONObject) -> Bool { alarm["snoozed_until"] != nil }

  /// What silences it, with the life that this hides: `suppressed (acknowledged)`.
  private static func state(of alarm: JSONObject) -> String {
    let (state, life) = (alarm.shown("state"), alarm.shown("life"))
    if state != life { return "\(state) (\(life))" }
    return life == "normal" && isSnoozed(alarm) ? "snoozed (normal)" : state
  }

  private static func reason(for alarm: JSONObject, _ now: Timestamp) -> String {
    let reason =
      alarm["why"] == nil && isSnoozed(alarm) ? "snoozed" : alarm.shown(alarm["why"] == nil ? "problem" : "why")
    return reason + (age(ofSilent: alarm, now: now).map { "; it began \($0) ago" } ?? "")
  }

  /// When what silences it ends; a normal one may be snoozed.
  private static func end(of alarm: JSONObject, _ now: Timestamp) -> String? {
    (alarm.text("until") ?? alarm.text("snoozed_until")).map { Table.localTime($0, now: now) }
  }

  private static func time(_ alarm: JSONObject, _ member: String, _ now: Timestamp) -> String {
    alarm.text(member).map { Table.localTime($0, now: now) } ?? "-"
  }
}
