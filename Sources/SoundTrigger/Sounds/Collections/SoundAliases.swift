/// Other names under which a sound is looked up if no file has its own.
enum SoundAliases {
  /// The names to try, best first, without the name itself.
  ///
  /// First the nearest kind of feedback, then the names of the freedesktop.org Sound Naming Specification. It works in both
  /// directions: `error` finds a theme's `dialog-error`, and `dialog-error` finds the shipped `error`.
  static func names(for sound: String) -> [String] {
    let nearest = nearestKinds[sound]
    return (nearest.map { [$0] } ?? []) + (freedesktop[nearest ?? sound] ?? []) + (shipped[sound] ?? [])
  }

  /// The kinds of feedback without a shipped sound of their own, each with the kind whose sound is nearest.
  static let nearestKinds = [
    "press-button": "press", "press-button-icon-only": "press", "press-slider": "press", "press-tab": "press",
    "press-toggle": "press", "release-slider": "release", "selection-minimum": "selection-off",
    "selection-maximum": "selection-on",
  ]

  /// The freedesktop.org names that mean the same as a shipped sound, best first.
  static let freedesktop = [
    "success": ["complete"], "warning": ["dialog-warning"], "error": ["dialog-error"],
    "message": ["message-new-instant", "message-new-email"], "alarm": ["alarm-clock-elapsed"],
    "start": ["service-login"],
    "stop": ["service-logout"], "selection": ["menu-click"], "selection-on": ["button-toggle-on"],
    "selection-off": ["button-toggle-off"], "press": ["button-pressed"], "release": ["button-released"],
    "level-change": ["audio-volume-change"],
  ]

  /// The same the other way round.
  static let shipped = Dictionary(
    freedesktop.flatMap { shipped, names in names.map { ($0, [shipped]) } },
    uniquingKeysWith: { first, _ in first })
}
