/// The sounds that cannot be played now, and what alarms play instead.
package struct MissingSounds: Equatable, Sendable {
  /// The sounds that are not loaded.
  package var broken: Set<String> = []
  /// Those of them whose last good clip is still in memory. Only alarms play it.
  package var kept: Set<String> = []
  /// The sounds for which a theme or a pack wants silence.
  package var disabled: Set<String> = []
  /// What alarms play if none of their own sounds can be played; `nil` if that is not loaded either.
  package var substitute: String?

  package init(broken: Set<String> = []) { self.broken = broken }

  var isEmpty: Bool { broken.isEmpty && disabled.isEmpty }

  /// Whether an alarm can play a sound. A theme may silence it, unless it `isCritical`.
  func alarmCanPlay(_ sound: String, isCritical: Bool) -> Bool {
    if broken.contains(sound) { return kept.contains(sound) }
    return !isCritical || !disabled.contains(sound)
  }
}

/// What an alarm plays because its own sound cannot be played.
package struct AlarmSubstitute: Equatable, Sendable {
  package var missing: String
  /// The same name: its last good clip.
  package var sound: String
}

extension SoundChoice.Selection {
  var names: [String] {
    switch self {
    case .sound(let name): [name]
    case .next(let names), .any(let names): names
    }
  }

  /// Chooses among these of its names.
  func only(_ names: [String]) -> Self {
    switch self {
    case .sound: self
    case .next: .next(names)
    case .any: .any(names)
    }
  }
}
