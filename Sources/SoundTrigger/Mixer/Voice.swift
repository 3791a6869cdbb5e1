import CMixer

/// One playing clip, as the mixer sees it. Plain memory that only the audio thread touches.
struct Voice {
  var source: UnsafePointer<Float>
  /// The clip's frame that the next block begins with; negative if the clip begins later.
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
  var id: UInt32
  /// Counts starts: of two voices the one with the smaller number is the older.
  var order: UInt32
  /// The least important voice gives way first.
  var importance: UInt8
  var loops: Bool
  /// Whether the voice ends with its ramp.
  var isStopping = false
  /// Whether it gave way to another one, and fades quickly.
  var isStolen = false
  /// Whether nothing of it was rendered yet.
  var isUnrendered = true

  /// The voice that a command asks for. `source` is the command's, which is not `nil`.
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
      // The fade begins with the sound. Until then the line is extended backwards, over padding that is silent.
      rampPosition = position
      rampLeft = rampLeft &- position
    }
  }
}

extension Voice {
  /// Brings the gain to `target` in `frames`, from where it is now.
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

  /// Advances by so many frames, more than none, without rendering them; returns whether the voice has ended.
  @_noLocks mutating func skip(_ frames: Int32) -> Bool {
    isUnrendered = false
    let ramped = min(frames, rampLeft)
    if ramped > 0 {
      rampPosition = rampPosition &+ ramped
      rampLeft = rampLeft &- ramped
      if isStopping && rampLeft == 0 { return true }
    }
    // In 64 bits, because the clock may advance by many hours at once.
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
    return isStopping ? min(left, rampLeft) : left
  }

  /// Brings the gain to `target`: at once if nothing was rendered yet, else in `frames`. A longer fade-in leads to `target` in
  /// the time that it has left, unless that is quieter than now.
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

  /// The louder channel's absolute value in the next frame: the step that is heard if the voice ends before it.
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
