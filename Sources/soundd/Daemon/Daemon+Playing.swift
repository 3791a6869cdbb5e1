import Logging
import SoundTrigger

/// From what triggers decide to what is heard, and back.
extension Daemon {
  /// Does what a trigger has decided on, and says what became of it.
  func perform(_ action: TriggerAction) -> Verdict {
    // Not from the engine, which is in the middle of its decision.
    func definition(_ trigger: TriggerID) -> TriggerDefinition { configuration.triggers[trigger.index].definition }
    switch action {
    case .stop(let trigger, _):
      let sounds = running.sounds(of: definition(trigger).name)
      if isFinishing { finish(sounds) } else { stop(sounds) }
      return .played
    case .play(let trigger, let sound, let settings, let loops, let at):
      let definition = definition(trigger)
      let verdict = play(sound, settings, loops: loops, for: definition)
      note(sound, verdict, at: at, of: definition)
      return verdict
    }
  }

  /// Starts a trigger's sound, if nothing stands in the way.
  private func play(
    _ sound: SoundID, _ settings: PlaySettings, loops: Bool, for definition: TriggerDefinition
  ) -> Verdict {
    guard let clip = shelf[sound] else { return .broken }
    let name = definition.name
    if let voice = play(clip, shelf.name(of: sound), settings, loops: loops, trigger: name) {
      // What lasts is heard whenever the device comes back.
      if definition.loop == nil, !isDeviceReady { unheard.add(voice, until: loop.now.advanced(by: definition.fresh)) }
      return volume.isMuted ? .muted : .played
    }
    leftOut += 1
    if definition.loop != nil { hasLoopWithoutRoom = true }
    if mayComplainOfCrowd() {
      log.warning("trigger '\(name)': too many sounds at once; \(leftOut) left out so far")
    }
    return .crowded
  }

  /// Whether it is time to say that sounds are left out: once a second at most, since it happens in storms.
  private func mayComplainOfCrowd() -> Bool {
    if let lastCrowd, lastCrowd.duration(to: loop.now) < .seconds(1) { return false }
    lastCrowd = loop.now
    return true
  }

  /// Says that the mixer left sounds out since all of its voices play something more important.
  private func noteRefused() {
    let refused = output.control.statistics.refused
    if refused == refusedBefore || !mayComplainOfCrowd() { return }
    log.warning(
      "all \(output.control.voiceLimit) voices play something more important: \(refused - refusedBefore) sounds left out"
    )
    refusedBefore = refused
  }

  /// Starts a clip, for a trigger or by hand; returns `nil` if too much is under way.
  func play(
    _ clip: Clip, _ name: String, _ settings: PlaySettings = PlaySettings(), loops: Bool = false, trigger: String? = nil
  ) -> VoiceID? {
    device?.willPlay()
    settleVolume()
    guard let voice = output.control.start(clip, settings, loops: loops, arrival: arrival.nanoseconds) else {
      return nil
    }
    output.wake()
    running.add(voice, name, trigger: trigger, fadeFrames: output.control.frames(in: settings.fadeOut))
    return voice
  }

  /// Fades sounds out; what the mixer has no room for is told to it later.
  func stop(_ sounds: [RunningSounds.Sound]) {
    for sound in sounds {
      running.noteStop(sound.voice)
      if !output.control.stop(sound.voice, fadeFrames: sound.fadeFrames) { unstopped.append(sound) }
    }
    if !sounds.isEmpty { output.wake() }
  }

  /// Lets sounds that loop come to their end; what the mixer has no room for is faded out.
  private func finish(_ sounds: [RunningSounds.Sound]) {
    stop(sounds.filter { !output.control.endLoop($0.voice) })
    if !sounds.isEmpty { output.wake() }
  }

  /// Whether what begins now is heard, or nobody wants to hear it.
  private var isDeviceReady: Bool { output.device != nil || configuration.output.device == OutputSettings.noDevice }

  /// Ends what could not be heard in time.
  func dropUnheard() {
    for voice in unheard.take(until: loop.now) {
      guard !isDeviceReady, let sound = running.remove(voice) else { continue }
      stop([sound])
      tellEnd(of: sound, .noDevice)
      ended(sound, unheard: .noDevice)
    }
  }

  func collect() {
    watchPriority()
    var ended: [VoiceID] = []
    var refused: Set<VoiceID> = []
    var cut: Set<VoiceID> = []
    let error = output.collect {
      ended.append($0)
    } refused: {
      refused.insert($0)
    } cut: {
      cut.insert($0)
    } heard: { voice, ours, its in
      unheard.remove(voice)
      guard let trigger = running.trigger(of: voice) else { return }
      latencies[trigger, default: LatencyRecord()].record(ours: ours, device: its)
    }
    noteRefused()
    device?.collected(error)
    for voice in ended {
      guard let sound = running.remove(voice) else { continue }
      let wasUnheard = unheard.remove(voice) && !isDeviceReady
      let reason: EventReport.Reason =
        if refused.contains(voice) { .crowded } else if wasUnheard { .noDevice } else if !cut.contains(voice) {
          .ended
        } else { sound.isStopped ? .stopped : .stolen }
      tellEnd(of: sound, reason)
      self.ended(sound, unheard: reason == .crowded ? .crowded : reason == .noDevice ? .noDevice : nil)
    }
    if hasLoopWithoutRoom, !ended.isEmpty {
      hasLoopWithoutRoom = false
      pipeline.retryLoops(at: loop.now)
    }
  }

  /// Tells the trigger, if it waits for the end, and why nobody heard it, if nobody did.
  private func ended(_ sound: RunningSounds.Sound, unheard: Verdict?) {
    guard let trigger = sound.trigger, sound.isAwaited else { return }
    if let unheard { pipeline.noteUnheard(trigger, unheard, at: loop.now) }
    pipeline.soundEnded(of: trigger, at: loop.now)
  }
}
