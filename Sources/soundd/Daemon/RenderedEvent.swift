import SoundTrigger

/// Something that is heard on a virtual clock, or ends before its end.
struct RenderedEvent: Equatable {
  enum Kind: String {
    /// A sound begins.
    case play
    /// A sound is ended, by its trigger or for more important ones.
    case stop
    /// There is no voice left for a sound.
    case drop
  }

  var time: Instant
  var kind: Kind
  var trigger: String
  /// Which sound begins or does not.
  var sound: String?

  /// For people: `2.5 build plays error`.
  var text: String {
    let verb =
      switch kind {
      case .play: "plays"
      case .stop: "stops"
      case .drop: "has no voice left for"
      }
    return "\(seconds) \(trigger) \(verb)" + (sound.map { " \($0)" } ?? "")
  }

  /// A JSON object and a newline.
  var json: [UInt8] {
    var writer = ReportWriter()
    writer.object { writer in
      writer.event(kind.rawValue) { $0.member("time") { $0.raw(seconds.utf8) } }
      writer.sound(sound, of: trigger)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Since the beginning, exact to the nanosecond and without zeros at the end.
  private var seconds: String {
    let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(whole)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: 9 - digits.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }
}
