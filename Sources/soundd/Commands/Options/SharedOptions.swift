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

  func resolve(_ environment: SystemEnvironment) throws(Failure) -> String {
    try Self.resolve(path) { environment.variable($0) }
  }

  private static func resolve(_ option: String?, _ variable: (String) -> String?) throws(Failure) -> String {
    do throws(SocketPath.Problem) {
      return try SocketPath.resolve(option: option, environment: variable)
    } catch {
      throw Failure(.usage, "\(error)")
    }
  }

  /// A connection to the running daemon.
  func connect() throws(Failure) -> DaemonConnection { try Self.connect(option: path) }

  /// The same without a parsed command line, which takes time.
  static func connect(option: String?) throws(Failure) -> DaemonConnection {
    let path = try resolve(option) { getenv($0).map { String(cString: $0) } }
    do throws(DaemonConnection.Problem) {
      return try DaemonConnection(path: path)
    } catch {
      throw Failure(error)
    }
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
  /// Why a client does not reach the daemon.
  init(_ problem: DaemonConnection.Problem) {
    let code: Code =
      switch problem {
      case .noDaemon, .timedOut, .closed: .unavailable
      case .notPermitted: .refused
      case .notUnderstood: .badData
      case .system: .inputOutput
      }
    self.init(code, "\(problem)")
  }

  /// A text that is no valid name of a value.
  init(noName name: String) {
    self.init(.usage, name.isEmpty ? "the name is empty" : "\(RequestError.badName(name))")
  }

  /// What is wrong with the sound that the user named.
  init(_ error: SoundError) {
    switch error {
    case .notFound, .unreadable: self.init(.noInput, "\(error)")
    case .corrupt, .tooLong: self.init(.badData, "\(error)")
    }
  }
}
