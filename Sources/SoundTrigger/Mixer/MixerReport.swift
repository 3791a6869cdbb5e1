/// What the mixer tells the control side about a voice. Plain bytes, copied through a queue.
struct MixerReport {
  var voice: UInt32
  /// Whether the voice has ended and its clip is not read any more; otherwise it is heard for the first time.
  var isEnd: Bool
  /// Whether it ended because no voice was left for it: not a frame of it was heard.
  var isRefusal = false
  /// Whether it was faded out before its end.
  var isCut = false
  /// From the arrival of the cause to the moment the first frames were handed over, in nanoseconds.
  var after: Int64 = 0
  /// From there to the ear, as the device tells it, in nanoseconds.
  var delay: Int64 = 0

  @_noLocks init(ended voice: UInt32, isRefusal: Bool = false, isCut: Bool = false) {
    self.voice = voice
    isEnd = true
    self.isRefusal = isRefusal
    self.isCut = isCut
  }

  @_noLocks init(heard voice: UInt32, after: Int64, delay: Int64) {
    self.voice = voice
    isEnd = false
    self.after = after
    self.delay = delay
  }
}
