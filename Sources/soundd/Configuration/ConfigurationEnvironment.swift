/// All that the meaning of a configuration depends on, except its own text.
struct ConfigurationEnvironment: Sendable {
  /// The environment variables.
  var variables: [String: String]
  /// An absolute path; a relative name of the configuration file starts from here.
  var workingDirectory: String

  /// A base directory of the XDG Base Directory Specification.
  enum BaseDirectory: String, CaseIterable, Sendable {
    case config = "XDG_CONFIG_HOME"
    case cache = "XDG_CACHE_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"
    /// Has no default.
    case runtime = "XDG_RUNTIME_DIR"

    /// Where it is below the home directory if its variable is not set.
    fileprivate var defaultBelowHome: String? {
      switch self {
      case .config: ".config"
      case .cache: ".cache"
      case .data: ".local/share"
      case .state: ".local/state"
      case .runtime: nil
      }
    }
  }

  /// The home directory, if `HOME` is an absolute path.
  var home: String? { absolutePath("HOME") }

  /// The directory, or `nil` if neither its variable nor its default is known.
  ///
  /// The specification says to ignore relative paths.
  func path(of directory: BaseDirectory) -> String? {
    if let path = absolutePath(directory.rawValue) { return path }
    guard let home, let tail = directory.defaultBelowHome else { return nil }
    return FilePathText.join(home, tail)
  }

  private func absolutePath(_ variable: String) -> String? {
    variables[variable].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }
}
