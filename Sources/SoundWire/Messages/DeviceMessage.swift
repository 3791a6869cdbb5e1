package import SoundTrigger

/// The device and the format that it agreed to, in `status`.
package struct DeviceMessage: Message, Sendable {
  package var name = ""
  package var state = Word(DeviceState.missing)
  /// When it was found or lost.
  package var since: Timestamp?
  /// Why it cannot be opened, or cannot play.
  package var problem: String?
  /// The number of that error; 0 if it has none.
  package var errno: Int?
  /// What ALSA said about it.
  package var detail: String?
  /// The sample format; `nil` while no device is open.
  package var format: String?
  package var rate = 0
  package var channels: Int?
  package var periodFrames: Int?
  package var bufferFrames: Int?
  /// The sound server behind it.
  package var server: String?
  /// The silence that wakes the sink.
  package var wake = Duration.zero

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    m.required("state", &state)
    m("since", &since)
    m("problem", &problem)
    m("errno", &errno)
    m("detail", &detail)
    m("format", &format)
    m("rate", &rate)
    m("channels", &channels)
    m("period_frames", &periodFrames)
    m("buffer_frames", &bufferFrames)
    m("server", &server)
    m("wake", &wake)
  }
}

/// How the device is.
package enum DeviceState: String, Sendable {
  /// It plays.
  case running
  /// It is open and stands still.
  case idle
  /// It is closed until something plays.
  case closed
  /// It cannot be opened: nothing is heard.
  case missing
  /// There is none (`device = "none"`): sounds are counted by the clock.
  case clock
}
