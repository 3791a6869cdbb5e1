import TestSupport

@testable import SoundTrigger

/// A device that the test plays itself, loses and finds again. The rate is 1000, so a frame lasts a millisecond.
final class DrivenOutput: AudioOutput {
  enum Device {
    /// It takes what begins.
    case ready
    /// It is being opened: commands wait, and nothing moves.
    case opening
    /// It is gone: the clock plays, and nothing is heard.
    case missing
  }

  let control: MixerControl
  let wantsDevice = true
  private var mixer: Mixer
  private(set) var device = Device.ready
  /// The clips that were ever loaded, by their first frames. Kept, so that no two have the same place.
  private var names: [UnsafePointer<Float>: (name: String, clip: Clip)] = [:]

  init(voices: Int) {
    control = MixerControl(voiceLimit: voices, rate: 1000)
    mixer = control.makeMixer()
  }

  var isReady: Bool { device == .ready }
  var isSilent: Bool { control.activeCount == 0 }
  func wake() {}

  func collect(_ receive: (VoiceReport) -> Void) -> OutputError? {
    control.collect(receive)
    mixer.hasReports = false
    return nil
  }

  /// Makes a clip by whose frames its voices are known.
  func clip(_ name: String, frames: Int) -> Clip {
    let clip = Clip(stereo: [Float](repeating: 0.1, count: 2 * frames), rate: 1000)
    names[clip.frames] = (name, clip)
    return clip
  }

  /// Lets time pass, and then applies the commands. Returns whether there are reports.
  func pass(frames: Int) -> Bool {
    if device == .opening { return false }
    mixer.pass(frames: frames)
    if isReady { mixer.reportStarts(at: 0, delay: 0) } else { mixer.reportUnheard() }
    return mixer.hasReports
  }

  /// The device changes. A device that comes after the clock does what the audio thread then does.
  func change(to next: Device) {
    if device == .missing, next == .ready {
      mixer.riseFromSilence()
      mixer.reportUnheard()
    }
    device = next
  }

  /// The audio thread hangs in its device, and another one takes its place.
  func abandon() {
    let successor = control.makeSuccessor()
    control.replaceMixer(successor.queues)
    mixer = successor
    device = .missing
  }

  /// The sounds of the voices that nothing has told to end.
  var voices: [String] {
    (0..<mixer.state.count).map { mixer.voices[$0] }.filter { !$0.isStopping() }.map { names[$0.source]?.name ?? "" }
  }

  /// The sounds of the voices that were stolen and have not faded yet, which takes 5 ms.
  var stolen: [String] {
    (0..<mixer.state.count).map { mixer.voices[$0] }.filter(\.isStolen).map { names[$0.source]?.name ?? "" }
  }
}
