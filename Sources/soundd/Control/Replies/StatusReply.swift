import SoundTrigger
import SoundWire

extension DeviceMessage {
  /// `stream` is `nil` while no device is open; `error` says why none can be. `since` is when the device was found or lost.
  init(
    _ name: String, state: DeviceState, since: Timestamp?, rate: Int, stream: StreamFormat?, server: SoundServer? = nil,
    error: OutputError?, wake: Duration = .zero
  ) {
    self.init()
    (self.name, self.state, self.since) = (name, Word(state), since)
    problem = error.map { "\($0)" }
    errno = error.map { Int(-$0.code) }
    detail = error?.detail
    format = stream.map { "\($0.format)" }
    self.rate = stream?.rate ?? rate
    (channels, periodFrames, bufferFrames) = (stream?.channels, stream?.periodFrames, stream?.bufferFrames)
    self.server = server?.rawValue
    self.wake = wake
  }
}

extension LatencyMessage {
  init(_ record: LatencyRecord, withHistogram: Bool = false) {
    func duration(_ microseconds: Double?) -> Duration? { microseconds.map { .nanoseconds(Int64($0 * 1000)) } }
    self.init()
    let (total, ours, device) = (record.total.summary, record.ours.summary, record.device.summary)
    count = Int(clamping: total.count)
    (p50, p99, max) = (duration(total.median), duration(total.percentile99), duration(total.maximum))
    (oursP50, oursP99) = (duration(ours.median), duration(ours.percentile99))
    (deviceP50, deviceP99) = (duration(device.median), duration(device.percentile99))
    if withHistogram {
      histogram = record.total.buckets.map { [Double($0.upperBoundMicroseconds), Double($0.count)] }
    }
  }
}

extension RealTimeMessage {
  init(_ output: Output) {
    self.init()
    let thread = output.priority
    (policy, priority, way) = (thread.policy.rawValue, thread.priority, thread.way.rawValue)
    obstacle = thread.problem?.rawValue
    reason = thread.reason.isEmpty ? nil : thread.reason
    priorityLimit = Int(exactly: ResourceLimit(.realTimePriority).soft)
    runtimeLimit = Int(exactly: ResourceLimit(.realTimeRuntime).soft)
    flushesDenormals = output.flushesDenormals
  }
}

extension LockedMemoryMessage {
  /// `limit`: RLIMIT_MEMLOCK.
  init(_ usage: LockedMemoryUsage, limit: ResourceLimit = ResourceLimit(.lockedMemory)) {
    self.init()
    (wanted, locked, self.limit) = (usage.wanted, usage.locked, Int(exactly: limit.soft))
    reason = usage.shortage(limit)
  }
}

extension TriggerMessage {
  /// What the engine knows of a trigger; `problem` says why one of its sounds cannot be played.
  init(_ definition: TriggerDefinition, _ counters: TriggerCounters, _ activity: TriggerActivity, problem: String?) {
    self.init()
    name = definition.name
    value = definition.valueNames
    sound = definition.sound.names.joined(separator: ", ")
    state = Word(problem == nil ? TriggerState(activity.state) : .broken)
    self.problem = problem
    queued = activity.queued
    (changes, played, dropped) = (counters.changes, counters.played, counters.dropped)
  }
}

extension TriggerState {
  init(_ state: TriggerActivity.State) {
    self =
      switch state {
      case .resting: .ok
      case .waiting: .waiting
      case .sounding: .sounding
      case .looping: .looping
      }
  }
}

extension TriggerDefinition {
  /// The watched values, as replies name them.
  var valueNames: String { (values.map(\.description) + patterns.map(\.description)).joined(separator: ", ") }
}

extension LockedMemoryUsage {
  /// Why less memory is locked than wanted; `nil` if all of it is locked.
  func shortage(_ limit: ResourceLimit = ResourceLimit(.lockedMemory)) -> String? {
    if locked >= wanted { return nil }
    let missing = "\((wanted - locked + 1023) >> 10) of \((wanted + 1023) >> 10) KiB"
    let reason = "\(missing) may be swapped out (\(SystemError.text(error)))"
    return limit.soft == ResourceLimit.unlimited ? reason : "\(reason); RLIMIT_MEMLOCK is \(limit.soft >> 10) KiB"
  }
}
