import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd report`: which triggers are noisy.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Show which triggers are noisy, and which keys would help.",
    discussion: """
      It asks the running daemon what it has counted in the last seven days.
      Without one it reads what a daemon has written: that happens once an hour if
      something has played, and when the daemon ends.
      """)

  /// An alarm that is not normal, and since when: milliseconds of UTC since 1970.
  fileprivate typealias Standing = (name: String, since: Int64)

  @Option(help: ArgumentHelp("How many days to look back, at most 7.", valueName: "number"))
  var days = 7
  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if !(1...7).contains(days) { throw ValidationError("--days: expected a number from 1 to 7, found \(days)") }
  }

  func run() throws {
    let now = Timestamp.now()
    let running = try running()
    let (counts, alarms) = try running.map { (try ActivityCounts($0), $0.alarms) } ?? saved()
    // All members of a pattern are one trigger.
    let standing = Dictionary(
      alarms.map { ($0.name.ruleName, SavedState.age(of: $0.since, at: now)) }, uniquingKeysWith: max)
    let report = ActivityReport(counts, standing: standing, days: days, now: now)
    if json { return try StandardStreams.print(report.message.json) }
    if report.isEmpty {
      return try StandardStreams.print(
        "nothing has played" + (running == nil ? ", or the daemon has not written it yet" : ""))
    }
    try StandardStreams.print(report.text(width: Terminal.width, now: now))
  }

  /// What a running daemon has counted; `nil` without one, or with one that does not know the request.
  private func running() throws -> ActivityMessage? {
    do {
      return try SocketOptions.connect(option: socket.path, ifRunning: true).ask("report")
    } catch let error where HookOptions.isAbsence(error) {
      return nil
    } catch let refusal as DaemonRefusal where [.unknownRequest, .refused].contains(refusal.code) {
      // soundd 0.2.0 sends no codes, which counts as `refused`.
      return nil
    }
  }

  /// What a daemon has written.
  private func saved() throws -> (ActivityCounts, [Standing]) {
    let environment = SystemEnvironment.current()
    guard let file = StateFile(environment: environment) else {
      throw Failure(.noInput, "nothing is counted: neither XDG_STATE_HOME nor HOME is set to an absolute path")
    }
    try AnsweringMounts().check(file.path, environment)
    var standing: [Standing] = []
    switch StateKeeper.read(file) {
    case .nothing: break
    case .state(let state): standing = state.alarms.compactMap { name, alarm in alarm.since.map { (name, $0) } }
    case .damaged(let reason), .untouchable(let reason):
      StandardStreams.show("\(reason): alarms that have no end yet are not in the report")
    }
    return (try ActivityCounts(file.report) ?? ActivityCounts(), standing)
  }
}

extension ActivityMessage {
  fileprivate var alarms: [ReportCommand.Standing] { standing.map { ($0.trigger, $0.since.milliseconds) } }
}
