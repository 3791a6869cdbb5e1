import CMixer

/// One playing clip, as the mixer sees it. Plain memory that only the audio thread touches.
struct Voice {
  var source: UnsafePointer<Float>
  /// The frame of the clip at which the next block begins; negative if the clip begins later.
  var position: Int32
  /// The clip's length in frames.
  var end: Int32
  /// How many frames of the ramp are left; 0: the gain is `gain`.
  var rampLeft: Int32
  /// How many frames of the ramp have passed.
  var rampPosition: Int32
  /// The gain at the end of the ramp, and from then on.
  var gain: cmixer_gain
  /// The gain at the beginning of the ramp.
  var rampFrom: cmixer_gain
  /// How much the gain grows per frame.
  var rampStep: cmixer_gain
  var id: VoiceID
  /// Numbers the starts: the older of two voices has the smaller number. Wraps around.
  var order: UInt32
  /// The mixer steals the least important voice first.
  var importance: UInt8
  var loops: Bool
  /// How the voice will end: `finished` with its clip, any other with its ramp.
  var ending = VoiceEnding.finished
  /// Whether the mixer stole it for another sound; it fades out quickly. It may have been stopped before.
  var isStolen = false
  /// Whether none of its frames has been rendered.
  var isUnrendered = true

  /// Makes the voice that a command asks for. `source` is the command's own, which the caller found not to be `nil`.
  @_noLocks init(_ command: UnsafeMutablePointer<MixerCommand>, source: UnsafePointer<Float>, order: UInt32) {
    self.source = source
    position = 0 &- command.pointee.offset
    end = command.pointee.frames
    gain = command.pointee.gain
    id = command.pointee.voice
    self.order = order
    importance = command.pointee.importance
    loops = command.pointee.loops
    rampLeft = 0
    rampPosition = 0
    rampFrom = cmixer_gain(left: 0, right: 0)
    rampStep = cmixer_gain(left: 0, right: 0)
    if command.pointee.fadeIn > 0 {
      gain = cmixer_gain(left: 0, right: 0)
      ramp(to: command.pointee.gain, frames: command.pointee.fadeIn)
      // The fade begins with the sound. Before that the ramp's line is extended backwards, over silent padding.
      rampPosition = position
      rampLeft = rampLeft &- position
    }
  }
}

extension Voice {
  /// Whether the voice ends with its ramp.
  @inline(__always) @_noLocks func isStopping() -> Bool { if case .finished = ending { false } else { true } }

  /// Ramps from the present gain to `target` in `frames`; at once if `frames` is not positive.
  @_noLocks mutating func ramp(to target: cmixer_gain, frames: Int32) {
    let now = gainNow()
    if frames <= 0 {
      gain = target
      rampLeft = 0
      return
    }
    let length = Float(frames)
    rampFrom = now
    rampStep = cmixer_gain(left: (target.left - now.left) / length, right: (target.right - now.right) / length)
    rampPosition = 0
    rampLeft = frames
    gain = target
  }

  /// Advances by `frames`, at least one, without rendering them. Returns whether the voice has ended.
  @_noLocks mutating func skip(_ frames: Int32) -> Bool {
    isUnrendered = false
    let ramped = min(frames, rampLeft)
    if ramped > 0 {
      rampPosition = rampPosition &+ ramped
      rampLeft = rampLeft &- ramped
      if isStopping() && rampLeft == 0 { return true }
    }
    // In 64 bits, because the sum overflows 32 bits if the clock advances by many hours at once.
    let reached = Int64(position) &+ Int64(frames)
    if reached < Int64(end) {
      position = Int32(truncatingIfNeeded: reached)
      return false
    }
    if loops { position = Int32(truncatingIfNeeded: reached % Int64(end)) }
    return !loops
  }

  /// How many frames are left until it ends; `Int32.max` if it loops.
  @_noLocks func framesLeft() -> Int32 {
    let left = loops ? Int32.max : end &- position
    return isStopping() ? min(left, rampLeft) : left
  }

  /// Ramps the gain to `target` in `frames`; at once if no frame was rendered and there is no fade-in.
  ///
  /// A fade-in that has not begun keeps its length. A longer ramp that runs keeps its end, unless `target` is quieter than
  /// now. Both lead to `target`.
  @_noLocks mutating func change(to target: cmixer_gain, frames: Int32) {
    if rampLeft == 0 { return ramp(to: target, frames: isUnrendered ? 0 : frames) }
    if rampPosition >= 0 {
      let isQuieter = max(target.left, target.right) < loudness()
      return ramp(to: target, frames: isQuieter ? frames : max(frames, rampLeft))
    }
    let length = Float(rampLeft &+ rampPosition)
    rampStep = cmixer_gain(
      left: (target.left - rampFrom.left) / length, right: (target.right - rampFrom.right) / length)
    gain = target
  }

  /// The louder channel's gain in the next frame.
  @_noLocks func loudness() -> Float {
    let gain = gainNow()
    return max(gain.left, gain.right)
  }

  /// The absolute value of the next frame's louder channel: the step that is heard if the voice ends now.
  @_noLocks func nextSample() -> Float {
    // The sound has not begun.
    if position < 0 { return 0 }
    let gain = gainNow()
    let frame = source + 2 &* Int(position)
    return max(abs(gain.left * frame[0]), abs(gain.right * frame[1]))
  }

  /// The gain of the next frame.
  @_noLocks func gainNow() -> cmixer_gain {
    if rampLeft == 0 { return gain }
    // A fade-in that has not begun has its first gain.
    let at = Float(max(0, rampPosition))
    return cmixer_gain(left: rampFrom.left + rampStep.left * at, right: rampFrom.right + rampStep.right * at)
  }
}
