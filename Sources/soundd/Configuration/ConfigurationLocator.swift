/// Finds the configuration file.
struct ConfigurationLocator: Sendable {
  /// There is no configuration file anywhere.
  struct NotFound: Error, Equatable, CustomStringConvertible {
    /// Where it could have been, the preferred place first.
    var candidates: [String]

    var description: String {
      candidates.isEmpty
        ? "no place for a configuration file is known: set HOME, or give one with --config FILE"
        : "no configuration file: write \(candidates.joined(separator: " or ")), or give one with --config FILE"
    }
  }

  var environment: ConfigurationEnvironment

  /// Where a configuration file may be: in the user's base directory, then in those of the system.
  var candidates: [String] {
    let user = environment.path(of: .config).map { [$0] } ?? []
    return (user + systemDirectories).map { FilePathText.join($0, "soundd/config.toml") }
  }

  /// The file to read: `option`, the one given with `--config`, whether it exists or not; else the first candidate that
  /// exists.
  func locate(option: String?, exists: (String) -> Bool) throws(NotFound) -> String {
    if let option { return option }
    let candidates = candidates
    guard let file = candidates.first(where: exists) else { throw NotFound(candidates: candidates) }
    return file
  }

  /// `XDG_CONFIG_DIRS`, of which relative paths are ignored, as the XDG Base Directory Specification has it.
  private var systemDirectories: [String] {
    let variable = environment.variables["XDG_CONFIG_DIRS"] ?? ""
    guard !variable.isEmpty else { return ["/etc/xdg"] }
    return variable.split(separator: ":").filter { $0.utf8.first == UInt8(ascii: "/") }.map(String.init)
  }
}
