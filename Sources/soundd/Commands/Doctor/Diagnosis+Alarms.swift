import SoundTrigger
import SoundWire

/// The alarms that something silences.
extension Diagnosis {
  /// Those that would sound, then those that are snoozed while they are normal. Those of one cause share a row.
  var alarms: [DoctorRow] {
    let alarms = facts.alarms
    let silent = alarms.filter { $0.life.kind?.sounds ?? false && $0.why != nil }
    let substituted = alarms.compactMap { alarm in
      alarm.problem.map {
        DoctorRow("alarm", .problem, "'\(alarm.name.shownName)' \(Excerpt.escaping($0))", remedy: Self.soundRemedy)
      }
    }
    let snoozed = alarms.filter { $0.life == .normal && $0.isSnoozed }
    // In the daemon's order: the most important ones first.
    var causes: [String] = []
    let groups = Dictionary(grouping: silent) { alarm in
      let cause = "\(alarm.silence?.text ?? "") \(alarm.why ?? "")"
      if !causes.contains(cause) { causes.append(cause) }
      return cause
    }
    let rows = causes.compactMap { groups[$0] }.map(row)
    return Self.abridged(DoctorRow.worstFirst(rows + substituted), "soundd alarms") + normal(snoozed) + wouldRing
  }

  /// The alarms that ring as soon as a daemon runs, while none does.
  private var wouldRing: [DoctorRow] {
    let alarms = (facts.preview?.alarms ?? []).filter { ($0.life.kind?.sounds ?? false) && $0.why == nil }
    let rows = alarms.map { alarm in
      let value = (alarm.value ?? "").shownName
      let reason = alarm.content.map { ": \(value) is \(Excerpt.escaping($0.text))" } ?? ""
      return DoctorRow("alarm", .note, "'\(alarm.name.shownName)' would ring\(reason)", remedy: Self.startRemedy)
    }
    return Self.abridged(rows, Self.startRemedy)
  }

  /// The row for alarms, at least one, that one cause silences.
  private func row(_ alarms: [AlarmMessage]) -> DoctorRow {
    let ages = alarms.compactMap { $0.ageOfSilence(at: facts.now) }
    let isBad = !ages.isEmpty || alarms.contains { $0.importance == PlaySettings.Importance.critical.rawValue }
    let finding =
      if alarms.count == 1 {
        "'\(alarms[0].name.shownName)' \(facts.status == nil ? "would be" : "is") silent: \(Excerpt.escaping(alarms[0].sentence))"
      } else {
        "\(alarms.count) alarms \(facts.status == nil ? "would be" : "are") silent: \(Excerpt.escaping(alarms[0].why ?? "-")): \(Self.names(alarms))"
          + (ages.isEmpty ? "" : " (more than a day old: \(ages.count))")
      }
    return DoctorRow("alarm", isBad ? .problem : .note, finding, remedy: remedy(alarms))
  }

  /// What lets them sound, by what silences them.
  private func remedy(_ alarms: [AlarmMessage]) -> String {
    let first = alarms[0].name
    let name = Excerpt.shellWord(first) + (alarms.count == 1 ? "" : " …")
    let option = alarms.count == 1 ? Self.option(first) : "--trigger NAME"
    return switch alarms[0].silence?.kind {
    case .snoozed: "soundd unsnooze \(name); or soundd ack \(name)"
    case .gate: "find out why the value is still true; or soundd ack \(name)"
    case .profile: profileRemedy
    case .crowded: "[limits] voices in the configuration; or soundd ack \(name)"
    case .broken: Self.soundRemedy
    case .muted: "soundd unmute"
    case .volume: Self.volumeRemedy
    case .triggerMuted: "soundd unmute \(option)"
    case .triggerVolume: "soundd volume \(option) 0dB"
    case .noDevice: deviceRemedy
    case nil: "soundd ack \(name)"
    }
  }

  /// They would begin unheard.
  private func normal(_ alarms: [AlarmMessage]) -> [DoctorRow] {
    guard let first = alarms.first else { return [] }
    let finding =
      alarms.count == 1
      ? "'\(first.name.shownName)' would not sound: \(Excerpt.escaping(first.sentence))"
      : "\(alarms.count) alarms are normal and snoozed: \(Self.names(alarms))"
    let names = alarms.prefix(Self.mostNames).map { Excerpt.shellWord($0.name) }.joined(separator: " ")
    return [
      DoctorRow("alarm", .note, finding, remedy: "soundd unsnooze \(names)\(alarms.count > Self.mostNames ? " …" : "")")
    ]
  }

  private static let mostNames = 3

  private static func names(_ alarms: [AlarmMessage]) -> String {
    Excerpt.listing(alarms.map(\.name.shownName), atMost: mostNames)
  }
}
