import ArgumentParser
import SoundTrigger

/// `soundd doctor`: what keeps sounds from being heard in time.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out what stands in the way of sounds and of low latency.",
    discussion: """
      If a daemon runs, doctor asks it for its configuration, its device
      and what the audio thread got.
      Without a daemon, doctor opens the device, loads the sounds
      and asks for real-time priority itself.
      It plays nothing.

      Each line begins with one of these words:

        ok       all is well
        note     worth knowing; nothing needs to be done
        warning  sounds are heard, but perhaps late or with a glitch
        error    sounds are not heard

      The remedy stands after '→'.
      The exit code is 69 if there is an error, otherwise 0.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let rows = try Doctor(environment: .current()).rows(configuration: configurationOptions.file, socket: socket.path)
    try StandardStreams.print(json ? DoctorRow.json(rows) : Array(DoctorRow.text(rows).utf8))
    let errors = rows.filter { $0.state == .error }.map(\.subject)
    if !errors.isEmpty {
      throw Failure(.unavailable, "sounds are not heard as they should be: \(errors.joined(separator: ", "))")
    }
  }
}

/// One thing that sounds or low latency depend on, and how it is.
struct DoctorRow: Equatable {
  /// How much it matters, the worst last.
  enum State: String, CaseIterable {
    /// As it should be.
    case ok
    /// Worth knowing; nothing needs to be done.
    case note
    /// It stands in the way of low latency, or may cause a glitch; sounds are heard all the same.
    case warning
    /// Sounds are not heard.
    case error
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
    // The columns are the same whatever the states are.
    let stateWidth = State.allCases.map(\.rawValue.count).max() ?? 0
    func padded(_ word: String) -> String { word + String(repeating: " ", count: stateWidth - word.count) }
    let indent = String(repeating: " ", count: stateWidth + (rows.map(\.subject.count).max() ?? 0) + 4)
    let lines = Table.lines(rows.map { [padded($0.state.rawValue), $0.subject, $0.finding] })
    return zip(lines, rows).map { line, row in
      line + (row.remedy.map { "\n\(indent)→ \(Excerpt.escaping($0))" } ?? "")
    }.joined(separator: "\n")
  }

  /// For programs.
  static func json(_ rows: [DoctorRow]) -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("state", (State.allCases.last { state in rows.contains { $0.state == state } } ?? .ok).rawValue)
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
  }
}
