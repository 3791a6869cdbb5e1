import SoundTrigger

/// An event for people, in a line.
enum EventLine {
  /// A line for what the daemon said after `events`; as it is, if it is no event that this soundd knows.
  static func text(_ line: [UInt8], inColour: Bool, now: Timestamp) -> String {
    guard let event = try? JSONObject(line), let (text, colour) = describe(event, now) else {
      return Excerpt.escaping(String(decoding: line, as: UTF8.self))
    }
    let time =
      (event.text("decided_at") ?? event.text("at")).map { Table.localTime($0, now: now, toMillisecond: true) + "  " }
      ?? ""
    return colour.paint(time + text, if: inColour)
  }

  private static func describe(_ event: JSONObject, _ now: Timestamp) -> (String, Colour?)? {
    let trigger = event["trigger"] == nil ? "by hand" : event.shownName("trigger")
    switch event.text("event") {
    case "change":
      let change = event.text("old").map { Table.change($0, event.text("new") ?? "-") } ?? content(event, "new")
      return ("\(event.shownName()): \(change)", nil)
    case "verdict":
      return ("\(trigger): \(verdict(event))", Colour.of(verdict: event.shown("verdict")) ?? .dim)
    case "play":
      let verdict = event.shown("verdict")
      let sound = "\(trigger): \(event.shown("sound"))"
      switch verdict {
      case "played": return ("\(sound) plays", .green)
      case "muted": return ("\(sound) plays unheard (muted)", .yellow)
      default: return ("\(sound) does not play (\(verdict))", .red)
      }
    case "stop":
      let by = event.text("by").map { ": " + Excerpt.escaping($0) } ?? ""
      let value = event["value"].map { _ in " " + event.shownName("value") } ?? ""
      return ("\(trigger): \(event.shown("sound")) is over (\(event.shown("reason"))\(by)\(value))", .dim)
    case "settings":
      let volume = event.volume.map(VolumeText.level) ?? "-"
      let device = event.text("device") == "missing" ? ", the device is missing" : ""
      return ("volume \(volume), \(event.mute()), profile \(event.profile(now: now))\(device)", nil)
    case "value":
      return ("\(event.shownName()) = \(event["value"] == nil ? "(none yet)" : content(event, "value"))", nil)
    case "trigger":
      let problem = event["problem"] == nil ? "" : ": \(event.shown("problem"))"
      return (
        "trigger \(event.shownName()): \(event.shown("state"))\(problem)",
        event.text("state") == "broken" ? .red : nil
      )
    case "alarm":
      return (
        "alarm \(event.shownName()): \(AlarmTable.sentence(event, now: now))",
        AlarmTable.colour(of: event.shown("state"))
      )
    case "unset": return ("\(event.shownName()) is forgotten", .dim)
    case "ready": return ("-- this is the state; what follows happens now --", .dim)
    default: return nil
    }
  }

  /// A verdict for people, without its trigger: `played 'error'`, `outside: the number is not beyond the threshold`.
  static func verdict(_ event: JSONObject) -> String {
    let sound = event["sound"] == nil ? "" : " '\(event.shown("sound"))'"
    return event.shown("verdict") + sound + (event.reason.isEmpty ? "" : ": \(event.reason)")
  }

  private static func content(_ event: JSONObject, _ member: String) -> String {
    event.text(member).map { Table.content($0) } ?? "-"
  }
}
