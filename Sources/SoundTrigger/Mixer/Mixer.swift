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
  /// The limiter lets go of half its reduction in 40 ms.
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
  let stealFrames: Int32
  let limiterRelease: Float

  /// Voices in use: the first so many.
  var count = 0
  /// How many of those are on their way out.
  var stopping = 0
  var nextOrder: UInt32 = 0
  /// What the limiter takes away: 1 minus its gain.
  var limiterReduction: Float = 0
  var master = MasterGain()
  /// Arrivals of the commands applied since `takeArrival` last returned 0.
  var arrivals: InlineArray<32, Int64> = .init(repeating: 0)
  var arrivalCount = 0
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
    voices = .allocate(capacity: capacity)
    sources = .allocate(capacity: capacity)
    sources.initialize(repeating: nil, count: capacity)
    gains = .allocate(capacity: capacity)
    gains.initialize(repeating: cmixer_gain(), count: capacity)
    let samples = 2 * Self.maximumFrames
    block = UnsafeMutableRawPointer.allocate(byteCount: 4 * samples, alignment: 64)
      .initializeMemory(as: Float.self, repeating: 0, count: samples)
    scratch = .allocate(byteCount: 4 * samples, alignment: 64)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: 4 * samples)
    stealFrames = Int32(Self.stealFade * Double(rate))
    limiterRelease = Float(0.693147 / (Self.limiterHalfLife * Double(rate)))
  }

  deinit {
    voices.deallocate()
    sources.deallocate()
    gains.deallocate()
    block.deallocate()
    scratch.deallocate()
  }

  /// Whether nothing sounds and nothing waits to.
  @_noLocks package func isIdle() -> Bool { count == 0 && queues.commands.isEmpty() }

  /// Whether the last blocks carried out starts whose arrival was not yet taken.
  @_noLocks func hasArrivals() -> Bool { arrivalCount > 0 }

  /// Forgets the arrivals of starts that nobody heard.
  @_noLocks mutating func forgetArrivals() { arrivalCount = 0 }

  /// The arrival time of a start that the last block carried out; 0 when there is none left.
  @_noLocks package mutating func takeArrival() -> Int64 {
    if arrivalCount == 0 { return 0 }
    arrivalCount &-= 1
    return arrivals[arrivalCount]
  }
}

/// The gain of the whole mix: volume, mute, the fade at the end.
struct MasterGain {
  var target: Float = 1
  var from: Float = 1
  var step: Float = 0
  var position: Int32 = 0
  /// Frames of the ramp that are left; 0: the gain stands at `target`.
  var left: Int32 = 0
}
