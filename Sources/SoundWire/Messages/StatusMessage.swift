package import SoundTrigger

/// The reply to `status`.
package struct StatusMessage: Message, Sendable {
  /// Of the daemon.
  package var version: String?
  package var executable: String?
  package var pid: Int?
  package var uptime = Duration.zero
  /// The file that the daemon uses.
  package var configuration: String?
  /// Those that are not normal, or snoozed: the most important first.
  package var alarms: [AlarmMessage] = []
  package var warnings: [WarningMessage] = []
  package var device = DeviceMessage()
  /// How many sound.
  package var voices = 0
  package var xruns = 0
  /// Frames that the device lacked.
  package var missingFrames = 0
  package var late = 0
  package var missed = 0
  /// How many values there are.
  package var values = 0
  /// How many updates, and sounds by hand, were refused.
  package var refused = 0
  /// Some of the values that have refused updates, the latest first.
  package var refusals: [RefusingValueMessage] = []
  package var clients = 0
  package var slowClients = 0
  package var evictedClients = 0
  package var profile = ProfileMembers()
  package var level = LevelMembers()
  /// Why the state is not saved.
  package var stateProblem: String?
  package var latency = LatencyMessage()
  /// How many plays began after a silence that woke the sink.
  package var woken = 0
  package var realTime: RealTimeMessage?
  package var memory: LockedMemoryMessage?
  package var memoryUse = MemoryUseMessage()
  package var commands: [CommandMessage] = []
  package var triggers: [TriggerMessage] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("version", &version)
    m("executable", &executable)
    m("pid", &pid)
    m("uptime", &uptime)
    m("configuration", &configuration)
    m.required("alarms", &alarms)
    m.required("warnings", &warnings)
    m.required("device", &device)
    m("voices", &voices)
    m("xruns", &xruns)
    m("missing_frames", &missingFrames)
    m("late", &late)
    m("missed", &missed)
    m("values", &values)
    m("refused", &refused)
    m("refusals", &refusals)
    m("clients", &clients)
    m("slow_clients", &slowClients)
    m("evicted_clients", &evictedClients)
    profile.members(&m)
    level.members(&m)
    m("state_problem", &stateProblem)
    m("latency", &latency)
    m("woken", &woken)
    m("realtime", &realTime)
    m("memory", &memory)
    m("memory_use", &memoryUse)
    m("commands", &commands)
    m.required("triggers", &triggers)
  }
}

/// The members of the reply to `status` that `list` reads: reading all of them costs more than the rest of the command.
package struct FeedStatusMessage: Message, Sendable {
  package var version: String?
  package var commands: [CommandMessage] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("version", &version)
    m("commands", &commands)
  }
}

/// A value that has refused updates, in `status`.
package struct RefusingValueMessage: Message, Sendable {
  package var name = ""
  package var refusals = RefusalMembers()

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("name", &name)
    refusals.members(&m)
  }
}
