package import SoundTrigger

/// The priority of the audio thread in the kernel, and its limits, in `status`.
package struct RealTimeMessage: Message, Sendable {
  /// The scheduling policy; `other` without real-time priority.
  package var policy = ""
  package var priority = 0
  /// Who granted it.
  package var way = ""
  /// Why it has none, in a word.
  package var obstacle: String?
  /// The same for people.
  package var reason: String?
  /// RLIMIT_RTPRIO; `nil` if there is no limit.
  package var priorityLimit: Int?
  /// RLIMIT_RTTIME in µs; `nil` if there is no limit.
  package var runtimeLimit: Int?
  package var flushesDenormals = false

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("policy", &policy)
    m("priority", &priority)
    m("way", &way)
    m("obstacle", &obstacle)
    m("reason", &reason)
    m("priority_limit", &priorityLimit)
    m("runtime_limit", &runtimeLimit)
    m("flushes_denormals", &flushesDenormals)
  }
}

/// The memory that soundd wants to lock in RAM, in `status`.
package struct LockedMemoryMessage: Message, Sendable {
  /// In bytes.
  package var wanted = 0
  package var locked = 0
  /// RLIMIT_MEMLOCK; `nil` if there is no limit.
  package var limit: Int?
  /// Why less is locked than wanted.
  package var reason: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("wanted_bytes", &wanted)
    m("locked_bytes", &locked)
    m("limit_bytes", &limit)
    m("reason", &reason)
  }
}

/// What contents and sounds use of `limits.memory`, in `status`.
package struct MemoryUseMessage: Message, Sendable {
  /// In bytes.
  package var contents = 0
  package var clips = 0
  package var limit = 0

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("content_bytes", &contents)
    m("clip_bytes", &clips)
    m("limit_bytes", &limit)
  }
}

/// A command or a feed, in `status`.
package struct CommandMessage: Message, Sendable {
  package var kind = Word(Kind.value)
  package var name = ""
  /// Of a feed.
  package var prefix: String?
  package var command = ""
  package var state = ""
  /// Of its process.
  package var pid: Int?
  package var starts = 0
  package var failures = 0
  /// Of a feed: the lines that it refused.
  package var refusals = RefusalMembers()
  /// Why it does not work.
  package var problem: String?

  package enum Kind: String, Sendable { case value, feed }

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("kind", &kind)
    m.required("name", &name)
    m("prefix", &prefix)
    m("command", &command)
    m("state", &state)
    m("pid", &pid)
    m("starts", &starts)
    m("failures", &failures)
    refusals.members(&m)
    m("problem", &problem)
  }
}
