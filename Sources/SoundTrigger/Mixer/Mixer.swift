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
  /// At least this many stolen voices can fade at the same time; more if `voiceLimit` is larger.
  private static let fewestFades = 16
  /// The limiter holds its gain for 15 ms after a peak: half a period of 33 Hz, so the gain stays constant between two crests.
  private static let limiterHold = 0.015
  /// After the hold, the limiter's reduction halves every 40 ms.
  private static let limiterHalfLife = 0.040

  let kernel: UnsafePointer<cmixer_kernel>
  let queues: MixerQueues
  /// How many voices may sound before the mixer steals one. Voices that fade out by command count, stolen ones do not.
  let voiceLimit: Int
  /// How many slots there are: `voiceLimit`, and more for stolen voices, which fade while their successors sound.
  let capacity: Int
  let voices: UnsafeMutablePointer<Voice>
  var steady: SteadyVoices
  /// The block being mixed, interleaved.
  let block: UnsafeMutablePointer<Float>
  /// The block in the device's sample format, if the kernel cannot write the device's channel layout directly.
  let scratch: UnsafeMutableRawPointer
  /// The state of the dither for devices of 16 bits.
  let noise: UnsafeMutablePointer<UInt32>
  private let memory = LockedMemory()
  let stealFrames: Int32
  /// How many frames the limiter holds its gain after a peak, and the rate per frame at which it then releases.
  let limiter: (hold: Int32, release: Float)

  var state = MixerState()
  /// The earlier state that `applyCommands(at:)` returns to.
  var checkpoint: MixerCheckpoint
  var starts: VoiceStarts
  /// Whether the mixer has reported anything since the flag was cleared. If so, the caller wakes the control side.
  package var hasReports = false

  /// A mixer for `voiceLimit` voices at once, at `rate` frames per second.
  ///
  /// `level` chooses the kernel; `nil` chooses the best one that this processor runs.
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

/// Everything that the next frames depend on, except the voices.
struct MixerState {
  /// How many voices there are. They take the first `count` slots.
  var count = 0
  /// How many of them are stolen: they no longer count as voices, and end within 5 ms.
  var stolen = 0
  var master = MasterGain()
  var limiterReduction = cmixer_reduction(missing: 0, held: 0)
  /// The order of the next voice.
  var nextOrder: UInt32 = 0
  /// The next frame to render. Valid on a timeline and after `Mixer.pass`.
  var frame = 0
}

/// The voices with a constant gain, listed for the kernel.
struct SteadyVoices {
  let sources: UnsafeMutablePointer<UnsafePointer<Float>?>
  let gains: UnsafeMutablePointer<cmixer_gain>
  /// How many are listed.
  var count = 0
  /// How many frames the kernel has mixed from the list. The positions of the voices and the list do not include them yet.
  var pendingFrames = 0
  /// How many frames the list is valid for, because no voice begins, ramps or ends in them; 0 if there is no list.
  var frames = 0

  /// Allocates room for `capacity` voices in the mixer's own memory.
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

  /// Ramps from the present gain to `gain` in `frames`.
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

  /// Advances the ramp by `frames`.
  @_noLocks mutating func skip(_ frames: Int) {
    let ramped = min(Int32(clamping: frames), left)
    position = position &+ ramped
    left = left &- ramped
  }
}
