import SoundTrigger

extension DoctorFindings {
  /// Takes over what a daemon tells of itself.
  mutating func take(status: JSONReply) throws(Failure) {
    let device = try status.object("device")
    self.device.name = try device.string("name")
    switch try device.string("state") {
    case "clock": self.device.state = .clock
    case "missing":
      self.device.state = .fails("cannot play on '\(self.device.name)'; the daemon's log says why", code: nil)
    default:
      self.device.state = .opens(
        "\(try device.string("format")), \(try device.string("rate")) Hz, \(try device.string("channels")) channels, "
          + "buffer \(try device.string("buffer_frames")) frames, period \(try device.string("period_frames"))")
    }
    realTime = try StatusReport.RealTime(status.object("realtime"))
    memory = try StatusReport.Memory(status.object("memory"))
    for trigger in try JSONReply.elements(of: try status.text("triggers") ?? Array("[]".utf8))
    where try trigger.string("state") == "broken" {
      sounds.complaints.append("trigger '\(try trigger.string("name"))' cannot play '\(try trigger.string("sound"))'")
    }
  }
}

extension JSONReply {
  fileprivate func number(_ name: String) throws(Failure) -> Int? {
    try text(name).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  fileprivate func optionalString(_ name: String) throws(Failure) -> String? {
    try text(name).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension StatusReport.RealTime {
  /// `nil` if the daemon does not tell.
  fileprivate init?(_ reply: JSONReply) throws(Failure) {
    guard let policy = try reply.optionalString("policy"), let way = try reply.optionalString("way") else { return nil }
    self.init(
      policy: policy, priority: try reply.number("priority") ?? 0, way: way,
      obstacle: try reply.optionalString("obstacle"), reason: try reply.optionalString("reason"),
      priorityLimit: try reply.number("priority_limit"),
      runtimeLimit: try reply.number("runtime_limit").map { .microseconds($0) },
      flushesDenormals: try reply.optionalString("flushes_denormals") == "true")
  }
}

extension StatusReport.Memory {
  /// `nil` if the daemon does not tell.
  fileprivate init?(_ reply: JSONReply) throws(Failure) {
    guard let wanted = try reply.number("wanted_bytes"), let locked = try reply.number("locked_bytes") else {
      return nil
    }
    self.init(
      wanted: wanted, locked: locked, limit: try reply.number("limit_bytes"), reason: try reply.optionalString("reason")
    )
  }
}
