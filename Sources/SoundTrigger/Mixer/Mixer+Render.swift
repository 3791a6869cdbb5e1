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

  /// The same without carrying out commands.
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

  /// Mixes the next `frames` into `block`; returns false, and leaves the block alone, if all of it is silent.
  @_noLocks mutating func mix(frames: Int) -> Bool {
    if !queues.commands.isEmpty() { applyCommands() }
    return mixVoices(frames: frames, into: block)
  }

  /// The same without carrying out commands, into any memory for whole groups of 8 frames.
  @inline(__always) @_noLocks mutating func mixVoices(frames: Int, into out: UnsafeMutablePointer<Float>) -> Bool {
    queues.counters.rendered.store(
      queues.counters.rendered.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: frames), ordering: .relaxed)
    if count == 0 {
      if _slowPath(master.left > 0) { master.skip(frames) }
      // In silence the limiter may let go at once.
      limiterReduction = cmixer_reduction(missing: 0, held: 0)
      return false
    }
    if _slowPath(lag &+ frames > quiet) { gather(frames) }
    var peak = cmixer_mix(kernel, out, frames, sources, lag, gains, gathered)
    lag = lag &+ frames
    var hasChanged = lag > quiet
    if _slowPath(hasChanged) { attend(frames, out) }
    if !past.isKept { queues.counters.voices.store(count, ordering: .relaxed) }
    if _slowPath(master.left > 0 || master.target != 1) {
      applyMaster(frames, out)
      hasChanged = true
    }
    // What was added or scaled since the sum was formed changed its peak.
    if _slowPath(hasChanged) { peak = cmixer_peak(kernel, out, 2 &* frames) }
    if _slowPath(limiterReduction.missing > 0 || peak > 1) {
      cmixer_limit(out, frames, limiterHold, limiterRelease, &limiterReduction)
    }
    return true
  }

  /// Lists the voices whose gain stands still for the kernel, and finds out for how long the list is good.
  @_noLocks private mutating func gather(_ frames: Int) {
    catchUp()
    let step = Int32(truncatingIfNeeded: frames)
    let sources = sources
    let gains = gains
    var listed = 0
    var least = Int32.max
    var voice = voices
    let last = voices + count
    while voice < last {
      let position = voice.pointee.position
      if voice.pointee.rampLeft == 0 && position > 0 &- step {
        sources[listed] = voice.pointee.source + 2 &* Int(position)
        gains[listed] = voice.pointee.gain
        listed &+= 1
      }
      let isSteady = voice.pointee.rampLeft == 0 && position >= 0
      least = min(least, isSteady ? voice.pointee.end &- position &- 1 : 0)
      voice += 1
    }
    gathered = listed
    quiet = Int(least)
  }

  /// Moves the voices on to the next frame. Before anybody else looks at them or changes them: the list is of no use then.
  @_noLocks mutating func catchUp() {
    if lag > 0 {
      let step = Int32(truncatingIfNeeded: lag)
      var voice = voices
      let last = voices + count
      while voice < last {
        voice.pointee.position = voice.pointee.position &+ step
        voice += 1
      }
    }
    lag = 0
    quiet = 0
  }

  /// Adds the voices that ramp; moves all voices on, begins anew those that loop and came to their end, and retires the
  /// others that did.
  @_noLocks private mutating func attend(_ frames: Int, _ out: UnsafeMutablePointer<Float>) {
    lag = 0
    quiet = 0
    let step = Int32(truncatingIfNeeded: frames)
    var index = 0
    while index < count {
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
        // Behind its end the clip is silent: what comes next is its beginning, as often as it fits.
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
        hasEnded = voice.pointee.isStopping && voice.pointee.rampLeft == 0
      }
      voice.pointee.position = start &+ step
      if voice.pointee.position >= voice.pointee.end {
        if voice.pointee.loops { voice.pointee.position %= voice.pointee.end } else { hasEnded = true }
      }
      if hasEnded { remove(index) } else { index &+= 1 }
    }
  }

  /// Adds frames of a voice's clip from `position` on to the block, `offset` frames behind its beginning.
  ///
  /// The voice's ramp is as it was at the block's beginning.
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
    if ramped < frames && !voice.pointee.isStopping {
      let done = 2 &* Int(ramped)
      cmixer_add_ramp(
        kernel, target + done, Int(frames &- ramped), source + done, voice.pointee.gain,
        cmixer_gain(left: 0, right: 0), 0)
    }
  }

  @_noLocks private mutating func remove(_ index: Int) {
    let voice = voices + index
    if voice.pointee.isStopping { stopping &-= 1 }
    // On a timeline it may have to sound again: `settle` retires it.
    if !past.isKept { retire(voice.pointee.id, isCut: voice.pointee.isStopping) }
    count &-= 1
    if index != count { voice.pointee = voices[count] }
  }

  @_noLocks private mutating func applyMaster(_ frames: Int, _ out: UnsafeMutablePointer<Float>) {
    let ramped = min(Int32(truncatingIfNeeded: frames), master.left)
    if ramped > 0 {
      cmixer_scale_ramp(kernel, out, Int(ramped), master.from, master.step, Float(master.position))
    }
    if Int(ramped) < frames {
      cmixer_scale_ramp(kernel, out + 2 &* Int(ramped), frames &- Int(ramped), master.target, 0, 0)
    }
    master.skip(frames)
  }
}
