import SoundTrigger

/// One thing that low latency takes, and how it is.
struct DoctorRow: Equatable {
  /// How much it matters, the worst last.
  enum State: String, Comparable, CaseIterable {
    /// As it should be.
    case ok
    /// Worth knowing; nothing needs to be done.
    case note
    /// It stands in the way of low latency, or may cause a glitch; sounds are heard all the same.
    case warning
    /// Sounds are not heard.
    case error

    static func < (one: State, other: State) -> Bool { one.rank < other.rank }
    private var rank: Int { State.allCases.firstIndex(of: self) ?? 0 }
  }

  /// What it is about: one or two words, the same in every run.
  var subject: String
  var state: State
  var finding: String
  /// The command to run or the line to write; `nil` if nothing needs to be done, or nothing can be.
  var remedy: String?

  init(_ subject: String, _ state: State, _ finding: String, remedy: String? = nil) {
    self.subject = subject
    self.state = state
    self.finding = finding
    self.remedy = remedy
  }

  /// For people: a line for each row, and one for its remedy.
  static func text(_ rows: [DoctorRow]) -> String {
    let stateWidth = State.allCases.map(\.rawValue.count).max() ?? 0
    let subjectWidth = rows.map(\.subject.count).max() ?? 0
    func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: width - text.count) }
    let indent = String(repeating: " ", count: stateWidth + subjectWidth + 4)
    return rows.map { row in
      "\(padded(row.state.rawValue, stateWidth))  \(padded(row.subject, subjectWidth))  \(row.finding)"
        + (row.remedy.map { "\n\(indent)→ \($0)" } ?? "")
    }.joined(separator: "\n")
  }

  /// For programs.
  static func json(_ rows: [DoctorRow]) -> [UInt8] {
    var writer = ReportWriter()
    writer.object { writer in
      writer.member("state", (rows.map(\.state).max() ?? .ok).rawValue)
      writer.member("checks") { writer in
        writer.array(rows) { row, writer in
          writer.object { writer in
            writer.member("subject", row.subject)
            writer.member("state", row.state.rawValue)
            writer.member("finding", row.finding)
            writer.member("remedy", row.remedy)
          }
        }
      }
    }
    return writer.bytes
  }
}
