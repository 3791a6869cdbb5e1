/// What a `Player` plays on: a mixer, and something that takes what it renders.
///
/// There are three: a device with the clock as its stand-in, the clock alone (`device = "none"`), and a WAV file. Confined
/// to one thread.
package protocol AudioOutput: AnyObject {
  /// Takes the commands, such as starting a voice.
  var control: MixerControl { get }

  /// Whether a device takes what begins now. The file counts as a device, and so does the clock if it is the wanted output.
  var isReady: Bool { get }

  /// Whether it plays on a device, which somebody keeps open and watches.
  var wantsDevice: Bool { get }

  /// How long what plays behind the device takes to wake up; the beginning of a sound is not heard before.
  var wakeTime: Duration { get }

  /// Whether every voice has ended and been collected, and the device has played all of it.
  var isSilent: Bool { get }

  /// Makes sure that the mixer applies the commands: call it after one or more of them.
  func wake()

  /// Hands over what the mixer reports, in the order in which it happened; returns why the device was given up, if it was.
  func collect(_ receive: (VoiceReport) -> Void) -> OutputError?
}

extension AudioOutput {
  package var wantsDevice: Bool { false }
  package var wakeTime: Duration { .zero }
}
