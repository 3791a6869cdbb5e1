import SoundTrigger

/// Something that has happened, as those who follow events are told of it.
enum EventReport: Equatable {
  /// A value changed. `old` is `nil` if this is its first content, which is an appearance and no change.
  case change(name: String, old: Value?, new: Value)
  case play(Play)
  case stop(Stop)

  /// A trigger decided to play a sound, or somebody played one by hand.
  struct Play: Equatable {
    /// `nil`: by hand.
    var trigger: String?
    var sound: String
    /// The change that it is played for, the contents perhaps cut; `nil`: none, it is played by hand.
    var cause: Cause?
    /// What became of it, in a word of `explain`: `played`, `muted`, or why there was no sound.
    var verdict: String
  }

  struct Cause: Equatable {
    var value: String
    var old: Value
    var new: Value
  }

  /// A sound that was begun is over.
  struct Stop: Equatable {
    /// `nil`: it was played by hand.
    var trigger: String?
    var sound: String
    var reason: Reason
  }

  /// Why a sound is over; words that never change.
  enum Reason: String {
    /// It came to its end.
    case ended
    /// It was faded out, by its trigger or by hand.
    case stopped
    /// It had to give way to others.
    case stolen
    /// There was no voice for it: nothing of it was heard.
    case crowded
    /// No device took it in time: nothing of it was heard.
    case noDevice = "no_device"
  }

  /// Writes it as a JSON object without its end of the line; `time` is its RFC 3339.
  func write(to writer: inout ReportWriter, at time: [UInt8]) {
    writer.object { writer in
      switch self {
      case .change(let name, let old, let new):
        writer.event("change") { $0.member("at") { $0.string(time) } }
        writer.member("name", name)
        writer.member("old", old)
        writer.member("new", new)
      case .play(let play):
        writer.event("play") { $0.member("at") { $0.string(time) } }
        writer.sound(play.sound, of: play.trigger)
        writer.member("value", play.cause?.value)
        writer.member("old", play.cause.map { ExplainReport.whole($0.old) })
        writer.member("new", play.cause.map { ExplainReport.whole($0.new) })
        writer.member("verdict", play.verdict)
      case .stop(let stop):
        writer.event("stop") { $0.member("at") { $0.string(time) } }
        writer.sound(stop.sound, of: stop.trigger)
        writer.member("reason", stop.reason.rawValue)
      }
    }
  }
}

/// What the events of the socket and those of `render` have in common.
extension ReportWriter {
  /// What happened, and when.
  mutating func event(_ word: String, _ time: (inout ReportWriter) -> Void) {
    member("event", word)
    time(&self)
  }

  /// Which sound, if it is known, and for which trigger.
  mutating func sound(_ sound: String?, of trigger: String?) {
    member("trigger", trigger)
    if let sound { member("sound", sound) }
  }
}
