import CMixer
import Synchronization

/// Rendering ahead of what is heard, and taking it back: what was not heard yet is rendered again with new commands in it.
///
/// Between commands the mixer runs by itself, so that one earlier state is enough: positions and ramps follow from it
/// without reading a sample. Only the limiter depends on the samples; its state is noted every `MixerPast.stride` frames.
extension Mixer {
  /// How many frames may be rendered beyond those that were settled.
  @_noLocks package static func aheadLimit() -> Int { MixerPast.stride() &* (MixerPast.noteCount() &- 2) }

  /// Begins a timeline with the number of its next frame, and keeps what is needed to go back on it.
  @_noLocks package mutating func beginTimeline(at first: Int) {
    endTimeline()
    frame = first
    past.isKept = true
    keepPast()
  }

  /// Takes all that was rendered for heard, and keeps nothing any more.
  @_noLocks package mutating func endTimeline() {
    settle(to: frame)
    past.isKept = false
  }

  /// The next frame to be rendered.
  @_noLocks package func nextFrame() -> Int { frame }

  /// The first frame that can still be rendered again.
  @_noLocks package func settledFrame() -> Int { past.frame }

  /// Renders on into interleaved memory. Carries out no commands: see `takeCommands`.
  @_noLocks package mutating func renderAhead(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    let width = channels &* format.width()
    var done = 0
    while done < frames {
      // Blocks end where the limiter's state is noted.
      let step = min(frames &- done, MixerPast.stride() &- frame % MixerPast.stride())
      let target = out + done &* width
      renderBlock(into: target, frames: step, format: format, channels: channels)
      frame = frame &+ step
      past.note(limiterReduction, before: frame)
      done = done &+ step
    }
  }

  /// Tells that all frames before `heard` were heard: they cannot be taken back, and voices that ended there are retired.
  ///
  /// May lag behind by `MixerPast.stride` frames.
  @_noLocks package mutating func settle(to heard: Int) {
    let target = heard >= frame ? frame : heard &- heard % MixerPast.stride()
    if !past.isKept || target <= past.frame { return }
    let step = Int32(clamping: target &- past.frame)
    let kept = past.voices
    var count = past.count
    var index = 0
    while index < count {
      let voice = kept + index
      let hasEnded = voice.pointee.skip(step)
      if hasEnded {
        if voice.pointee.isStopping { past.stopping = past.stopping &- 1 }
        retire(voice.pointee.id, isCut: voice.pointee.isStopping)
        count &-= 1
        voice.pointee = kept[count]
      } else {
        index &+= 1
      }
    }
    past.count = count
    var gain = past.master
    gain.skip(Int(step))
    past.master = gain
    past.limiterReduction = target == frame ? limiterReduction : past.note(before: target)
    past.frame = target
    queues.counters.voices.store(past.count, ordering: .relaxed)
  }

  /// Carries out the commands that wait as of frame `goal`: what was rendered from there on is to be rendered again.
  ///
  /// Returns the frame they were carried out at: not before what was settled, not after the next frame.
  @_noLocks package mutating func takeCommands(at goal: Int) -> Int {
    let target = min(max(goal, past.frame), frame)
    settle(to: target)
    if target < frame {
      returnToPast()
      // Again from the note to the goal, to nowhere; what ends on the way has ended.
      past.isKept = false
      if target > frame { _ = mixVoices(frames: target &- frame, into: block) }
      past.isKept = true
      frame = target
    }
    applyCommands()
    keepPast()
    return target
  }

  /// Lets so many frames pass unheard, then carries out the commands that wait. An hour is as much work as a frame.
  ///
  /// Not while there is a timeline.
  @_noLocks package mutating func pass(frames: Int) {
    beginTimeline(at: 0)
    frame = frames
    limiterReduction = cmixer_reduction(missing: 0, held: 0)
    settle(to: frame)
    returnToPast()
    applyCommands()
    keepPast()
    past.isKept = false
  }

  /// The first frame at which a voice will have ended; `Int.max` if none will by itself. On a timeline or after `pass`.
  @_noLocks package func nextEnd() -> Int {
    let left = Self.framesToEnd(past.voices, past.count)
    return left == Int.max ? left : past.frame &+ left
  }

  /// After how many frames the first voice will have ended; `Int.max` if none will by itself.
  @_noLocks mutating func framesToEnd() -> Int {
    catchUp()
    return Self.framesToEnd(voices, count)
  }

  @_noLocks private static func framesToEnd(_ voices: UnsafeMutablePointer<Voice>, _ count: Int) -> Int {
    var soonest = Int32.max
    var index = 0
    while index < count {
      let left = voices[index].framesLeft()
      if left < soonest { soonest = left }
      index &+= 1
    }
    return soonest == Int32.max ? Int.max : Int(soonest)
  }

  @_noLocks private mutating func keepPast() {
    catchUp()
    past.frame = frame
    cmixer_copy(past.voices, voices, count &* MemoryLayout<Voice>.stride)
    past.count = count
    past.stopping = stopping
    past.master = master
    past.limiterReduction = limiterReduction
    past.note(limiterReduction, before: frame)
    queues.counters.voices.store(count, ordering: .relaxed)
  }

  @_noLocks private mutating func returnToPast() {
    lag = 0
    quiet = 0
    frame = past.frame
    cmixer_copy(voices, past.voices, past.count &* MemoryLayout<Voice>.stride)
    count = past.count
    stopping = past.stopping
    master = past.master
    limiterReduction = past.limiterReduction
  }
}
