/// A play from the decision to its end; then the object stands for another one.
final class RunningPlay {
  private(set) var play: Play
  /// `nil` after the end.
  var clip: Clip?
  /// Those of the play, unless a reload has changed them.
  var settings = PlaySettings()
  var loops = false
  /// When its cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  private(set) var arrival: Int64 = 0
  /// `nil` while the mixer has no room for it.
  var voice: VoiceID?
  var isStopped = false
  var isHeard = false

  init(_ play: Play) { self.play = play }

  /// Stands for this play from now on; the one before has ended.
  func begin(_ play: Play, _ clip: Clip, arrival: Int64) {
    self.play = play
    self.clip = clip
    settings = play.settings
    loops = play.loops
    self.arrival = arrival
    voice = nil
    isStopped = false
    isHeard = false
  }

  var importance: UInt8 { settings.importance.rank }

  /// When it is refused unless a device takes it before; `nil`: never.
  var deadline: Instant? { isHeard || isStopped ? nil : play.fresh.map(play.at.advanced) }
}

/// The commands for a voice that the mixer had no room for.
struct UnsentCommands {
  var settings: PlaySettings?
  var endsLoop = false
  /// The length of the fade.
  var stopFrames: Int?

  /// Returns false, and keeps the rest, if the mixer has no room for all of it.
  mutating func send(to voice: VoiceID, of control: MixerControl) -> Bool {
    if let frames = stopFrames { return control.stop(voice, fadeFrames: frames) }
    if let new = settings {
      guard
        control.setGain(
          voice, gain: Float(new.volume), pan: Float(new.pan), importance: new.importance.rank,
          fadeFrames: control.frames(in: Player.volumeRamp))
      else { return false }
      settings = nil
    }
    if endsLoop, !control.endLoop(voice) { return false }
    return true
  }
}

extension PlaySettings {
  /// The same, at a level that is this factor of its own.
  func scaled(by gain: Double) -> PlaySettings {
    var settings = self
    settings.volume *= gain
    return settings
  }
}
