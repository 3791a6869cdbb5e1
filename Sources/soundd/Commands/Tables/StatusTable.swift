import SoundTrigger

/// The daemon's status for people.
enum StatusTable {
  static func text(_ reply: [UInt8]) throws(Failure) -> String {
    let status = try JSONObject(reply: reply)
    let (device, latency) = (status.object("device"), status.object("latency"))
    let (realTime, memory) = (status.object("realtime"), status.object("memory"))
    var lines = [
      "device   \(device.shown("name")) (\(device.shown("state"))): \(device.shown("format")), "
        + "\(device.shown("rate")) Hz, \(device.shown("channels")) channels, buffer \(device.shown("buffer_frames"))",
      "latency  p50 \(latency.shown("p50")) µs, p99 \(latency.shown("p99")) µs, max \(latency.shown("max")) µs "
        + "(\(latency.shown("count")) plays)",
      "  ours   p50 \(latency.shown("ours_p50")) µs, p99 \(latency.shown("ours_p99")) µs; the device's "
        + "p50 \(latency.shown("device_p50")) µs, p99 \(latency.shown("device_p99")) µs",
      "voices   \(status.shown("voices")), xruns \(status.shown("xruns")) "
        + "(\(status.shown("missing_frames")) frames missing), late \(status.shown("late")), "
        + "missed \(status.shown("missed"))",
      "volume   \(VolumeText.text(status.text("volume").flatMap(Double.init) ?? 1))"
        + (status.text("muted") == "true" ? ", muted" : ""),
      "profile  \(status.profile)",
      "priority \(realTime.shown("priority")) (\(realTime.shown("policy"))), "
        + "locked memory \(memory.shown("locked_bytes")) of \(memory.shown("wanted_bytes")) bytes",
      "values   \(status.shown("values")) (\(status.shown("refused")) updates refused), "
        + "clients \(status.shown("clients"))",
    ]
    let triggers = try JSONObject.array(reply: status["triggers"])
    if !triggers.isEmpty {
      var rows = [["TRIGGER", "VALUE", "SOUND", "STATE", "CHANGES", "PLAYED", "DROPPED", "P50 µs", "P99 µs", "LAST"]]
      for trigger in triggers {
        var row = ["name", "value", "sound", "state", "changes", "played", "dropped"].map(trigger.shown)
        if let queued = trigger.number("queued"), queued > 0 { row[3] += ", \(queued) queued" }
        let latency = trigger.object("latency")
        row += [latency.shown("p50"), latency.shown("p99"), Table.localTime(trigger.shown("last"))]
        rows.append(row)
      }
      lines += [""] + Table.lines(rows)
      for trigger in triggers where trigger["problem"] != nil {
        lines += ["", "\(trigger.shown("name")): \(trigger.shown("problem"))"]
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension JSONObject {
  /// Of a status: the profile that holds now, and why if quiet hours are the reason.
  var profile: String {
    let (name, chosen) = (shown("profile"), shown("profile_chosen"))
    guard let until = text("quiet_until") else { return name }
    // The daemon writes it by its local time: 2026-01-31T07:00:00+01:00.
    let end = until.dropFirst(11).prefix(5)
    return name == chosen
      ? "\(name) (by choice; quiet hours last until \(end))" : "\(name) (quiet hours until \(end), then \(chosen))"
  }
}
