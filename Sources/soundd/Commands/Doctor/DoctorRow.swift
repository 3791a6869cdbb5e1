import SoundTrigger
import SoundWire

/// One thing that sounds or low latency depend on, and how it is.
struct DoctorRow: Hashable {
  /// How much it matters, the worst last.
  enum State: String, CaseIterable {
    /// As it should be.
    case ok
    /// Worth knowing: it may explain a silence, or a late sound.
    case note
    /// It keeps sounds from being heard.
    case problem

    fileprivate var colour: Colour {
      switch self {
      case .ok: .green
      case .note: .yellow
      case .problem: .red
      }
    }
  }

  /// What it is about: one to three words, the same in every run.
  var subject: String
  var state: State
  var finding: String
  /// What to do about it; `nil` if nothing needs to be done, or nothing can be.
  var remedy: String?

  init(_ subject: String, _ state: State, _ finding: String, remedy: String? = nil) {
    self.subject = subject
    self.state = state
    self.finding = finding
    self.remedy = remedy
  }

  /// Problems, then notes, then what is as it should be; each in the order in which a person would look.
  static func worstFirst(_ rows: [DoctorRow]) -> [DoctorRow] {
    State.allCases.reversed().flatMap { state in rows.filter { $0.state == state } }
  }

  /// For people: the findings in columns, broken between words at `width`, and the remedy below its finding.
  ///
  /// A remedy stays on one line, so that it can be copied. One that helps with several rows is shown once: below the first of
  /// them, or the last of those of one state that follow each other.
  static func text(_ rows: [DoctorRow], width: Int? = nil, inColour: Bool = false) -> String {
    let stateWidth = State.allCases.map(\.rawValue.count).max() ?? 0
    let subjectWidth = rows.map(\.subject.count).max() ?? 0
    let margin = String(repeating: " ", count: stateWidth + subjectWidth + 4)
    func padded(_ word: String, _ width: Int) -> String { word + String(repeating: " ", count: width - word.count) }
    var shown: Set<String> = []
    return rows.enumerated().map { index, row in
      let next = index + 1 < rows.count ? rows[index + 1] : nil
      let helpsNext = next?.state == row.state && next?.remedy == row.remedy
      let remedy = helpsNext ? nil : row.remedy.flatMap { shown.insert($0).inserted ? $0 : nil }
      let state = padded(row.state.rawValue, stateWidth)
      let head = "\(inColour ? row.state.colour.paint(state) : state)  \(padded(row.subject, subjectWidth))  "
      let room = width.map { max(20, $0 - margin.count) } ?? .max
      let lines = row.finding.split(separator: "\n", omittingEmptySubsequences: false)
        .flatMap { TextWidth.wrap(Excerpt.escaping(String($0)), to: room, breakingWords: false) }
      return
        ([head + lines[0]] + lines.dropFirst().map { margin + $0 }
        + (remedy.map { ["\(margin)→ \(Excerpt.escaping($0))"] } ?? [])).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// For programs.
  static func json(_ rows: [DoctorRow]) -> [UInt8] {
    var message = DoctorMessage()
    message.state = worst(rows).rawValue
    message.checks = rows.map { row in
      var check = CheckMessage()
      (check.subject, check.state, check.finding, check.remedy) = (
        row.subject, row.state.rawValue, row.finding, row.remedy
      )
      return check
    }
    return message.json
  }

  private static func worst(_ rows: [DoctorRow]) -> State {
    State.allCases.last { state in rows.contains { $0.state == state } } ?? .ok
  }
}
