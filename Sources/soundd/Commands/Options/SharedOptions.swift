public import ArgumentParser
import Glibc
public import Logging
import SoundTrigger
import SoundWire

/// Where the daemon's socket is.
struct SocketOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      """
      The daemon's socket (default: $SOUNDD_SOCKET, else $XDG_RUNTIME_DIR/soundd.sock, \
      else /run/user/UID/soundd.sock).
      """, valueName: "path"))
  var path: String?

  /// A connection to the running daemon.
  func connect() throws -> DaemonConnection { try Self.connect(option: path) }

  /// The same without a parsed command line, which takes time. With `ifRunning` it soon gives up a daemon that does not answer.
  static func connect(option: String?, ifRunning: Bool = false) throws -> DaemonConnection {
    let path = try SocketPath.resolve(option: option) { getenv($0).map { String(cString: $0) } }
    if ifRunning { return try DaemonConnection(path: path, timeout: HookOptions.patience) }
    return try DaemonConnection(path: path)
  }
}

/// Where the daemon's socket is, of commands that a hook may run without a daemon.
struct HookOptions: ParsableArguments {
  /// How long a hook waits for a daemon that does not answer. Agents and editors end a hook that takes longer.
  static let patience = Duration.seconds(1)

  @Flag(help: "Without a running daemon, or one that answers within 1 s, do nothing and exit with 0.")
  var ifRunning = false
  @OptionGroup var socket: SocketOptions

  /// A connection to the running daemon.
  func connect() throws -> DaemonConnection { try SocketOptions.connect(option: socket.path, ifRunning: ifRunning) }

  /// Whether the user allows this error: that no daemon runs, or none that answers.
  func allows(_ error: any Error) -> Bool { ifRunning && Self.isAbsence(error) }

  /// Whether an error says that no daemon runs, or none that answers.
  static func isAbsence(_ error: any Error) -> Bool {
    switch error {
    case DaemonConnection.Problem.noDaemon, DaemonConnection.Problem.timedOut, SocketPath.Problem.noFolder: true
    default: false
    }
  }
}

/// A command that a hook may run without a daemon. The program ends it without an error then.
protocol HookCommand: ParsableCommand {
  var daemon: HookOptions { get }
}

/// The trigger that a command is about, instead of everything.
struct TriggerOption: ParsableArguments {
  @Option(
    name: .customLong("trigger"),
    help: ArgumentHelp("Only this trigger, as 'soundd status' names it.", valueName: "name"))
  var name: String?

  /// The end of a request.
  var request: String { name.map { " trigger=\($0)" } ?? "" }

  func validate() throws {
    if let name, name.allSatisfy(\.isWhitespace) { throw ValidationError("--trigger: the trigger's name is empty") }
  }
}

/// The configuration file.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration (default: $XDG_CONFIG_HOME/soundd/config.toml, then /etc/xdg/soundd/config.toml).",
      valueName: "file"))
  var file: String?
}

/// How much the daemon logs on standard error.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp("debug, info, notice, warning or error.", valueName: "level"))
  var level = Logger.Level.info

  func makeLogger() -> Logger { Logger(label: "soundd") { _ in StderrLogHandler(level: level) } }
}

extension Logger.Level: @retroactive ExpressibleByArgument {
  /// The levels that soundd uses.
  public static let allValueStrings = ["debug", "info", "notice", "warning", "error"]

  /// A level that soundd uses.
  public init?(argument: String) {
    if !Self.allValueStrings.contains(argument) { return nil }
    self.init(rawValue: argument)
  }
}

extension Failure {
  /// A text that is no valid name of a value.
  init(noName name: String) {
    self.init(
      .usage,
      name.isEmpty
        ? "the name is empty" : "\(RequestRefusal.badName(name))\(Suggestion.question(NameEscape.meant(by: name)))")
  }
}
