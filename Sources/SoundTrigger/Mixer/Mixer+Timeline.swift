import CMixer
import Synchronization

/// Renders ahead of the device, and goes back to render unplayed frames again with new commands.
///
/// The mixer keeps one earlier state and computes later positions and ramps from it. Only the limiter depends on samples,
/// so the mixer notes its state every `MixerCheckpoint.stride` frames.
extension Mixer {
  /// How many frames the mixer may render after `checkpointFrame`.
  @_noLocks package static func aheadLimit() -> Int { MixerCheckpoint.stride() &* (MixerCheckpoint.noteCount() &- 2) }

  /// Ramps from silence to the present gain in 5 ms if a voice has already begun, because a step would be heard.
  @_noLocks package mutating func riseFromSilence() {
    if !hasRenderedVoices() { return }
    let gain = state.master.target
    state.master.ramp(to: 0, frames: 0)
    state.master.ramp(to: gain, frames: stealFrames)
  }

  /// Begins a timeline: the next frame gets the number `first`. From then on the mixer can go back.
  @_noLocks package mutating func beginTimeline(at first: Int) {
    endTimeline()
    state.frame = first
    checkpoint.isKept = true
    saveCheckpoint()
  }

  /// Ends the timeline and regards all rendered frames as played.
  @_noLocks package mutating func endTimeline() {
    moveCheckpoint(to: state.frame)
    checkpoint.isKept = false
  }

  /// Whether the mixer can go back.
  @_noLocks package func hasTimeline() -> Bool { checkpoint.isKept }

  /// The next frame to render. Valid on a timeline and after `pass`.
  @_noLocks package func nextFrame() -> Int { state.frame }

  /// The first frame that can still be rendered again.
  @_noLocks package func checkpointFrame() -> Int { checkpoint.state.frame }

  /// Renders the next frames into interleaved memory. Applies no commands; `applyCommands(at:)` does.
  @_noLocks package mutating func renderAhead(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    let width = channels &* format.width()
    var done = 0
    while done < frames {
      // Blocks end where the limiter's state is noted.
      let step = min(frames &- done, MixerCheckpoint.stride() &- state.frame % MixerCheckpoint.stride())
      let target = out + done &* width
      renderBlock(into: target, frames: step, format: format, channels: channels)
      state.frame = state.frame &+ step
      checkpoint.note(state.limiterReduction, before: state.frame)
      done = done &+ step
    }
  }

  /// Moves the checkpoint to frame `played`, and retires the voices that ended before it. The mixer cannot go back further.
  ///
  /// The checkpoint may stay up to `MixerCheckpoint.stride` frames earlier.
  @_noLocks package mutating func moveCheckpoint(to played: Int) {
    let target = played >= state.frame ? state.frame : played &- played % MixerCheckpoint.stride()
    if !checkpoint.isKept || target <= checkpoint.state.frame { return }
    let step = Int32(clamping: target &- checkpoint.state.frame)
    let kept = checkpoint.voices
    var count = checkpoint.state.count
    var index = 0
    while index < count {
      let voice = kept + index
      let hasEnded = voice.pointee.skip(step)
      if hasEnded {
        if voice.pointee.isStolen { checkpoint.state.stolen = checkpoint.state.stolen &- 1 }
        retire(voice.pointee.id, voice.pointee.ending)
        count &-= 1
        voice.pointee = kept[count]
      } else {
        index &+= 1
      }
    }
    checkpoint.state.count = count
    var gain = checkpoint.state.master
    gain.skip(Int(step))
    checkpoint.state.master = gain
    checkpoint.state.limiterReduction = target == state.frame ? state.limiterReduction : checkpoint.note(before: target)
    checkpoint.state.frame = target
    queues.counters.voices.store(checkpoint.state.count, ordering: .relaxed)
  }

  /// Goes back to frame `goal` and applies the waiting commands. The caller then renders again from there.
  ///
  /// Returns the frame at which it applied them. It is between `checkpointFrame` and `nextFrame`.
  @_noLocks package mutating func applyCommands(at goal: Int) -> Int {
    let target = min(max(goal, checkpoint.state.frame), state.frame)
    moveCheckpoint(to: target)
    if target < state.frame {
      restoreCheckpoint()
      // Mixes from the checkpoint to the goal and drops the result. Voices that end before the goal are removed.
      checkpoint.isKept = false
      if target > state.frame { _ = mixVoices(frames: target &- state.frame, into: block) }
      checkpoint.isKept = true
      state.frame = target
    }
    applyCommands()
    saveCheckpoint()
    return target
  }

  /// Advances by `frames` without rendering them, then applies the waiting commands. An hour costs as much as a frame.
  ///
  /// Call it only while there is no timeline.
  @_noLocks package mutating func pass(frames: Int) {
    beginTimeline(at: 0)
    state.frame = frames
    state.limiterReduction = cmixer_reduction(missing: 0, held: 0)
    moveCheckpoint(to: state.frame)
    restoreCheckpoint()
    applyCommands()
    saveCheckpoint()
    checkpoint.isKept = false
  }

  /// The first frame at which a voice has ended; `Int.max` if all voices loop. Valid on a timeline and after `pass`.
  @_noLocks package func nextEnd() -> Int {
    let left = Self.framesToEnd(checkpoint.voices, checkpoint.state.count)
    return left == Int.max ? left : checkpoint.state.frame &+ left
  }

  /// How many frames remain until the first voice ends; `Int.max` if all voices loop.
  @_noLocks mutating func framesToEnd() -> Int {
    advancePendingFrames()
    return Self.framesToEnd(voices, state.count)
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

  @_noLocks private mutating func saveCheckpoint() {
    advancePendingFrames()
    cmixer_copy(checkpoint.voices, voices, state.count &* MemoryLayout<Voice>.stride)
    checkpoint.state = state
    checkpoint.note(state.limiterReduction, before: state.frame)
    queues.counters.voices.store(state.count, ordering: .relaxed)
  }

  @_noLocks private mutating func restoreCheckpoint() {
    steady.discard()
    cmixer_copy(voices, checkpoint.voices, checkpoint.state.count &* MemoryLayout<Voice>.stride)
    state = checkpoint.state
  }
}

/// An earlier state of a mixer and the limiter's states since then. The mixer needs them to go back.
///
/// Belongs to its mixer. Its memory has a fixed size.
struct MixerCheckpoint: ~Copyable {
  // Functions, because the render path may not touch static properties, which Swift initialises lazily.
  /// The number of frames between two notes of the limiter's state; a power of two.
  @_noLocks static func stride() -> Int { 64 }
  /// How many notes are kept; a power of two.
  @_noLocks static func noteCount() -> Int { 1024 }

  /// Whether there is a timeline. Without one, the mixer retires a voice as soon as it has rendered its end.
  var isKept = false
  let voices: UnsafeMutablePointer<Voice>
  var state = MixerState()
  /// The limiter's reduction before every `stride`th frame; the newest note replaces the oldest.
  private let notes: UnsafeMutablePointer<cmixer_reduction>

  /// Allocates room for `capacity` voices in the mixer's own memory.
  init(capacity: Int, _ memory: LockedMemory) {
    voices = memory.allocate(Voice.self, capacity: capacity)
    notes = memory.allocate(cmixer_reduction.self, capacity: Self.noteCount())
    notes.initialize(repeating: cmixer_reduction(missing: 0, held: 0), count: Self.noteCount())
  }

  /// Notes the limiter's state before a frame, if the frame is a multiple of the stride.
  @_noLocks func note(_ reduction: cmixer_reduction, before frame: Int) {
    if frame % Self.stride() == 0 { notes[noteIndex(frame)] = reduction }
  }

  /// The state noted before a frame, which is a multiple of the stride.
  @_noLocks func note(before frame: Int) -> cmixer_reduction { notes[noteIndex(frame)] }

  @_noLocks private func noteIndex(_ frame: Int) -> Int { frame / Self.stride() % Self.noteCount() }
}
