import SoundTrigger
import SoundWire

/// The daemon's status for people: first what decides whether something is heard, then the triggers, then the rest.
struct StatusTable {
  private let status: StatusMessage
  private let now: Timestamp

  /// A line of the parts around the triggers' table.
  private typealias Line = (label: String, text: String, colour: Colour?)

  /// The text for what the daemon answered to `status`. `width`: see `Table`.
  static func text(
    _ status: StatusMessage, inColour: Bool = false, width: Int? = nil, now: Timestamp = .now()
  ) -> String {
    let table = StatusTable(status: status, now: now)
    var parts = [Self.text(table.beginning, inColour: inColour, width: width)]
    if !status.triggers.isEmpty { parts.append(table.triggerLines(inColour: inColour, width: width)) }
    parts.append(Self.text(table.rest, inColour: inColour, width: width))
    return parts.joined(separator: "\n\n")
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
    var lines = alarms + [device, volume, mute, ("profile", status.profile.text(now: now), nil)]
    let broken = status.triggers.compactMap { trigger in
      trigger.problem.map { Line("broken", "\(trigger.name.shownName): \(Excerpt.escaping($0))", .red) }
    }
    lines += broken.isEmpty ? [("broken", "nothing", nil)] : broken
    lines += status.warnings.map { ("warning", $0.message, .yellow) }
    return lines + refusals + [("played", lastPlay, nil)]
  }

  private static let mostRefusals = 10

  /// The values and feeds that have refused something.
  private var refusals: [Line] {
    let values = status.refusals.compactMap { value in
      value.refusals.sentence(now: now).map { "\(value.name.shownName): updates \($0)" }
    }
    let feeds = status.feeds.compactMap { feed in
      feed.refusals.sentence(now: now).map { "feed '\(Excerpt.escaping(feed.name))': lines \($0)" }
    }
    let all = feeds + values
    let lines = all.prefix(Self.mostRefusals).map { Line("refused", $0, .yellow) }
    return all.count == lines.count ? lines : lines + [("", "more: soundd list", .yellow)]
  }

  private static let mostAlarms = 10

  /// The most important ones, so that what follows stays on the screen.
  private var alarms: [Line] {
    let alarms = status.alarms
    let lines = alarms.prefix(Self.mostAlarms).map { alarm -> Line in
      ("alarm", "\(alarm.name.shownName): \(Excerpt.escaping(alarm.sentence))", alarm.colour)
    }
    let rest = alarms.count - lines.count
    return rest == 0 ? lines : lines + [("", "and \(rest) more: soundd alarms", .yellow)]
  }

  private var device: Line {
    let device = status.device
    let name = Excerpt.escaping(device.name)
    switch device.state.kind {
    case .missing:
      let reason = device.problem.map { ": \(Excerpt.escaping($0))" } ?? ""
      return ("device", "\(name), missing: nothing is heard ('soundd doctor' says why)\(reason)", .red)
    case .clock: return ("device", "none: sounds are counted, and nothing is heard", .yellow)
    case .closed: return ("device", "\(name), closed until something plays", nil)
    case .running, .idle, nil:
      return ("device", "\(name), \(Excerpt.escaping(device.state.text)): \(device.stream)", nil)
    }
  }

  private var volume: Line {
    let factor = status.level.volume
    return ("volume", VolumeText.text(factor), factor == 0 ? .yellow : nil)
  }

  private var mute: Line {
    guard status.level.isMuted else { return ("mute", "no", nil) }
    let end = status.level.mutedUntil.map { "until \($0.localTime(at: now))" } ?? "yes"
    return ("mute", "\(end): nothing is heard ('soundd unmute' ends it)", .yellow)
  }

  private var lastPlay: String {
    let plays = status.triggers.compactMap { trigger in trigger.last.map { (trigger: trigger, at: $0) } }
    guard let last = plays.max(by: { $0.at < $1.at }) else { return "no trigger yet" }
    return "\(last.trigger.name.shownName), \(last.at.localTime(at: now))"
  }

  // MARK: Triggers

  private func triggerLines(inColour: Bool, width: Int?) -> String {
    let header = ["TRIGGER", "VALUE", "SOUND", "STATE", "PLAYED", "LAST", "CHANGES", "DROPPED", "P50 µs", "P99 µs"]
    let rows = status.triggers.map { trigger in
      [trigger.name.shownName, trigger.value.shownName, trigger.sound, state(of: trigger), "\(trigger.played)"]
        + [trigger.last?.localTime(at: now) ?? "-", "\(trigger.changes)", "\(trigger.dropped)"]
        + [trigger.latency.p50, trigger.latency.p99].map(Self.microseconds)
    }
    let lines = Table(rows: [header] + rows, dropping: [9, 8, 6, 7, 2, 1, 4, 5]).lines(width: width)
    let painted = zip(lines.dropFirst(), status.triggers).flatMap { lines, trigger in
      lines.map { Self.colour(of: trigger).paint($0, if: inColour) }
    }
    return (lines[0] + painted).joined(separator: "\n")
  }

  private func state(of trigger: TriggerMessage) -> String {
    var words = [Excerpt.escaping(trigger.state.text)]
    if let count = trigger.memberCount {
      if let loudest = trigger.loudest ?? nil, trigger.state != .ok {
        words[0] += " (\(NameEscape.original(String(loudest.memberValue ?? loudest[...]))))"
      }
      words.append("\(count) member\(count == 1 ? "" : "s")")
    }
    if let end = trigger.waitsUntil {
      words.append("\(Duration.seconds(max(0, end.seconds - now.seconds)).rounded) left")
    }
    if trigger.queued > 0 { words.append("\(trigger.queued) queued") }
    if trigger.level.isMuted { words.append("muted") }
    if trigger.level.volume != 1 { words.append(VolumeText.level(trigger.level.volume)) }
    return words.joined(separator: ", ")
  }

  private static func colour(of trigger: TriggerMessage) -> Colour? {
    switch trigger.state.kind {
    case .broken: .red
    case .sounding, .looping: .green
    case .ok: trigger.level.isMuted ? .yellow : nil
    case .waiting, nil: .yellow
    }
  }

  // MARK: The rest

  private var woken: [Line] {
    if status.woken == 0 { return [] }
    return [("", "\(status.woken) more began after a silence, because the sink had slept ([output] wake)", nil)]
  }

  private var rest: [Line] {
    let latency = status.latency
    func pair(_ p50: Duration?, _ p99: Duration?) -> String {
      "p50 \(Self.microseconds(p50)), p99 \(Self.microseconds(p99))"
    }
    let priority = status.realTime.map { "\($0.priority) (\(Excerpt.escaping($0.policy)))" } ?? "-"
    let (locked, wanted) = (status.memory.map { "\($0.locked)" } ?? "-", status.memory.map { "\($0.wanted)" } ?? "-")
    let use = status.memoryUse
    return [
      (
        "latency",
        "\(pair(latency.p50, latency.p99)), max \(Self.microseconds(latency.max)) µs (plays: \(latency.count))", nil
      ),
      (
        "",
        "ours \(pair(latency.oursP50, latency.oursP99)), the device's \(pair(latency.deviceP50, latency.deviceP99)) µs",
        nil
      ),
    ] + woken + [
      (
        "voices",
        "\(status.voices); xruns \(status.xruns), late \(status.late), missed \(status.missed), "
          + "missing frames \(status.missingFrames)", nil
      ),
      ("priority", "\(priority), locked memory \(locked) of \(wanted) bytes", nil),
      (
        "memory",
        "values \(SizeText.text(use.contents)), sounds \(SizeText.text(use.clips)), "
          + "limit \(SizeText.text(use.limit)) (limits.memory)", nil
      ),
      ("values", "\(status.values), updates refused \(status.refused), clients \(status.clients)", nil),
      (
        "daemon",
        "soundd \(status.version.map { Excerpt.escaping($0) } ?? "-"), running for \(status.uptime.rounded)", nil
      ),
      ("", status.configuration.map { Excerpt.escaping($0) } ?? "no configuration file", nil),
    ]
  }

  private static func microseconds(_ duration: Duration?) -> String {
    duration.map { "\($0.nanoseconds / 1000)" } ?? "-"
  }
}

extension DeviceMessage {
  /// The format for people.
  var stream: String {
    "\(format.map { Excerpt.escaping($0) } ?? "-"), \(rate) Hz, \(channels.map(String.init) ?? "-") channels, "
      + "buffer \(bufferFrames.map(String.init) ?? "-")"
  }
}
