import SoundTrigger

/// Volume, mute and stopping by hand.
extension Daemon {
  /// `volume LEVEL`.
  func setVolume(_ text: String) -> Reply {
    guard let level = VolumeText.factor(text) else {
      return .error("expected \(VolumeText.expected), found \(QuotedText.single(text))")
    }
    guard level <= 1 else { return .error("\(QuotedText.single(text)) is too loud: 0 dB, a factor of 1, is the most") }
    return change { $0.level = level }
  }

  /// `mute` and `unmute`.
  func setMuted(_ isMuted: Bool) -> Reply { change { $0.isMuted = isMuted } }

  /// `stop [TRIGGER]`: calls off what waits for a trigger and fades out what runs, or everything.
  func stopSounds(of trigger: String?) -> Reply {
    let sounds = trigger.map { running.sounds(of: $0) } ?? running.all
    if let trigger, sounds.isEmpty, pipeline.engine.trigger(named: trigger) == nil { return noTrigger(trigger) }
    pipeline.callOff(trigger, at: loop.now)
    // What was played by hand, too, and by triggers as they were before a reload.
    stop(sounds)
    return .ok
  }

  /// Tells the mixer a volume that it was not told while nothing sounded; before a voice begins.
  func settleVolume() {
    guard volume.isPending else { return }
    volume.isPending = !output.control.setMasterGain(Float(volume.gain), fadeFrames: 0)
  }

  private static var busy: Reply { .error("too much is under way to take this; try again") }

  private func change(_ change: (inout MasterVolume) -> Void) -> Reply {
    var next = volume
    change(&next)
    if next == volume { return .ok }
    if output.control.activeCount == 0 {
      next.isPending = true
    } else {
      let frames = output.control.frames(in: MasterVolume.ramp)
      guard output.control.setMasterGain(Float(next.gain), fadeFrames: frames) else { return Self.busy }
      next.isPending = false
      output.wake()
    }
    volume = next
    state?.mayHaveChanged()
    return .ok
  }
}
