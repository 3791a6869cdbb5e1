import SoundTrigger
import SoundWire

/// An event for people, in a line.
enum EventLine {
  /// A line for what the daemon said after `events`; as it is, if it is no event that this soundd knows.
  static func text(_ line: [UInt8], inColour: Bool, now: Timestamp) -> String {
    guard let event = try? Event(line), let (text, colour) = describe(event, now) else {
      return Excerpt.escaping(String(decoding: line, as: UTF8.self))
    }
    let decided = if case .verdict(let verdict) = event.content { verdict.decidedAt } else { nil as Timestamp? }
    let time = (decided ?? event.at).map { "\($0.localTime(at: now, toMillisecond: true))  " } ?? ""
    return colour.paint(time + text, if: inColour)
  }

  private static func describe(_ event: Event, _ now: Timestamp) -> (String, Colour?)? {
    switch event.content {
    case .change(let change): ("\(change.name.shownName): \(Table.change(change.old, change.new))", nil)
    case .verdict(let verdict):
      ("\(verdict.trigger.shownName): \(verdict.text)", Colour.of(verdict.judged.verdict) ?? .dim)
    case .play(let play): describe(play)
    case .stop(let stop):
      (
        "\(subject(stop.trigger)): \(Excerpt.escaping(stop.sound)) is over (\(Excerpt.escaping(stop.reason.text))"
          + (stop.cause.by.map { ": \(Excerpt.escaping($0))" } ?? "")
          + (stop.cause.value.map { " \($0.shownName)" } ?? "") + ")", .dim
      )
    case .settings(let settings):
      (
        "volume \(VolumeText.level(settings.level.volume)), \(settings.level.mute()), "
          + "profile \(settings.profile.text(now: now))"
          + (settings.device == .missing ? ", the device is missing" : ""), nil
      )
    case .value(let value):
      ("\(value.name.shownName) = \(value.value.map { Table.content($0.text) } ?? "(none yet)")", nil)
    case .trigger(let trigger):
      (
        "trigger \(trigger.name.shownName): \(Excerpt.escaping(trigger.state.text))"
          + (trigger.problem.map { ": \(Excerpt.escaping($0))" } ?? ""), trigger.state == .broken ? .red : nil
      )
    case .alarm(let alarm): ("alarm \(alarm.name.shownName): \(Excerpt.escaping(alarm.sentence))", alarm.colour)
    case .unset(let unset): ("\(unset.name.shownName) is forgotten", .dim)
    case .ready: ("-- this is the state; what follows happens now --", .dim)
    case .unknown: nil
    }
  }

  private static func describe(_ play: PlayMessage) -> (String, Colour?) {
    let sound = "\(subject(play.trigger)): \(Excerpt.escaping(play.sound))"
    return switch play.verdict.kind {
    case .played: ("\(sound) plays", .green)
    case .muted: ("\(sound) plays unheard (muted)", .yellow)
    default: ("\(sound) does not play (\(Excerpt.escaping(play.verdict.text)))", .red)
    }
  }

  private static func subject(_ trigger: String?) -> String { trigger?.shownName ?? "by hand" }
}

extension JudgedMembers {
  /// The verdict for people: `outside: 20 is not above 90`. `sound`: what a device accepted or refused.
  func text(sound: String? = nil) -> String {
    let sound = sound.map { " '\(Excerpt.escaping($0))'" } ?? ""
    return Excerpt.escaping(verdict.text) + sound + (shortReason.isEmpty ? "" : ": \(shortReason)")
  }

  /// The reason, without what the word says already.
  var shortReason: String {
    let (word, reason) = (Excerpt.escaping(verdict.text), Excerpt.escaping(reason))
    return reason == word ? "" : reason.hasPrefix("\(word): ") ? String(reason.dropFirst(word.count + 2)) : reason
  }
}

extension VerdictEvent {
  var text: String { judged.text(sound: sound) }
}

extension Colour {
  /// Green: heard. Yellow: not decided yet. Red: it should have been heard. `nil`: it was not meant to be heard.
  static func of(_ verdict: Word<VerdictWord>) -> Colour? {
    switch verdict.kind?.meaning {
    case .heard: .green
    case .open: .yellow
    case .failed: .red
    case .silent, nil: nil
    }
  }
}
