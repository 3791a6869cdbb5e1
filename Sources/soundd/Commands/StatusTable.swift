/// The daemon's status for people.
struct StatusTable {
  let text: String

  init(_ reply: [UInt8]) throws(Failure) {
    let status = JSONReply(reply)
    let device = try status.object("device")
    let latency = try status.object("latency")
    let realTime = try status.object("realtime")
    let memory = try status.object("memory")
    var lines = [
      "device   \(try device.string("name")) (\(try device.string("state"))): \(try device.string("format")), "
        + "\(try device.string("rate")) Hz, \(try device.string("channels")) channels, "
        + "buffer \(try device.string("buffer_frames"))",
      "latency  p50 \(try latency.string("p50")) µs, p99 \(try latency.string("p99")) µs, "
        + "max \(try latency.string("max")) µs (\(try latency.string("count")) plays)",
      "  ours   p50 \(try latency.string("ours_p50")) µs, p99 \(try latency.string("ours_p99")) µs; the device's "
        + "p50 \(try latency.string("device_p50")) µs, p99 \(try latency.string("device_p99")) µs",
      "voices   \(try status.string("voices")), xruns \(try status.string("xruns")) "
        + "(\(try status.string("missing_frames")) frames missing), late \(try status.string("late")), "
        + "missed \(try status.string("missed"))",
      "volume   \(VolumeText.text(Double(try status.string("volume")) ?? 1))"
        + (try status.string("muted") == "true" ? ", muted" : ""),
      "profile  \(try status.profile)",
      "priority \(try realTime.string("priority")) (\(try realTime.string("policy"))), "
        + "locked memory \(try memory.string("locked_bytes")) of \(try memory.string("wanted_bytes")) bytes",
      "values   \(try status.string("values")), clients \(try status.string("clients"))",
    ]
    let triggers = try JSONReply.elements(of: try status.text("triggers") ?? Array("[]".utf8))
    if !triggers.isEmpty {
      var rows = [["TRIGGER", "VALUE", "SOUND", "STATE", "CHANGES", "PLAYED", "DROPPED", "P50 µs", "P99 µs", "LAST"]]
      for trigger in triggers {
        var row: [String] = []
        for column in ["name", "value", "sound", "state", "changes", "played", "dropped"] {
          row.append(try trigger.string(column))
        }
        let queued = try trigger.string("queued")
        if queued != "0", queued != "-" { row[3] += ", \(queued) queued" }
        let latency = try trigger.object("latency")
        row += [try latency.string("p50"), try latency.string("p99"), CivilTime.local(try trigger.string("last"))]
        rows.append(row)
      }
      lines += ["", Self.table(rows)]
      for trigger in triggers where try trigger.text("problem") != nil {
        lines += ["", "\(try trigger.string("name")): \(try trigger.string("problem"))"]
      }
    }
    text = lines.joined(separator: "\n")
  }

  /// Columns as wide as their widest cell, two spaces apart.
  static func table(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
