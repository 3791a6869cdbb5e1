import CMixer
import Synchronization

/// Applies commands to voices, and steals a voice if none is free.
extension Mixer {
  /// Applies all commands that wait.
  @_noLocks mutating func applyCommands() {
    advancePendingFrames()
    var slot = queues.commands.slotToRead()
    while slot >= 0 {
      let command = queues.commandSlots + slot
      switch command.pointee.kind {
      case .start: start(command)
      case .endLoop: endLoop(command.pointee.voice)
      case .stop: stop(command.pointee.voice, frames: command.pointee.frames)
      case .stopAll: stopAll(frames: command.pointee.frames)
      case .setGain: setGain(command)
      case .setMasterGain:
        state.master.ramp(to: command.pointee.gain.left, frames: hasRenderedVoices() ? command.pointee.frames : 0)
      }
      queues.commands.release()
      slot = queues.commands.slotToRead()
    }
  }

  // MARK: Starts

  @_noLocks private mutating func start(_ command: UnsafeMutablePointer<MixerCommand>) {
    guard let source = command.pointee.source else { return }
    if state.count &- state.stolen >= voiceLimit && !steal(for: command) {
      queues.counters.refused.add(1, ordering: .relaxed)
      report(.refused(command.pointee.voice))
      return
    }
    if state.count >= capacity { endLeastHeardFade() }
    voices[state.count] = Voice(command, source: source, order: state.nextOrder)
    state.count &+= 1
    state.nextOrder &+= 1
    noteStart(command.pointee.voice, arrival: command.pointee.arrival)
  }

  /// Steals the least important voice: it fades out quickly, or ends at once if none of its frames was rendered.
  ///
  /// Returns false if all voices are more important than the new sound. With `sparesEquals` also if they are equally
  /// important and none of them fades out.
  @_noLocks private mutating func steal(for command: UnsafeMutablePointer<MixerCommand>) -> Bool {
    var victim = -1
    var loudness: Float = 0
    var index = 0
    while index < state.count {
      let voice = voices + index
      if !voice.pointee.isStolen {
        // Loudness decides only between voices that fade.
        let its: Float = voice.pointee.isStopping() ? voice.pointee.loudness() : .infinity
        if victim < 0 || givesWay(voice, its, before: voices + victim, loudness) {
          victim = index
          loudness = its
        }
      }
      index &+= 1
    }
    if victim < 0 { return false }
    let voice = voices + victim
    let importance = command.pointee.importance
    if voice.pointee.importance > importance { return false }
    let isEqual = voice.pointee.importance == importance
    if isEqual && command.pointee.sparesEquals && !voice.pointee.isStopping() { return false }
    if voice.pointee.isUnrendered {
      let id = voice.pointee.id
      removeFromList(victim)
      refuseOrRetire(id)
      return true
    }
    fadeOut(victim, frames: stealFrames, .stolen)
    voice.pointee.isStolen = true
    state.stolen &+= 1
    queues.counters.stolen.add(1, ordering: .relaxed)
    return true
  }

  /// Whether `one` is stolen before `other`. The less important voice goes first; among equals a fading voice, then the
  /// quieter fade, then the older voice.
  @_noLocks private func givesWay(
    _ one: UnsafeMutablePointer<Voice>, _ loudness: Float, before other: UnsafeMutablePointer<Voice>,
    _ itsLoudness: Float
  ) -> Bool {
    if one.pointee.importance != other.pointee.importance { return one.pointee.importance < other.pointee.importance }
    if loudness != itsLoudness { return loudness < itsLoudness }
    // The difference, because `order` wraps around.
    return Int32(bitPattern: one.pointee.order &- other.pointee.order) < 0
  }

  /// Ends the stolen voice whose end makes the smallest step in the sum.
  ///
  /// Full slots always include a stolen voice, because at most `voiceLimit` voices are not stolen.
  @_noLocks private mutating func endLeastHeardFade() {
    var victim = -1
    var least = Float.infinity
    var index = 0
    while index < state.count {
      if voices[index].isStolen {
        let step = voices[index].nextSample()
        if victim < 0 || step < least {
          victim = index
          least = step
        }
      }
      index &+= 1
    }
    if victim < 0 { return }
    let (id, ending) = (voices[victim].id, voices[victim].ending)
    removeFromList(victim)
    retire(id, ending)
  }

  /// Takes a voice out of the list, without a report.
  @_noLocks mutating func removeFromList(_ index: Int) {
    if voices[index].isStolen { state.stolen &-= 1 }
    state.count &-= 1
    if index != state.count { voices[index] = voices[state.count] }
  }

  // MARK: Changes

  /// The index of a voice; -1 if it has ended. Searches from the end, because most commands change the newest voices.
  @_noLocks private func index(of id: VoiceID) -> Int {
    var index = state.count &- 1
    while index >= 0 && voices[index].id.rawValue != id.rawValue { index &-= 1 }
    return index
  }

  /// Whether the mixer has rendered a frame of any voice. Before that nothing sounds, so a gain may jump.
  @_noLocks func hasRenderedVoices() -> Bool {
    var index = 0
    while index < state.count && voices[index].isUnrendered { index &+= 1 }
    return index < state.count
  }

  @_noLocks private mutating func stop(_ id: VoiceID, frames: Int32) {
    let index = index(of: id)
    if index >= 0 { end(index, frames: frames) }
  }

  @_noLocks private mutating func endLoop(_ id: VoiceID) {
    let index = index(of: id)
    if index >= 0 { voices[index].loops = false }
  }

  @_noLocks private mutating func stopAll(frames: Int32) {
    // Backwards, because the last voice moves to the index of a voice that ends.
    var index = state.count
    while index > 0 {
      index &-= 1
      end(index, frames: frames)
    }
  }

  /// Fades a voice out, or ends it at once if none of its frames was rendered.
  @_noLocks private mutating func end(_ index: Int, frames: Int32) {
    if !voices[index].isUnrendered { return fadeOut(index, frames: frames, .stopped) }
    let id = voices[index].id
    removeFromList(index)
    retireUnrendered(id)
  }

  /// Fades a voice out in at least one frame, so that it ends with a ramp. Never slows down a fade.
  @_noLocks private mutating func fadeOut(_ index: Int, frames: Int32, _ ending: VoiceEnding) {
    let voice = voices + index
    let length = max(1, frames)
    if voice.pointee.isStopping() {
      if voice.pointee.rampLeft <= length { return }
    } else {
      voice.pointee.ending = ending
    }
    voice.pointee.ramp(to: cmixer_gain(left: 0, right: 0), frames: length)
  }

  /// Changes a voice's gain and importance, unless it fades out.
  @_noLocks private mutating func setGain(_ command: UnsafeMutablePointer<MixerCommand>) {
    let index = index(of: command.pointee.voice)
    if index < 0 || voices[index].isStopping() { return }
    voices[index].change(to: command.pointee.gain, frames: command.pointee.frames)
    if command.pointee.importance != .max { voices[index].importance = command.pointee.importance }
  }
}
