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

  /// The gain of the next frame.
  @_noLocks func gainNow() -> cmixer_gain {
    if rampLeft == 0 { return gain }
    let at = Float(rampPosition)
    return cmixer_gain(left: rampFrom.left + rampStep.left * at, right: rampFrom.right + rampStep.right * at)
  }
}
