import CMixer
import Synchronization

/// The two positions of a bounded queue with one producer thread and one consumer thread. Its owner has the slots.
///
/// Wait-free. Positions only ever grow (modulo 2³²); the slot of a position is its low bits.
struct QueueIndices: ~Copyable {
  /// Where the producer writes next. Released by the producer, acquired by the consumer: what was written to a slot is seen.
  private let head = Atomic<UInt32>(0)
  // A cache line apart, so that neither thread invalidates the other's.
  private let apart: InlineArray<15, UInt32> = .init(repeating: 0)
  /// Where the consumer reads next. Released by the consumer, acquired by the producer: a slot was read before it is written again.
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

/// What the control side asks of the mixer. Plain bytes: copied through a queue, nothing to retain.
struct MixerCommand {
  /// A stop or a gain acts at once, and not in `frames`, if nothing of the voice was rendered.
  enum Kind: UInt8 {
    /// Begin a voice.
    case start
    /// Let a voice that loops end with the end of its clip.
    case endLoop
    /// Fade a voice out in `frames`.
    case stop
    /// Fade every voice out in `frames`.
    case stopAll
    /// Bring a voice's gain to `gain` in `frames`, and its importance to `importance`.
    case setGain
    /// Bring the master gain to `gain.left` in `frames`.
    case setMasterGain
  }

  var kind: Kind
  /// `start` and `setGain`; `UInt8.max`: as it is.
  var importance: UInt8 = 1
  var loops = false
  /// `start`: whether it takes no voice from an equally important sound.
  var sparesEquals = false
  /// Which voice: the control side chooses a number that no other voice has until this one is collected.
  var voice: UInt32 = 0
  /// `start`: the clip's first frame, valid until the voice is retired.
  var source: UnsafePointer<Float>? = nil
  /// `start`: the clip's length. Otherwise the length of the fade. In frames.
  var frames: Int32 = 0
  /// `start`: at which frame of the next block the sound begins.
  var offset: Int32 = 0
  /// `start`: length of the fade-in, in frames.
  var fadeIn: Int32 = 0
  var gain = cmixer_gain(left: 1, right: 1)
  /// `start`: when the cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  var arrival: Int64 = 0
}

/// What the audio thread counts; any thread may read it. Relaxed, because no number depends on another.
struct MixerCounters: ~Copyable {
  /// Frames rendered since the start.
  let rendered = Atomic<UInt64>(0)
  /// Voices sounding after the last block.
  let voices = Atomic<Int>(0)
  /// Voices that gave way to others after they had sounded.
  let stolen = Atomic<Int>(0)
  /// Voices that found no room.
  let refused = Atomic<Int>(0)
}

/// Everything that the control side and the audio thread share: commands in, reports of voices out, and counters.
///
/// Safety of `@unchecked Sendable`: the slots of `commands` are written by the control thread and read by the audio
/// thread, those of `reports` the other way round, each only between the calls of `QueueIndices` that hand a slot over.
final class MixerQueues: @unchecked Sendable {
  /// More commands than one block needs. A full queue refuses.
  static let commandCapacity = 1024

  let commands: QueueIndices
  let commandSlots: UnsafeMutablePointer<MixerCommand>
  let reports: QueueIndices
  let reportSlots: UnsafeMutablePointer<MixerReport>
  /// How many voices may be between `start` and `collect`. The queue holds two reports of each, so it never overflows.
  let activeCapacity: Int
  let counters = MixerCounters()
  private let memory = LockedMemory()

  /// Queues for a mixer with so many voices, which counts on from `before`.
  init(voices: Int, after before: borrowing MixerCounters = MixerCounters()) {
    var capacity = 2 * Self.commandCapacity
    while capacity < 4 * voices { capacity *= 2 }
    activeCapacity = capacity
    commands = QueueIndices(capacity: Self.commandCapacity)
    commandSlots = memory.allocate(MixerCommand.self, capacity: Self.commandCapacity)
    commandSlots.initialize(repeating: MixerCommand(kind: .stopAll), count: Self.commandCapacity)
    reports = QueueIndices(capacity: 2 * capacity)
    reportSlots = memory.allocate(MixerReport.self, capacity: 2 * capacity)
    reportSlots.initialize(repeating: MixerReport(refused: 0), count: 2 * capacity)
    counters.rendered.store(before.rendered.load(ordering: .relaxed), ordering: .relaxed)
    counters.stolen.store(before.stolen.load(ordering: .relaxed), ordering: .relaxed)
    counters.refused.store(before.refused.load(ordering: .relaxed), ordering: .relaxed)
  }
}
