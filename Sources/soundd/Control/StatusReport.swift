/// What `status` shows.
///
/// Absent members are sent as `null`.
struct StatusReport {
  struct Device {
    var name: String
    /// A word such as `stopped`, `running` or `absent`.
    var state: String
    var format: String?
    /// Frames per second.
    var rate: Int?
    var channels: Int?
    var periodFrames: Int?
    var bufferFrames: Int?
  }

  /// From the arrival of a change to its sound, over all plays since the start.
  ///
  /// Or over those of one trigger.
  struct Latency {
    var count: Int
    var p50: Duration?
    var p99: Duration?
    var max: Duration?
    /// The part of it that is ours: until the first frames were handed over.
    var oursP50: Duration?
    var oursP99: Duration?
    /// The device's part: from there to the ear.
    var deviceP50: Duration?
    var deviceP99: Duration?
  }

  struct Trigger {
    var name: String
    var value: String
    var sound: String?
    /// `ok`, `waiting`, `sounding`, `looping`, or `broken` whatever it does besides.
    var state: String
    /// Why it is broken; `nil`: it is not.
    var problem: String?
    /// Plays that wait for their turn.
    var queued: Int
    /// Changes of its value that it has seen.
    var changes: Int
    /// Plays that it has started.
    var played: Int
    /// Plays that would have come too late.
    var dropped: Int
    /// When it played last.
    var last: Timestamp?
    /// Of its plays alone.
    var latency: Latency
  }

  /// How urgently the audio thread is run.
  struct RealTime {
    /// `fifo`, `rr` or `other`.
    var policy: String
    /// 1…99; 0 if it is not real-time.
    var priority: Int
    /// Who granted it: `kernel`, `rtkit` or `none`.
    var way: String
    /// What stands in its way: `not-permitted`, `refused`, `silent`, `failed`, `overran` or `taken-away`.
    var obstacle: String?
    var reason: String?
    /// RLIMIT_RTPRIO; absent if there is no limit.
    var priorityLimit: Int?
    /// RLIMIT_RTTIME.
    var runtimeLimit: Duration?
    /// Whether denormal numbers count as zero on the audio thread.
    var flushesDenormals: Bool
  }

  /// The memory that is not to be swapped out, in bytes.
  struct Memory {
    var wanted: Int
    var locked: Int
    /// RLIMIT_MEMLOCK; absent if there is no limit.
    var limit: Int?
    /// Why less is locked than is wanted.
    var reason: String?
  }

  /// Who is heard.
  struct Profile {
    /// In force: `full`, `quiet` or `silent`.
    var name: String
    /// The one that was chosen, which quiet hours may stand before.
    var chosen: String
    /// Until when quiet hours last, by local time; absent if there are none now.
    var quietUntil: LocalTimestamp?
  }

  var uptime: Duration
  var device: Device
  /// Sounding now.
  var voices: Int
  var xruns: Int
  /// Frames that should have been heard in those and were not.
  var missing: Int
  /// Wake-ups of the audio thread that came more than a period late.
  var late: Int
  /// Changes that came too late for what the device was about to play: a sound's beginning may have been cut.
  var missed: Int
  var values: Int
  var clients: Int
  /// Connections that ended because what was sent to them was not read.
  var slowClients: Int
  var profile: Profile
  /// A factor: 1 is unchanged.
  var volume: Double
  var muted: Bool
  var latency: Latency
  var realTime: RealTime
  var memory: Memory
  var triggers: [Trigger]

  /// The reply to `status`.
  var json: [UInt8] {
    var writer = ReportWriter()
    writer.object { writer in
      writer.member("uptime", uptime)
      writer.member("device") { device.write(to: &$0) }
      writer.member("voices", voices)
      writer.member("xruns", xruns)
      writer.member("missing_frames", missing)
      writer.member("late", late)
      writer.member("missed", missed)
      writer.member("values", values)
      writer.member("clients", clients)
      writer.member("slow_clients", slowClients)
      writer.member("profile", profile.name)
      writer.member("profile_chosen", profile.chosen)
      writer.member("quiet_until", profile.quietUntil?.description)
      writer.member("volume", volume)
      writer.member("muted", muted)
      writer.member("latency") { latency.write(to: &$0) }
      writer.member("realtime") { realTime.write(to: &$0) }
      writer.member("memory") { memory.write(to: &$0) }
      writer.member("triggers") { writer in
        writer.array(triggers) { trigger, writer in trigger.write(to: &writer) }
      }
    }
    return writer.bytes
  }
}

extension StatusReport.Device {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("state", state)
      writer.member("format", format)
      writer.member("rate", rate)
      writer.member("channels", channels)
      writer.member("period_frames", periodFrames)
      writer.member("buffer_frames", bufferFrames)
    }
  }
}

extension StatusReport.Latency {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("count", count)
      writer.member("p50", p50)
      writer.member("p99", p99)
      writer.member("max", max)
      writer.member("ours_p50", oursP50)
      writer.member("ours_p99", oursP99)
      writer.member("device_p50", deviceP50)
      writer.member("device_p99", deviceP99)
    }
  }
}

extension StatusReport.RealTime {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("policy", policy)
      writer.member("priority", priority)
      writer.member("way", way)
      writer.member("obstacle", obstacle)
      writer.member("reason", reason)
      writer.member("priority_limit", priorityLimit)
      writer.member("runtime_limit", runtimeLimit)
      writer.member("flushes_denormals", flushesDenormals)
    }
  }
}

extension StatusReport.Memory {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("wanted_bytes", wanted)
      writer.member("locked_bytes", locked)
      writer.member("limit_bytes", limit)
      writer.member("reason", reason)
    }
  }
}

extension StatusReport.Trigger {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("value", value)
      writer.member("sound", sound)
      writer.member("state", state)
      writer.member("problem", problem)
      writer.member("queued", queued)
      writer.member("changes", changes)
      writer.member("played", played)
      writer.member("dropped", dropped)
      writer.member("last", last)
      writer.member("latency") { latency.write(to: &$0) }
    }
  }
}
