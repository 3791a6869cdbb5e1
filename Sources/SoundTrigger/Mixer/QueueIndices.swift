import Synchronization

/// The two positions of a bounded queue with one producer thread and one consumer thread. The slots lie with its owner.
///
/// Wait-free. Positions only ever grow (modulo 2³²); the slot of a position is its low bits.
struct QueueIndices: ~Copyable {
  /// Where the producer writes next. Released by the producer, acquired by the consumer: what was written to a slot is seen.
  private let head = Atomic<UInt32>(0)
  // A cache line apart, so that the two threads do not take each other's line away.
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

  /// Producer: hands the written slot over.
  @_noLocks func publish() {
    head.store(head.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Consumer: the slot to read, or -1 if the queue is empty.
  @_noLocks func slotToRead() -> Int {
    let position = tail.load(ordering: .relaxed)
    if position == head.load(ordering: .acquiring) { return -1 }
    return Int(position & mask)
  }

  /// Consumer: gives the slot back.
  @_noLocks func release() {
    tail.store(tail.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Consumer: whether there is nothing to read.
  @_noLocks func isEmpty() -> Bool { tail.load(ordering: .relaxed) == head.load(ordering: .acquiring) }
}
