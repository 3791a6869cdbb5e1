/// The daemon's status for people.
struct StatusTable {
  let text: String

  init(_ reply: [UInt8]) throws(Failure) {
    let status = JSONReply(reply)
    let device = try status.object("device")
    let latency = try status.object("latency")
    var lines = [
      "device   \(try device.string("name")) (\(try device.string("state"))): \(try device.string("format")), "
        + "\(try device.string("rate")) Hz, \(try device.string("channels")) channels, "
        + "buffer \(try device.string("buffer_frames"))",
      "latency  p50 \(try latency.string("p50")) µs, p99 \(try latency.string("p99")) µs, "
        + "max \(try latency.string("max")) µs; ours p50 \(try latency.string("ours_p50")) µs "
        + "(\(try latency.string("count")) plays)",
      "voices   \(try status.string("voices")), xruns \(try status.string("xruns")), late \(try status.string("late"))",
      "values   \(try status.string("values")), clients \(try status.string("clients"))",
    ]
    let triggers = try JSONReply.elements(of: try status.text("triggers") ?? Array("[]".utf8))
    if !triggers.isEmpty {
      var rows = [["TRIGGER", "VALUE", "SOUND", "STATE", "CHANGES", "PLAYED", "LAST"]]
      for trigger in triggers {
        var row: [String] = []
        for column in ["name", "value", "sound", "state", "changes", "played", "last"] {
          row.append(try trigger.string(column))
        }
        rows.append(row)
      }
      lines += ["", Self.table(rows)]
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
