import ArgumentParser
import SoundTrigger

/// `soundd report`: which triggers are noisy.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Show which triggers are noisy, and which keys would help.",
    discussion: """
      It asks no daemon: it reads what the daemon has counted in the last seven days.
      The daemon writes that once an hour if something has played, and when it ends.
      """)

  @Option(help: ArgumentHelp("How many days to look back, at most 7.", valueName: "number"))
  var days = 7
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if !(1...7).contains(days) { throw ValidationError("--days: expected a number from 1 to 7, found \(days)") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    guard let file = StateFile(environment: environment) else {
      throw Failure(.noInput, "nothing is counted: neither XDG_STATE_HOME nor HOME is set to an absolute path")
    }
    try AnsweringMounts().check(file.path, environment)
    let now = Timestamp.now()
    let state = try file.read().flatMap { try? SavedState($0) }
    let standing = state?.alarms.compactMapValues { $0.since.map { SavedState.age(of: $0, at: now) } }
    let counts = try ActivityCounts(file.report) ?? ActivityCounts()
    let report = ActivityReport(counts, standing: standing ?? [:], days: days, now: now)
    if json { return try StandardStreams.print(report.json) }
    try StandardStreams.print(report.text(width: Terminal.width, now: now))
  }
}
