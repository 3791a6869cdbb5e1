import CMixer
import Synchronization

extension Mixer {
  /// Fills the next `frames` (at most `maximumFrames`) of a device's interleaved memory.
  @_noLocks package mutating func render(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    if !queues.commands.isEmpty() { applyCommands() }
    renderBlock(into: out, frames: frames, format: format, channels: channels)
  }

  /// Does the same as `render`, but applies no commands.
  @inline(__always) @_noLocks mutating func renderBlock(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    // The kernel writes whole groups of frames.
    let isDirect = channels == 2 && format.isFloat() && frames & 7 == 0
    let target = isDirect ? out.assumingMemoryBound(to: Float.self) : block
    if !mixVoices(frames: frames, into: target) {
      cmixer_zero(out, frames &* channels &* format.width())
    } else if !isDirect {
      store(into: out, frames: frames, format: format, channels: channels)
    }
  }

  /// Mixes the next `frames` into memory that has room for whole groups of 8 frames. Applies no commands. Returns false
  /// and writes nothing if all frames are silent.
  @inline(__always) @_noLocks mutating func mixVoices(frames: Int, into out: UnsafeMutablePointer<Float>) -> Bool {
    queues.counters.rendered.store(
      queues.counters.rendered.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: frames), ordering: .relaxed)
    if state.count == 0 {
      if _slowPath(state.master.left > 0) { state.master.skip(frames) }
      // In silence the limiter may jump, because that is not heard.
      state.limiterReduction = cmixer_reduction(missing: 0, held: 0)
      return false
    }
    if _slowPath(steady.pendingFrames &+ frames > steady.frames) { listSteadyVoices(frames) }
    var peak = cmixer_mix(kernel, out, frames, steady.sources, steady.pendingFrames, steady.gains, steady.count)
    steady.pendingFrames = steady.pendingFrames &+ frames
    var hasChanged = steady.pendingFrames > steady.frames
    if _slowPath(hasChanged) { advanceVoices(frames, out) }
    if !checkpoint.isKept { queues.counters.voices.store(state.count, ordering: .relaxed) }
    if _slowPath(state.master.left > 0 || state.master.target != 1) {
      applyMaster(frames, out)
      hasChanged = true
    }
    // The voices and the gain that were applied after the kernel's sum changed its peak.
    if _slowPath(hasChanged) { peak = cmixer_peak(kernel, out, 2 &* frames) }
    if _slowPath(state.limiterReduction.missing > 0 || peak > 1) {
      cmixer_limit(out, frames, limiter.hold, limiter.release, &state.limiterReduction)
    }
    return true
  }

  /// Lists the voices with a constant gain for the kernel, and computes how many frames the list is valid for.
  @_noLocks private mutating func listSteadyVoices(_ frames: Int) {
    advancePendingFrames()
    let step = Int32(truncatingIfNeeded: frames)
    let sources = steady.sources
    let gains = steady.gains
    var number = 0
    var least = Int32.max
    var voice = voices
    let last = voices + state.count
    while voice < last {
      let position = voice.pointee.position
      if voice.pointee.rampLeft == 0 && position > 0 &- step {
        sources[number] = voice.pointee.source + 2 &* Int(position)
        gains[number] = voice.pointee.gain
        number &+= 1
      }
      voice.pointee.isUnrendered = false
      let isSteady = voice.pointee.rampLeft == 0 && position >= 0
      least = min(least, isSteady ? voice.pointee.end &- position &- 1 : 0)
      voice += 1
    }
    steady.count = number
    steady.frames = Int(least)
  }

  /// Adds the pending frames to the positions of the voices and discards the list. Call it before other code reads or
  /// changes voices.
  @_noLocks mutating func advancePendingFrames() {
    if steady.pendingFrames > 0 {
      let step = Int32(truncatingIfNeeded: steady.pendingFrames)
      var voice = voices
      let last = voices + state.count
      while voice < last {
        voice.pointee.position = voice.pointee.position &+ step
        voice += 1
      }
    }
    steady.discard()
  }

  /// Mixes in ramping voices and loop repetitions, then advances every voice. Removes voices whose clip or fade-out has
  /// ended.
  @_noLocks private mutating func advanceVoices(_ frames: Int, _ out: UnsafeMutablePointer<Float>) {
    steady.discard()
    let step = Int32(truncatingIfNeeded: frames)
    var index = 0
    while index < state.count {
      let voice = voices + index
      let start = voice.pointee.position
      let isRamping = voice.pointee.rampLeft > 0
      if _fastPath(!isRamping && start &+ step < voice.pointee.end) {
        voice.pointee.position = start &+ step
        index &+= 1
        continue
      }
      if isRamping && start > 0 &- step { add(voice, from: start, at: 0, frames: step, to: out) }
      if voice.pointee.loops {
        // The clip's padding after its end is silent, so its repetitions are added there, as many as fit the block.
        var next = voice.pointee.end &- start
        while next < step {
          add(voice, from: 0, at: next, frames: min(voice.pointee.end, step &- next), to: out)
          next = next &+ voice.pointee.end
        }
      }
      var hasEnded = false
      if isRamping {
        let ramped = min(step, voice.pointee.rampLeft)
        voice.pointee.rampPosition = voice.pointee.rampPosition &+ ramped
        voice.pointee.rampLeft = voice.pointee.rampLeft &- ramped
        hasEnded = voice.pointee.isStopping() && voice.pointee.rampLeft == 0
      }
      voice.pointee.position = start &+ step
      if voice.pointee.position >= voice.pointee.end {
        if voice.pointee.loops { voice.pointee.position %= voice.pointee.end } else { hasEnded = true }
      }
      if hasEnded { remove(index) } else { index &+= 1 }
    }
  }

  /// Adds frames of a voice's clip to the block: from frame `position` of the clip, at frame `offset` of the block.
  ///
  /// Call it before the voice's ramp advances past this block.
  @_noLocks private mutating func add(
    _ voice: UnsafeMutablePointer<Voice>, from position: Int32, at offset: Int32, frames: Int32,
    to out: UnsafeMutablePointer<Float>
  ) {
    let source = voice.pointee.source + 2 &* Int(position)
    let target = out + 2 &* Int(offset)
    let ramped = max(0, min(frames, voice.pointee.rampLeft &- offset))
    if ramped > 0 {
      cmixer_add_ramp(
        kernel, target, Int(ramped), source, voice.pointee.rampFrom, voice.pointee.rampStep,
        Float(voice.pointee.rampPosition &+ offset))
    }
    if ramped < frames && !voice.pointee.isStopping() {
      let done = 2 &* Int(ramped)
      cmixer_add_ramp(
        kernel, target + done, Int(frames &- ramped), source + done, voice.pointee.gain,
        cmixer_gain(left: 0, right: 0), 0)
    }
  }

  @_noLocks private mutating func remove(_ index: Int) {
    // On a timeline the mixer may have to render the voice again, so `moveCheckpoint` retires it later.
    if !checkpoint.isKept { retire(voices[index].id, voices[index].ending) }
    removeFromList(index)
  }

  @_noLocks private mutating func applyMaster(_ frames: Int, _ out: UnsafeMutablePointer<Float>) {
    let ramped = min(Int32(truncatingIfNeeded: frames), state.master.left)
    if ramped > 0 {
      cmixer_scale_ramp(kernel, out, Int(ramped), state.master.from, state.master.step, Float(state.master.position))
    }
    if Int(ramped) < frames {
      cmixer_scale_ramp(kernel, out + 2 &* Int(ramped), frames &- Int(ramped), state.master.target, 0, 0)
    }
    state.master.skip(frames)
  }
}

/// Writing the mixed block in a device's format and layout.
extension Mixer {
  @_noLocks private mutating func store(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    if channels == 1 { cmixer_fold(block, frames) }
    if _fastPath(channels == 2 && !format.isPacked()) {
      convert(into: out, samples: 2 &* frames, format: format)
      return
    }
    convert(into: scratch, samples: 2 &* frames, format: format)
    if format.isPacked() {
      // The samples are in `scratch` now, so the block's memory is free for the packed bytes.
      let packed = UnsafeMutableRawPointer(block)
      cmixer_pack_int24(
        packed.assumingMemoryBound(to: UInt8.self), scratch.assumingMemoryBound(to: Int32.self), 2 &* frames)
      cmixer_spread(out, channels, packed, frames, 3)
    } else {
      cmixer_spread(out, channels, scratch, frames, format.width())
    }
  }

  // It is mutating, although it changes nothing, because otherwise Swift copies the whole mixer for the call.
  @_noLocks private mutating func convert(into out: UnsafeMutableRawPointer, samples: Int, format: SampleFormat) {
    switch format {
    case .float32: cmixer_copy(out, block, 4 &* samples)
    case .int32: cmixer_store_int32(kernel, out.assumingMemoryBound(to: Int32.self), block, samples)
    case .int24, .int24Packed: cmixer_store_int24(kernel, out.assumingMemoryBound(to: Int32.self), block, samples)
    case .int16: cmixer_store_int16(kernel, out.assumingMemoryBound(to: Int16.self), block, samples, noise)
    }
  }
}
