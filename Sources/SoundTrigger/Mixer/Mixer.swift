import CMixer
import Synchronization

/// Sums voices into blocks of stereo float32: the part of the pipeline that runs in real time.
///
/// Belongs to one thread. `render` allocates nothing, takes no lock and makes no system call; the compiler checks it.
/// Commands come in and reports go out through `MixerQueues`.
package struct Mixer: ~Copyable {
  /// The largest block, in frames: as long as the padding of a clip.
  package static let maximumFrames = Clip.padding
  /// A stolen voice fades out in 5 ms.
  private static let stealFade = 0.005
  /// So many stolen voices may fade at the same time, or as many as may sound if that is more.
  private static let fewestFades = 16
  /// The limiter's gain stays where it is for 15 ms after a peak: from crest to crest of 33 Hz.
  private static let limiterHold = 0.015
  /// Then its reduction halves every 40 ms.
  private static let limiterHalfLife = 0.040

  let kernel: UnsafePointer<cmixer_kernel>
  let queues: MixerQueues
  /// How many voices may sound, those that fade out by command included; then one is stolen.
  let voiceLimit: Int
  /// Stolen voices fade while their successors sound, so there are slots for them, too.
  let capacity: Int
  let voices: UnsafeMutablePointer<Voice>
  var steady: SteadyVoices
  /// The block being mixed, interleaved.
  let block: UnsafeMutablePointer<Float>
  /// The block in the device's integers, before it is spread over a layout that the kernel does not write itself.
  let scratch: UnsafeMutableRawPointer
  /// The state of the dither for devices of 16 bits.
  let noise: UnsafeMutablePointer<UInt32>
  private let memory = LockedMemory()
  let stealFrames: Int32
  /// For how many frames the limiter holds its gain after a peak, and by which rate a frame it gets it back then.
  let limiter: (hold: Int32, release: Float)

  var state = MixerState()
  var nextOrder: UInt32 = 0
  /// The earlier state that `applyCommands(at:)` returns to.
  var checkpoint: MixerCheckpoint
  var starts: VoiceStarts
  /// Whether there were reports since the flag was last cleared: the control side should be woken.
  package var hasReports = false

  /// A mixer for so many voices at once, at `rate` frames per second.
  ///
  /// `level` chooses the kernel; `nil`: the best that this processor runs.
  init(queues: MixerQueues, voiceLimit: Int, rate: Int, level: Int? = nil) {
    self.queues = queues
    self.voiceLimit = voiceLimit
    capacity = voiceLimit + max(Self.fewestFades, voiceLimit)
    kernel = cmixer_kernel_at(Int32(level ?? Int(cmixer_levels()) - 1))
    voices = memory.allocate(Voice.self, capacity: capacity)
    steady = SteadyVoices(capacity: capacity, memory)
    let samples = 2 * Self.maximumFrames
    block = memory.allocate(Float.self, capacity: samples)
    block.initialize(repeating: 0, count: samples)
    scratch = memory.allocate(byteCount: 4 * samples)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: 4 * samples)
    checkpoint = MixerCheckpoint(capacity: capacity, memory)
    starts = VoiceStarts(first: memory.allocate(VoiceStart.self, capacity: queues.activeCapacity))
    noise = memory.allocate(UInt32.self, capacity: Int(CMIXER_NOISE))
    for lane in 0..<Int(CMIXER_NOISE) { noise[lane] = 0x9E37_79B9 &* UInt32(lane + 1) }
    stealFrames = Int32(Self.stealFade * Double(rate))
    limiter = (
      hold: Int32(Self.limiterHold * Double(rate)),
      release: Float(0.693147 / (Self.limiterHalfLife * Double(rate)))
    )
  }

  /// Whether nothing sounds and no command waits.
  @_noLocks package func isIdle() -> Bool { state.count == 0 && queues.commands.isEmpty() }

  /// Whether the next frames are silent unless commands change that.
  @_noLocks package func isSilent() -> Bool { state.count == 0 }

  /// Whether commands wait to be applied.
  @_noLocks package func hasCommands() -> Bool { !queues.commands.isEmpty() }
}

/// What the next frames depend on, beside the voices themselves.
struct MixerState {
  /// How many voices there are: the first so many slots.
  var count = 0
  /// How many of them are stolen: they no longer count as voices, and end within 5 ms.
  var stolen = 0
  var master = MasterGain()
  var limiterReduction = cmixer_reduction(missing: 0, held: 0)
  /// The next frame to be rendered, on the timeline if there is one.
  var frame = 0
}

/// The voices with a constant gain, listed for the kernel.
struct SteadyVoices {
  let sources: UnsafeMutablePointer<UnsafePointer<Float>?>
  let gains: UnsafeMutablePointer<cmixer_gain>
  /// How many are listed.
  var count = 0
  /// How many frames were mixed since the list was made. The positions of voices and list are still those of that time.
  var pendingFrames = 0
  /// For how many frames from that time no voice begins, ramps or ends, so that the list holds; 0: there is no list.
  var frames = 0

  /// Room for so many voices, in the mixer's own memory.
  init(capacity: Int, _ memory: LockedMemory) {
    sources = memory.allocate(UnsafePointer<Float>?.self, capacity: capacity)
    sources.initialize(repeating: nil, count: capacity)
    gains = memory.allocate(cmixer_gain.self, capacity: capacity)
    gains.initialize(repeating: cmixer_gain(), count: capacity)
  }

  /// Forgets the list.
  @_noLocks mutating func discard() {
    pendingFrames = 0
    frames = 0
  }
}

/// The gain of the whole mix: volume, mute, the fade at the end.
struct MasterGain {
  var target: Float = 1
  var from: Float = 1
  var step: Float = 0
  var position: Int32 = 0
  /// How many frames of the ramp are left; 0: the gain is `target`.
  var left: Int32 = 0

  /// Goes to `gain` in so many frames, from where it is now.
  @_noLocks mutating func ramp(to gain: Float, frames: Int32) {
    let now = left == 0 ? target : from + step * Float(position)
    target = gain
    left = max(0, frames)
    if left > 0 {
      from = now
      step = (gain - now) / Float(left)
      position = 0
    }
  }

  /// Advances by so many frames.
  @_noLocks mutating func skip(_ frames: Int) {
    let ramped = min(Int32(clamping: frames), left)
    position = position &+ ramped
    left = left &- ramped
  }
}
