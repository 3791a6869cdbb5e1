import CMixer
import Synchronization

extension Mixer {
  /// Fills the next `frames` (at most `maximumFrames`) of a device's interleaved memory.
  @_noLocks package mutating func render(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    if mix(frames: frames) {
      store(into: out, frames: frames, format: format, channels: channels)
    } else {
      cmixer_zero(out, frames &* channels &* format.width())
    }
  }

  /// Mixes the next `frames` into `block`; returns false, and leaves the block alone, if all of it is silent.
  @_noLocks mutating func mix(frames: Int) -> Bool {
    if !queues.commands.isEmpty() { applyCommands() }
    return mixVoices(frames: frames)
  }

  /// The same without carrying out commands.
  @_noLocks mutating func mixVoices(frames: Int) -> Bool {
    queues.counters.rendered.store(
      queues.counters.rendered.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: frames), ordering: .relaxed)
    if count == 0 {
      if _slowPath(master.left > 0) { master.skip(frames) }
      // In silence the limiter may let go at once.
      limiterReduction = cmixer_reduction(missing: 0, held: 0)
      return false
    }
    var (peak, needsAttention) = sum(frames)
    if _slowPath(needsAttention) { attend(frames) }
    if !past.isKept { queues.counters.voices.store(count, ordering: .relaxed) }
    if _slowPath(master.left > 0 || master.target != 1) {
      applyMaster(frames)
      needsAttention = true
    }
    // What was added or scaled since the sum was formed changed its peak.
    if _slowPath(needsAttention) { peak = cmixer_peak(kernel, block, 2 &* frames) }
    if _slowPath(limiterReduction.missing > 0 || peak > 1) {
      cmixer_limit(block, frames, limiterHold, limiterRelease, &limiterReduction)
    }
    return true
  }

  /// Adds all voices whose gain stands still, in one call of the kernel, and moves them on.
  ///
  /// Returns the sum's peak, and whether a voice needs `attend`: it ramps, or has come to its end. In the usual case none
  /// does, and this is the only pass over the voices.
  @_noLocks private mutating func sum(_ frames: Int) -> (peak: Float, needsAttention: Bool) {
    let step = Int32(truncatingIfNeeded: frames)
    let sources = sources
    let gains = gains
    var gathered = 0
    var needsAttention = false
    var voice = voices
    let last = voices + count
    while voice < last {
      let position = voice.pointee.position
      if _fastPath(voice.pointee.rampLeft == 0) {
        // A voice that starts after this block is moved on all the same.
        if _fastPath(position > 0 &- step) {
          sources[gathered] = voice.pointee.source + 2 &* Int(position)
          gains[gathered] = voice.pointee.gain
          gathered &+= 1
        }
        voice.pointee.position = position &+ step
        if _slowPath(position &+ step >= voice.pointee.end) { needsAttention = true }
      } else {
        needsAttention = true
      }
      voice += 1
    }
    return (cmixer_mix(kernel, block, frames, sources, gains, gathered), needsAttention)
  }

  /// Adds the voices that ramp and moves them on; of all voices, loops those that came to their end or retires them.
  @_noLocks private mutating func attend(_ frames: Int) {
    let step = Int32(truncatingIfNeeded: frames)
    var index = 0
    while index < count {
      let voice = voices + index
      var hasEnded = false
      if voice.pointee.rampLeft > 0 {
        hasEnded = addRamp(voice, step)
        voice.pointee.position = voice.pointee.position &+ step
      }
      if voice.pointee.position >= voice.pointee.end {
        if voice.pointee.loops { voice.pointee.position %= voice.pointee.end } else { hasEnded = true }
      }
      if hasEnded { remove(index) } else { index &+= 1 }
    }
  }

  /// Adds one block of a voice whose gain moves; returns whether the voice ends with it.
  @_noLocks private mutating func addRamp(_ voice: UnsafeMutablePointer<Voice>, _ frames: Int32) -> Bool {
    let length = min(frames, voice.pointee.rampLeft)
    if voice.pointee.position > 0 &- frames {
      let source = voice.pointee.source + 2 &* Int(voice.pointee.position)
      cmixer_add_ramp(
        kernel, block, Int(length), source, voice.pointee.rampFrom, voice.pointee.rampStep,
        Float(voice.pointee.rampPosition))
      if length < frames && !voice.pointee.isStopping {
        let done = 2 &* Int(length)
        cmixer_add_ramp(
          kernel, block + done, Int(frames &- length), source + done, voice.pointee.gain,
          cmixer_gain(left: 0, right: 0), 0)
      }
    }
    voice.pointee.rampPosition = voice.pointee.rampPosition &+ length
    voice.pointee.rampLeft = voice.pointee.rampLeft &- length
    return voice.pointee.isStopping && voice.pointee.rampLeft == 0
  }

  @_noLocks private mutating func remove(_ index: Int) {
    let voice = voices + index
    if voice.pointee.isStopping { stopping &-= 1 }
    // On a timeline it may have to sound again: `settle` retires it.
    if !past.isKept { retire(voice.pointee.id) }
    count &-= 1
    if index != count { voice.pointee = voices[count] }
  }

  @_noLocks private mutating func applyMaster(_ frames: Int) {
    let ramped = min(Int32(truncatingIfNeeded: frames), master.left)
    if ramped > 0 {
      cmixer_scale_ramp(kernel, block, Int(ramped), master.from, master.step, Float(master.position))
    }
    if Int(ramped) < frames {
      cmixer_scale_ramp(kernel, block + 2 &* Int(ramped), frames &- Int(ramped), master.target, 0, 0)
    }
    master.skip(frames)
  }
}
