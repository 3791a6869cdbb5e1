import SoundTrigger

/// The daemon's status for people: first what decides whether something is heard, then the triggers, then the rest.
struct StatusTable {
  private let status: JSONObject
  private let triggers: [JSONObject]
  private let now: Timestamp

  /// A line of the parts around the triggers' table.
  private typealias Line = (label: String, text: String, colour: Colour?)

  /// The text for what the daemon answered to `status`. `width`: see `Table`.
  static func text(
    _ reply: [UInt8], inColour: Bool = false, width: Int? = nil, now: Timestamp = .now()
  ) throws(Failure) -> String {
    let table = try StatusTable(reply, now: now)
    var parts = [Self.text(table.beginning, inColour: inColour, width: width)]
    if !table.triggers.isEmpty { parts.append(table.triggerLines(inColour: inColour, width: width)) }
    parts.append(Self.text(table.rest, inColour: inColour, width: width))
    return parts.joined(separator: "\n\n")
  }

  private init(_ reply: [UInt8], now: Timestamp) throws(Failure) {
    status = try JSONObject(reply: reply)
    triggers = try JSONObject.array(reply: status["triggers"])
    self.now = now
  }

  private static func text(_ lines: [Line], inColour: Bool, width: Int?) -> String {
    let labelWidth = 8
    return zip(
      lines,
      Table(
        rows: lines.map { [$0.label + String(repeating: " ", count: labelWidth - $0.label.count), $0.text] },
        wrapsLast: true
      )
      .lines(width: width)
    )
    .flatMap { line, texts in texts.map { line.colour.paint($0, if: inColour) } }.joined(separator: "\n")
  }

  // MARK: What decides whether something is heard

  private var beginning: [Line] {
    let broken = triggers.filter { $0["problem"] != nil }
    var lines = alarms + [device, volume, mute, ("profile", status.profile(now: now), nil)]
    if broken.isEmpty { lines.append(("broken", "nothing", nil)) }
    for trigger in broken {
      lines.append(("broken", "\(trigger.shownName()): \(trigger.shown("problem"))", .red))
    }
    for warning in Warning.all(in: status) { lines.append(("warning", warning.description, .yellow)) }
    return lines + refusals + [("played", lastPlay, nil)]
  }

  private static let mostRefusals = 10

  /// The values and feeds that have refused something.
  private var refusals: [Line] {
    let values = (status["refusals"].flatMap { try? JSONObject.array($0) } ?? []).compactMap { value in
      RefusalText.sentence(value, now: now).map { "\(value.shownName()): updates \($0)" }
    }
    let feeds = RefusalText.feedReports(status).compactMap { feed in
      RefusalText.sentence(feed, now: now).map { "feed '\(feed.shown("name"))': lines \($0)" }
    }
    let all = feeds + values
    let lines = all.prefix(Self.mostRefusals).map { Line("refused", $0, .yellow) }
    return all.count == lines.count ? lines : lines + [("", "more: soundd list", .yellow)]
  }

  private static let mostAlarms = 10

  /// The most important ones, so that what follows stays on the screen.
  private var alarms: [Line] {
    let alarms = (try? JSONObject.array(reply: status["alarms"])) ?? []
    let lines = alarms.prefix(Self.mostAlarms).map { alarm -> Line in
      (
        "alarm", "\(alarm.shownName()): \(AlarmTable.sentence(alarm, now: now))",
        AlarmTable.colour(of: alarm.shown("state"))
      )
    }
    let rest = alarms.count - lines.count
    return rest == 0 ? lines : lines + [("", "and \(rest) more: soundd alarms", .yellow)]
  }

  private var device: Line {
    let device = status.object("device")
    let (name, state) = (device.shown("name"), device.shown("state"))
    switch state {
    case "missing":
      let reason = device["problem"] == nil ? "" : ": \(device.shown("problem"))"
      return ("device", "\(name), missing: nothing is heard ('soundd doctor' says why)\(reason)", .red)
    case "clock": return ("device", "none: sounds are counted, and nothing is heard", .yellow)
    case "closed": return ("device", "\(name), closed until something plays", nil)
    default:
      let stream =
        "\(device.shown("format")), \(device.shown("rate")) Hz, \(device.shown("channels")) channels, "
        + "buffer \(device.shown("buffer_frames"))"
      return ("device", "\(name), \(state): \(stream)", nil)
    }
  }

  private var volume: Line {
    let factor = status.volume ?? 1
    return ("volume", VolumeText.text(factor), factor == 0 ? .yellow : nil)
  }

  private var mute: Line {
    guard status.isMuted else { return ("mute", "no", nil) }
    let end = status.text("muted_until").map { "until \(Table.localTime($0, now: now))" } ?? "yes"
    return ("mute", "\(end): nothing is heard ('soundd unmute' ends it)", .yellow)
  }

  private var lastPlay: String {
    guard let last = triggers.max(by: { $0.text("last") ?? "" < $1.text("last") ?? "" }), let at = last.text("last")
    else {
      return "no trigger yet"
    }
    return "\(last.shownName()), \(Table.localTime(at, now: now))"
  }

  // MARK: Triggers

  private func triggerLines(inColour: Bool, width: Int?) -> String {
    let header = ["TRIGGER", "VALUE", "SOUND", "STATE", "PLAYED", "LAST", "CHANGES", "DROPPED", "P50 µs", "P99 µs"]
    let rows = triggers.map { trigger in
      let latency = trigger.object("latency")
      return [trigger.shownName(), trigger.shownName("value"), trigger.shown("sound")] + [
        Self.state(of: trigger, now: now), trigger.shown("played"),
      ]
        + [Table.localTime(trigger.shown("last"), now: now)] + ["changes", "dropped"].map(trigger.shown)
        + ["p50", "p99"].map(latency.shown)
    }
    let lines = Table(rows: [header] + rows, dropping: [9, 8, 6, 7, 2, 1, 4, 5]).lines(width: width)
    let painted = zip(lines.dropFirst(), triggers).flatMap { lines, trigger in
      lines.map { Self.colour(of: trigger).paint($0, if: inColour) }
    }
    return (lines[0] + painted).joined(separator: "\n")
  }

  private static func state(of trigger: JSONObject, now: Timestamp) -> String {
    var words = [trigger.shown("state")]
    if let members = trigger.number("members") {
      if let loudest = trigger.text("loudest"), words != ["ok"] {
        words[0] += " (\(NameEscape.original(String(loudest.memberValue ?? loudest[...]))))"
      }
      words.append("\(members) member\(members == 1 ? "" : "s")")
    }
    if let end = trigger.text("waits_until").flatMap({ Timestamp($0) }) {
      words.append("\(Duration.seconds(max(0, end.seconds - now.seconds)).rounded) left")
    }
    if let queued = trigger.number("queued"), queued > 0 { words.append("\(queued) queued") }
    if trigger.isMuted { words.append("muted") }
    if let volume = trigger.volume, volume != 1 { words.append(VolumeText.level(volume)) }
    return words.joined(separator: ", ")
  }

  private static func colour(of trigger: JSONObject) -> Colour? {
    switch trigger.shown("state") {
    case "broken": .red
    case "sounding", "looping": .green
    case "ok": trigger.isMuted ? .yellow : nil
    default: .yellow
    }
  }

  // MARK: The rest

  private var woken: [Line] {
    guard let count = status.number("woken"), count > 0 else { return [] }
    return [("", "\(count) more began after a silence, because the sink had slept ([output] wake)", nil)]
  }

  private var rest: [Line] {
    let latency = status.object("latency")
    let (realTime, memory) = (status.object("realtime"), status.object("memory"))
    let use = status.object("memory_use")
    func size(_ name: String) -> String { use.number(name).map(SizeText.text) ?? "-" }
    func pair(_ name: String) -> String { "p50 \(latency.shown("\(name)p50")), p99 \(latency.shown("\(name)p99"))" }
    let uptime = status.number("uptime").map { Duration.microseconds($0).rounded } ?? "-"
    return [
      ("latency", "\(pair("")), max \(latency.shown("max")) µs (plays: \(latency.shown("count")))", nil),
      ("", "ours \(pair("ours_")), the device's \(pair("device_")) µs", nil),
    ] + woken + [
      (
        "voices",
        "\(status.shown("voices")); xruns \(status.shown("xruns")), late \(status.shown("late")), "
          + "missed \(status.shown("missed")), missing frames \(status.shown("missing_frames"))", nil
      ),
      (
        "priority",
        "\(realTime.shown("priority")) (\(realTime.shown("policy"))), locked memory "
          + "\(memory.shown("locked_bytes")) of \(memory.shown("wanted_bytes")) bytes", nil
      ),
      (
        "memory",
        "values \(size("content_bytes")), sounds \(size("clip_bytes")), limit \(size("limit_bytes")) (limits.memory)",
        nil
      ),
      (
        "values",
        "\(status.shown("values")), updates refused \(status.shown("refused")), clients \(status.shown("clients"))", nil
      ),
      ("daemon", "soundd \(status.shown("version")), running for \(uptime)", nil),
      ("", status["configuration"] == nil ? "no configuration file" : status.shown("configuration"), nil),
    ]
  }
}

extension JSONObject {
  /// Of a status: the profile that holds now, why if it was not chosen, and until when if that is known.
  func profile(now: Timestamp = .now()) -> String {
    let (name, chosen) = (shown("profile"), shown("profile_chosen"))
    let then = text("profile_then").map { ", then \($0)" } ?? ""
    if self["profile_gate"] != nil { return "\(name) ('\(shownName("profile_gate"))' is true\(then))" }
    if name == chosen, let until = text("profile_until") {
      return "\(name) until \(Table.localTime(until, now: now))\(then)"
    }
    guard let until = text("quiet_until").flatMap({ Timestamp($0) }) else { return name }
    let end = until.localDescription.dropFirst(11).prefix(5)
    return name == chosen
      ? "\(name) (by choice; quiet hours last until \(end))" : "\(name) (quiet hours until \(end), then \(chosen))"
  }
}
