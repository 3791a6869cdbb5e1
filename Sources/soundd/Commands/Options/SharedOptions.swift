import ArgumentParser
import Glibc
import Logging
import SoundTrigger

/// Where the daemon's socket is.
struct SocketOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The daemon's socket (default: $SOUNDD_SOCKET, else $XDG_RUNTIME_DIR/soundd.sock).", valueName: "path"))
  var path: String?

  /// A connection to the running daemon.
  func connect() throws -> DaemonConnection { try Self.connect(option: path) }

  /// The same without a parsed command line, which takes time.
  static func connect(option: String?) throws -> DaemonConnection {
    try DaemonConnection(path: SocketPath.resolve(option: option) { getenv($0).map { String(cString: $0) } })
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
  var level: LogLevel = .info

  enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case debug, info, notice, warning, error
  }

  func makeLogger() -> Logger {
    let level: Logger.Level =
      switch level {
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      }
    return Logger(label: "soundd") { _ in StderrLogHandler(level: level) }
  }
}

extension Failure {
  /// A text that is no valid name of a value.
  init(noName name: String) {
    self.init(.usage, name.isEmpty ? "the name is empty" : "\(RequestError.badName(name))")
  }
}
