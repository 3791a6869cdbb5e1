import CMixer

/// One playing clip, as the mixer sees it. Plain memory, touched by the audio thread alone.
struct Voice {
  var source: UnsafePointer<Float>
  /// The clip's frame that the next block begins with; negative while the start lies ahead.
  var position: Int32
  /// The clip's length in frames.
  var end: Int32
  /// How many frames of the ramp are left to play; 0: the gain stands at `gain`.
  var rampLeft: Int32
  /// How many frames of the ramp were played.
  var rampPosition: Int32
  /// The gain at the end of the ramp, and from then on.
  var gain: cmixer_gain
  /// The gain at the beginning of the ramp.
  var rampFrom: cmixer_gain
  /// What the gain grows by, per frame.
  var rampStep: cmixer_gain
  var id: UInt32
  /// Counts starts: of two voices the smaller one is the older.
  var order: UInt32
  /// Who is stolen from first: the least.
  var importance: UInt8
  var loops: Bool
  /// Whether the voice ends with its ramp.
  var isStopping = false

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
      // The fade begins with the sound: until then the padding, which is silent, passes through the line's extension.
      rampPosition = position
      rampLeft = rampLeft &- position
    }
  }
}

extension Voice {
  /// Goes to `target` in `frames` from where the gain stands now.
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

  /// Moves on by so many frames without being heard; returns whether the voice has ended with them.
  @_noLocks mutating func skip(_ frames: Int32) -> Bool {
    let ramped = min(frames, rampLeft)
    if ramped > 0 {
      rampPosition = rampPosition &+ ramped
      rampLeft = rampLeft &- ramped
      if isStopping && rampLeft == 0 { return true }
    }
    // In 64 bits: by the clock, many hours may pass at once.
    let reached = Int64(position) &+ Int64(frames)
    if reached < Int64(end) {
      position = Int32(truncatingIfNeeded: reached)
      return false
    }
    if loops { position = Int32(truncatingIfNeeded: reached % Int64(end)) }
    return !loops
  }

  /// How many frames it is going to sound; `Int32.max` if it loops until it is stopped.
  @_noLocks func framesLeft() -> Int32 {
    let left = loops ? Int32.max : end &- position
    return isStopping ? min(left, rampLeft) : left
  }

  /// Goes to `target` in `frames`, or if its fade-in lies ahead, by way of that.
  @_noLocks mutating func change(to target: cmixer_gain, frames: Int32) {
    if rampLeft == 0 || rampPosition >= 0 { return ramp(to: target, frames: frames) }
    let length = Float(rampLeft &+ rampPosition)
    rampStep = cmixer_gain(
      left: (target.left - rampFrom.left) / length, right: (target.right - rampFrom.right) / length)
    gain = target
  }

  /// The gain of the next frame.
  @_noLocks func gainNow() -> cmixer_gain {
    if rampLeft == 0 { return gain }
    // Before its beginning a fade-in stands at its first gain.
    let at = Float(max(0, rampPosition))
    return cmixer_gain(left: rampFrom.left + rampStep.left * at, right: rampFrom.right + rampStep.right * at)
  }
}
