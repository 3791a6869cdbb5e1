import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd monitor`: a live view of the running daemon.
struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Show alarms, sounds, verdicts and health, live.",
    discussion: """
      It shows the alarms and what sounds now, the last verdicts with their reasons,
      and the device, volume, mute, profile, xruns and latency.
      Without a daemon, it waits for one. A terminal needs 60 columns and 12 rows.
      If TERM is dumb, it does what --plain does. The keys are:

      \(MonitorState.keys.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
      """)

  @Flag(help: "Print one picture and exit.")
  var once = false
  @Flag(help: "Print a line for each event, as for a screen reader.")
  var plain = false
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if once, plain { throw ValidationError("--once and --plain exclude each other") }
    if !once, !plain, isatty(STDOUT_FILENO) != 1 {
      throw ValidationError(
        "standard output is no terminal: use --once for one picture, or --plain for a line an event")
    }
  }

  func run() throws {
    if once { return try showOnce() }
    let path = try SocketPath.resolve(option: socket.path) { Self.variable($0) }
    let isDumb = ["", "dumb"].contains(Self.variable("TERM") ?? "")
    if isDumb, !plain {
      StandardStreams.show("this terminal (TERM) shows no pictures: a line an event, as with --plain")
    }
    if isDumb || plain { return try MonitorLines.run(path: path) }
    try Monitor(path: path, isUnicode: Self.isUnicode).run()
  }

  private func showOnce() throws {
    let client = try socket.connect()
    var state = MonitorState(isUnicode: Self.isUnicode)
    state.connected(follows: false)
    repeat {
      for line in state.takeRequests() { try client.send(line: line) }
      guard let reply = try client.readLine() else {
        throw DaemonConnection.Problem.closed(path: client.path, said: nil)
      }
      if let refusal = DaemonRefusal(reply: reply) { throw refusal }
      _ = state.receive(reply)
    } while state.isWaiting
    let lines = state.picture(width: max(MonitorState.leastSize.width, Terminal.width ?? 80), now: .now())
    for line in lines { try StandardStreams.print(line.colour.paint(line.text, if: Colour.isWanted)) }
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Whether the user's locale has more characters than ASCII (locale(7)).
  private static var isUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "C"
    return locale.lowercased().filter { $0 != "-" }.contains("utf8")
  }
}
