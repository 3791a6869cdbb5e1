import SoundTrigger
import SoundWire

/// How loud everything or a trigger is, and which profile holds, for people.
extension LevelMembers {
  /// Whether the volume is too low to be heard.
  var isInaudible: Bool { !PlayLevel.isAudible(volume) }

  /// Whether it is muted, and until when.
  func mute(now: Timestamp = .now()) -> String {
    if !isMuted { return "not muted" }
    return "muted" + (mutedUntil.map { " until \($0.localTime(at: now))" } ?? "")
  }
}

extension ProfileMembers {
  /// The profile that holds now, why if it was not chosen, and until when if that is known.
  func text(now: Timestamp = .now()) -> String {
    let (name, chosen) = (Excerpt.escaping(profile.text), Excerpt.escaping(chosen.text))
    let then = then.map { ", then \(Excerpt.escaping($0.text))" } ?? ""
    if let gate { return "\(name) ('\(gate.shownName)' is true\(then))" }
    if name == chosen, let until { return "\(name) until \(until.localTime(at: now))\(then)" }
    guard let quietUntil else { return name }
    let end = quietUntil.localDescription.dropFirst(11).prefix(5)
    return name == chosen
      ? "\(name) (by choice; quiet hours last until \(end))" : "\(name) (quiet hours until \(end), then \(chosen))"
  }
}

extension String {
  /// The name of a value or a trigger for a terminal, without the escapes of a feed's names.
  var shownName: String { Excerpt.escaping(NameEscape.original(self)) }
}
