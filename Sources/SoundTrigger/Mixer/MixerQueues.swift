import CMixer
import Synchronization

/// The two positions of a bounded queue with one producer thread and one consumer thread. The owner keeps the slots.
///
/// Wait-free. Positions only grow (modulo 2³²). The low bits of a position are the index of its slot.
struct QueueIndices: ~Copyable {
  /// Where the producer writes next. The producer releases it and the consumer acquires it, so the consumer sees the
  /// slot's content.
  private let head = Atomic<UInt32>(0)
  // A cache line apart, so that neither thread invalidates the other's.
  private let apart: InlineArray<15, UInt32> = .init(repeating: 0)
  /// Where the consumer reads next. The consumer releases it and the producer acquires it, so no slot is overwritten
  /// before it was read.
  private let tail = Atomic<UInt32>(0)
  private let mask: UInt32

  /// A queue of `capacity` slots, a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity of a queue is a power of two")
    mask = UInt32(capacity - 1)
  }

  /// Producer: the slot to write, or -1 if the queue is full.
  @_noLocks func slotToWrite() -> Int {
    let position = head.load(ordering: .relaxed)
    if position &- tail.load(ordering: .acquiring) > mask { return -1 }
    return Int(position & mask)
  }

  /// Producer: hands over the written slot.
  @_noLocks func publish() {
    head.store(head.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Consumer: the slot to read, or -1 if the queue is empty.
  @_noLocks func slotToRead() -> Int {
    let position = tail.load(ordering: .relaxed)
    if position == head.load(ordering: .acquiring) { return -1 }
    return Int(position & mask)
  }

  /// Consumer: hands back the slot.
  @_noLocks func release() {
    tail.store(tail.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Consumer: whether there is nothing to read.
  @_noLocks func isEmpty() -> Bool { tail.load(ordering: .relaxed) == head.load(ordering: .acquiring) }
}

/// A command of the control side to the mixer. Plain bytes, which a queue copies without retaining anything.
struct MixerCommand {
  /// A voice without a rendered frame stops at once. Without a fade-in it also takes a new gain at once. The master gain
  /// changes at once while no voice has a rendered frame.
  enum Kind: UInt8 {
    /// Begin a voice.
    case start
    /// Let a looping voice end with its clip.
    case endLoop
    /// Fade a voice out in `frames`.
    case stop
    /// Fade every voice out in `frames`.
    case stopAll
    /// Ramp a voice's gain to `gain` in `frames`, and set its importance.
    case setGain
    /// Ramp the master gain to `gain.left` in `frames`.
    case setMasterGain
  }

  var kind: Kind
  /// `start` and `setGain`; `UInt8.max` keeps the present importance.
  var importance: UInt8 = 1
  var loops = false
  /// `start`: whether it steals no voice of an equally important sound, unless that fades out.
  var sparesEquals = false
  /// The voice's number. The control side gives it to no other voice before it has collected the end of this one.
  var voice = VoiceID(rawValue: 0)
  /// `start`: the clip's first frame, valid until the voice is retired.
  var source: UnsafePointer<Float>? = nil
  /// `start`: the clip's length. Otherwise the length of the fade. In frames.
  var frames: Int32 = 0
  /// `start`: the frame of the next block at which the sound begins.
  var offset: Int32 = 0
  /// `start`: length of the fade-in, in frames.
  var fadeIn: Int32 = 0
  var gain = cmixer_gain(left: 1, right: 1)
  /// `start`: when the cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  var arrival: Int64 = 0
}

/// The audio thread's counters, which any thread may read. Relaxed, because no number depends on another.
struct MixerCounters: ~Copyable {
  /// Frames rendered since the start.
  let rendered = Atomic<UInt64>(0)
  /// Voices sounding after the last block.
  let voices = Atomic<Int>(0)
  /// Voices that the mixer stole after they had sounded.
  let stolen = Atomic<Int>(0)
  /// Voices that the mixer refused.
  let refused = Atomic<Int>(0)
}

/// Everything that the control side and the audio thread share: commands to the mixer, reports of voices, and counters.
///
/// Safety of `@unchecked Sendable`: the slots of `commands` are written by the control thread and read by the audio
/// thread, those of `reports` the other way round, each only between the calls of `QueueIndices` that hand a slot over.
final class MixerQueues: @unchecked Sendable {
  /// More commands than one block needs. A full queue refuses.
  static let commandCapacity = 1024

  let commands: QueueIndices
  let commandSlots: UnsafeMutablePointer<MixerCommand>
  let reports: QueueIndices
  let reportSlots: UnsafeMutablePointer<VoiceReport>
  /// How many voices may be between `start` and `collect`. `reports` has room for two reports of each, so it never
  /// overflows.
  let activeCapacity: Int
  let counters = MixerCounters()
  private let memory = LockedMemory()

  /// Queues for a mixer with `voiceLimit` voices. Its counters continue from `before`.
  init(voices: Int, after before: borrowing MixerCounters = MixerCounters()) {
    var capacity = 2 * Self.commandCapacity
    while capacity < 4 * voices { capacity *= 2 }
    activeCapacity = capacity
    commands = QueueIndices(capacity: Self.commandCapacity)
    commandSlots = memory.allocate(MixerCommand.self, capacity: Self.commandCapacity)
    commandSlots.initialize(repeating: MixerCommand(kind: .stopAll), count: Self.commandCapacity)
    reports = QueueIndices(capacity: 2 * capacity)
    reportSlots = memory.allocate(VoiceReport.self, capacity: 2 * capacity)
    reportSlots.initialize(repeating: .refused(VoiceID(rawValue: 0)), count: 2 * capacity)
    counters.rendered.store(before.rendered.load(ordering: .relaxed), ordering: .relaxed)
    counters.stolen.store(before.stolen.load(ordering: .relaxed), ordering: .relaxed)
    counters.refused.store(before.refused.load(ordering: .relaxed), ordering: .relaxed)
  }
}
