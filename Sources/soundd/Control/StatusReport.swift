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
  struct Latency {
    var count: Int
    var p50: Duration?
    var p99: Duration?
    var max: Duration?
    /// The part of it that is ours: without the device's buffer.
    var oursP50: Duration?
    var oursP99: Duration?
  }

  struct Trigger {
    var name: String
    var value: String
    var sound: String?
    var state: String
    /// Changes of its value that it has seen.
    var changes: Int
    /// Plays that it has started.
    var played: Int
    /// When it played last.
    var last: Timestamp?
  }

  var uptime: Duration
  var device: Device
  /// Sounding now.
  var voices: Int
  var xruns: Int
  /// Wake-ups of the audio thread that came more than a period late.
  var late: Int
  var values: Int
  var clients: Int
  var profile: String
  /// A factor: 1 is unchanged.
  var volume: Double
  var muted: Bool
  var latency: Latency
  var triggers: [Trigger]

  /// The reply to `status`.
  var json: [UInt8] {
    var writer = ReportWriter()
    writer.object { writer in
      writer.member("uptime", uptime)
      writer.member("device") { device.write(to: &$0) }
      writer.member("voices", voices)
      writer.member("xruns", xruns)
      writer.member("late", late)
      writer.member("values", values)
      writer.member("clients", clients)
      writer.member("profile", profile)
      writer.member("volume", volume)
      writer.member("muted", muted)
      writer.member("latency") { latency.write(to: &$0) }
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
      writer.member("changes", changes)
      writer.member("played", played)
      writer.member("last", last)
    }
  }
}
