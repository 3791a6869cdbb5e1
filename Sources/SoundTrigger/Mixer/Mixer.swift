import CMixer
import Synchronization

/// Sums voices into blocks of stereo float32: the part of the pipeline that runs in real time.
///
/// Owned by one thread. `render` allocates nothing, takes no lock and makes no system call; the compiler checks it.
/// Commands come in and retired voices go out through `MixerQueues`.
package struct Mixer: ~Copyable {
  /// The largest block, in frames: what the padding of a clip covers.
  package static let maximumFrames = Clip.padding
  /// A stolen voice fades out in 5 ms.
  private static let stealFade = 0.005
  /// The limiter's gain stands still for 15 ms after a peak: from crest to crest of 33 Hz.
  private static let limiterHold = 0.015
  /// Then it lets go of half its reduction in 40 ms.
  private static let limiterHalfLife = 0.040

  let kernel: UnsafePointer<cmixer_kernel>
  let queues: MixerQueues
  /// How many voices may sound; beyond that, one is stolen.
  let voiceLimit: Int
  /// Stolen voices fade while their successors sound, so there is room for as many again.
  let capacity: Int
  let voices: UnsafeMutablePointer<Voice>
  let sources: UnsafeMutablePointer<UnsafePointer<Float>?>
  let gains: UnsafeMutablePointer<cmixer_gain>
  /// The block being mixed, interleaved.
  let block: UnsafeMutablePointer<Float>
  /// The block in the device's integers, on its way to a layout that the kernel does not write itself.
  let scratch: UnsafeMutableRawPointer
  /// The state of the dither for devices of 16 bits.
  let noise: UnsafeMutablePointer<UInt32>
  private let memory = LockedMemory()
  let stealFrames: Int32
  let limiterHold: Int32
  let limiterRelease: Float

  /// Voices in use: the first so many.
  var count = 0
  /// How many of them are listed in `sources` and `gains`.
  var gathered = 0
  /// How many frames were mixed since: voices and list stand as they did then.
  var lag = 0
  /// For how many frames from there no voice begins, ramps or ends; 0: there is no list.
  var quiet = 0
  /// How many of those are on their way out.
  var stopping = 0
  var nextOrder: UInt32 = 0
  var limiterReduction = cmixer_reduction(missing: 0, held: 0)
  var master = MasterGain()
  /// The next frame to be rendered, on the timeline if there is one.
  var frame = 0
  /// The earlier state that `takeCommands` goes back to.
  var past: MixerPast
  /// The starts that were carried out and not yet reported as heard, if their cause's arrival is known.
  let starts: UnsafeMutablePointer<VoiceStart>
  var startCount = 0
  /// Whether a voice was retired since the flag was last cleared: the control side should be woken.
  package var hasRetired = false

  /// A mixer for so many voices at once, at `rate` frames per second.
  ///
  /// `level` chooses the kernel, `nil` the best that this processor runs.
  init(queues: MixerQueues, voiceLimit: Int, rate: Int, level: Int? = nil) {
    self.queues = queues
    self.voiceLimit = voiceLimit
    capacity = 2 * voiceLimit
    kernel = cmixer_kernel_at(Int32(level ?? Int(cmixer_levels()) - 1))
    voices = memory.allocate(Voice.self, capacity: capacity)
    sources = memory.allocate(UnsafePointer<Float>?.self, capacity: capacity)
    sources.initialize(repeating: nil, count: capacity)
    gains = memory.allocate(cmixer_gain.self, capacity: capacity)
    gains.initialize(repeating: cmixer_gain(), count: capacity)
    let samples = 2 * Self.maximumFrames
    block = memory.allocate(Float.self, capacity: samples)
    block.initialize(repeating: 0, count: samples)
    scratch = memory.allocate(byteCount: 4 * samples)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: 4 * samples)
    past = MixerPast(capacity: capacity, memory)
    starts = memory.allocate(VoiceStart.self, capacity: capacity)
    noise = memory.allocate(UInt32.self, capacity: Int(CMIXER_NOISE))
    for lane in 0..<Int(CMIXER_NOISE) { noise[lane] = 0x9E37_79B9 &* UInt32(lane + 1) }
    stealFrames = Int32(Self.stealFade * Double(rate))
    limiterHold = Int32(Self.limiterHold * Double(rate))
    limiterRelease = Float(0.693147 / (Self.limiterHalfLife * Double(rate)))
  }

  /// Whether nothing sounds and nothing waits to.
  @_noLocks package func isIdle() -> Bool { count == 0 && queues.commands.isEmpty() }

  /// Whether the next frames are silent unless commands change that.
  @_noLocks package func isSilent() -> Bool { count == 0 }

  /// Whether commands wait to be carried out.
  @_noLocks package func hasCommands() -> Bool { !queues.commands.isEmpty() }

  /// Whether voices were started that nobody reported as heard.
  @_noLocks func hasStarts() -> Bool { startCount > 0 }

  /// Reports the starts since the last call as heard: their first frames were handed over at `now`, in nanoseconds of
  /// CLOCK_MONOTONIC, and reach the ear `delay` nanoseconds later.
  @_noLocks package mutating func reportStarts(at now: Int64, delay: Int64) {
    var index = 0
    while index < startCount {
      report(MixerReport(heard: starts[index].voice, after: now &- starts[index].arrival, delay: delay))
      index &+= 1
    }
    startCount = 0
  }

  /// Forgets the starts that nobody is going to hear.
  @_noLocks mutating func forgetStarts() { startCount = 0 }
}

/// A start whose latency is being measured.
struct VoiceStart {
  var voice: UInt32
  var arrival: Int64
}

/// The gain of the whole mix: volume, mute, the fade at the end.
struct MasterGain {
  var target: Float = 1
  var from: Float = 1
  var step: Float = 0
  var position: Int32 = 0
  /// Frames of the ramp that are left; 0: the gain stands at `target`.
  var left: Int32 = 0

  /// Moves on by so many frames.
  @_noLocks mutating func skip(_ frames: Int) {
    let ramped = min(Int32(clamping: frames), left)
    position = position &+ ramped
    left = left &- ramped
  }
}
