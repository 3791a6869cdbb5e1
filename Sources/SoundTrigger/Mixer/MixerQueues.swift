/// All that the control side and the audio thread share: commands in, reports of voices out, and counters.
///
/// Safety of `@unchecked Sendable`: the slots of `commands` are written by the control thread and read by the audio
/// thread, those of `reports` the other way round, each only between the calls of `QueueIndices` that hand a slot over.
final class MixerQueues: @unchecked Sendable {
  /// A full queue refuses: it holds more commands than there are voices in any sensible block.
  static let commandCapacity = 1024

  let commands: QueueIndices
  let commandSlots: UnsafeMutablePointer<MixerCommand>
  let reports: QueueIndices
  let reportSlots: UnsafeMutablePointer<MixerReport>
  /// How many voices may be between `start` and `collect`: two reports of each fit the queue, so it never overflows.
  let activeCapacity: Int
  let counters = MixerCounters()
  private let memory = LockedMemory()

  /// Queues for a mixer of so many voices.
  init(voices: Int) {
    var capacity = 2 * Self.commandCapacity
    while capacity < 4 * voices { capacity *= 2 }
    activeCapacity = capacity
    commands = QueueIndices(capacity: Self.commandCapacity)
    commandSlots = memory.allocate(MixerCommand.self, capacity: Self.commandCapacity)
    commandSlots.initialize(repeating: MixerCommand(kind: .stopAll), count: Self.commandCapacity)
    reports = QueueIndices(capacity: 2 * capacity)
    reportSlots = memory.allocate(MixerReport.self, capacity: 2 * capacity)
    reportSlots.initialize(repeating: MixerReport(ended: 0), count: 2 * capacity)
  }
}
