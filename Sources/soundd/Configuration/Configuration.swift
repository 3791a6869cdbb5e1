import SoundTrigger

/// What one configuration file says, checked.
struct Configuration: Equatable, Sendable {
  var output = OutputSettings()
  var limits = LimitSettings()
  /// `nil`: there are none.
  var quietHours: QuietHours?
  /// In the order of the file, each name once.
  var values: [ValueDeclaration] = []
  /// In the order of the file, each name once.
  var triggers: [TriggerDeclaration] = []

  /// Reads the text of a configuration file; touches no file itself.
  ///
  /// `file` is the file's name, as messages show it and as relative paths start from its folder. Throws everything that
  /// is wrong with the file; of a text that is not TOML only the first mistake.
  static func read(
    _ bytes: [UInt8], file: String, environment: ConfigurationEnvironment
  ) throws(ConfigurationErrors) -> Configuration {
    let document: TOMLTable
    do {
      document = try TOMLReader.read(bytes)
    } catch {
      throw ConfigurationErrors(errors: [
        ConfigurationError(file: file, place: error.place, message: error.message)
      ])
    }
    var reader = ConfigurationReader(file: file, source: TOMLSource(bytes: bytes), environment: environment)
    let configuration = reader.readConfiguration(document)
    try reader.errors.throwIfAny()
    return configuration
  }
}
