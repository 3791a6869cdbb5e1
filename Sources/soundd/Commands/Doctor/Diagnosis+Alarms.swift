import SoundTrigger

/// The alarms that something silences.
extension Diagnosis {
  /// Those that would sound, then those that are snoozed while they are normal. Those of one cause share a row.
  var alarms: [DoctorRow] {
    let alarms = facts.status.flatMap { try? JSONObject.array(reply: $0["alarms"]) } ?? []
    let silent = alarms.filter { ["active", "latched"].contains($0.text("life")) && $0["why"] != nil }
    let substituted = alarms.filter { $0["problem"] != nil }.map { alarm in
      DoctorRow(
        "alarm", .problem, "'\(alarm.shown("name"))' \(alarm.shown("problem"))", remedy: Self.soundRemedy)
    }
    let snoozed = alarms.filter { $0.text("life") == "normal" && AlarmTable.isSnoozed($0) }
    // In the daemon's order: the most important ones first.
    var causes: [String] = []
    let groups = Dictionary(grouping: silent) { alarm in
      let cause = "\(alarm.shown("silence")) \(alarm.shown("why"))"
      if !causes.contains(cause) { causes.append(cause) }
      return cause
    }
    let rows = causes.compactMap { groups[$0] }.map(row)
    return Self.abridged(DoctorRow.worstFirst(rows + substituted), "soundd alarms") + normal(snoozed)
  }

  /// The row for alarms, at least one, that one cause silences.
  private func row(_ alarms: [JSONObject]) -> DoctorRow {
    let ages = alarms.compactMap { AlarmTable.age(ofSilent: $0, now: facts.now) }
    let isBad = !ages.isEmpty || alarms.contains { $0.text("importance") == "critical" }
    let finding =
      if alarms.count == 1 {
        "'\(alarms[0].shownName())' is silent: \(AlarmTable.sentence(alarms[0], now: facts.now))"
      } else {
        "\(alarms.count) alarms are silent: \(alarms[0].shown("why")): \(Self.names(alarms))"
          + (ages.isEmpty ? "" : " (more than a day old: \(ages.count))")
      }
    return DoctorRow("alarm", isBad ? .problem : .note, finding, remedy: remedy(alarms))
  }

  /// What lets them sound, by what silences them.
  private func remedy(_ alarms: [JSONObject]) -> String {
    let first = alarms[0].text("name") ?? ""
    let name = Excerpt.shellWord(first) + (alarms.count == 1 ? "" : " …")
    let option = alarms.count == 1 ? Self.option(first) : "--trigger NAME"
    return switch alarms[0].text("silence") {
    case "snoozed": "soundd unsnooze \(name); or soundd ack \(name)"
    case "gate": "find out why the value is still true; or soundd ack \(name)"
    case "profile": profileRemedy
    case "crowded": "[limits] voices in the configuration; or soundd ack \(name)"
    case "broken": Self.soundRemedy
    case "muted": "soundd unmute"
    case "volume": Self.volumeRemedy
    case "trigger_muted": "soundd unmute \(option)"
    case "trigger_volume": "soundd volume \(option) 0dB"
    case "no_device": deviceRemedy
    default: "soundd ack \(name)"
    }
  }

  /// They would begin unheard.
  private func normal(_ alarms: [JSONObject]) -> [DoctorRow] {
    guard let first = alarms.first else { return [] }
    let finding =
      alarms.count == 1
      ? "'\(first.shownName())' would not sound: \(AlarmTable.sentence(first, now: facts.now))"
      : "\(alarms.count) alarms are normal and snoozed: \(Self.names(alarms))"
    let names = alarms.prefix(Self.mostNames).map { Excerpt.shellWord($0.text("name") ?? "") }.joined(separator: " ")
    return [
      DoctorRow("alarm", .note, finding, remedy: "soundd unsnooze \(names)\(alarms.count > Self.mostNames ? " …" : "")")
    ]
  }

  private static let mostNames = 3

  private static func names(_ alarms: [JSONObject]) -> String {
    Excerpt.listing(alarms.map { $0.shownName() }, atMost: mostNames)
  }
}
