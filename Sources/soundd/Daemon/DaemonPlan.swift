import Glibc

/// What a daemon is to do, beside what its configuration says.
struct DaemonPlan {
  /// What standard input is for.
  enum Input: Equatable {
    case none
    /// Lines as on the socket: `NAME=VALUE` or a JSON object.
    case lines
    /// Every line is the content of this value.
    case value(String)
  }

  var environment: SystemEnvironment
  var configuration: Configuration
  /// Where the configuration may be, best first: the first file that exists counts. Empty if the configuration was made up.
  var paths: [String] = []
  /// What is used; `nil` if no file exists yet, or no good one.
  var text: ConfigurationText?
  /// The file that is there and cannot be used.
  var bad: StartingConfiguration.BadFile?
  /// The device named on the command line, which stands above the configuration's.
  var device: String?
  /// The socket's path; `nil`: none.
  var socket: String?
  var input = Input.none
  /// Where the state is kept; `nil`: nowhere.
  var state: StateFile?
  /// Whether a device that cannot be opened ends the daemon; otherwise the clock takes over.
  var needsDevice = false

  /// Whether a signal ends soundd.
  ///
  /// SIGHUP makes it read its configuration again. If that was made up, the terminal was closed, which ends any command unless
  /// nohup(1) runs it.
  func ends(at signal: Int32) -> Bool {
    signal != SIGHUP || (paths.isEmpty && !SignalSource.isIgnored(SIGHUP))
  }
}
