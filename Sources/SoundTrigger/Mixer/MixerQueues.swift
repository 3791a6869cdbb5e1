/// All that the control side and the audio thread share: commands in, retired voices out, and counters.
///
/// Safety of `@unchecked Sendable`: the slots of `commands` are written by the control thread and read by the audio
/// thread, those of `retired` the other way round, each only between the calls of `QueueIndices` that hand a slot over.
final class MixerQueues: @unchecked Sendable {
  /// A full queue refuses: it holds more commands than there are voices in any sensible block.
  static let commandCapacity = 1024

  let commands: QueueIndices
  let commandSlots: UnsafeMutablePointer<MixerCommand>
  let retired: QueueIndices
  let retiredSlots: UnsafeMutablePointer<UInt32>
  /// How many voices may be between `start` and `collect`: as many as the retired queue holds, so it never overflows.
  let retiredCapacity: Int
  let counters = MixerCounters()

  /// Queues for a mixer of so many voices.
  init(voices: Int) {
    var capacity = 2 * Self.commandCapacity
    while capacity < 4 * voices { capacity *= 2 }
    retiredCapacity = capacity
    commands = QueueIndices(capacity: Self.commandCapacity)
    commandSlots = .allocate(capacity: Self.commandCapacity)
    commandSlots.initialize(repeating: MixerCommand(kind: .stopAll), count: Self.commandCapacity)
    retired = QueueIndices(capacity: capacity)
    retiredSlots = .allocate(capacity: capacity)
    retiredSlots.initialize(repeating: 0, count: capacity)
  }

  deinit {
    commandSlots.deallocate()
    retiredSlots.deallocate()
  }
}
