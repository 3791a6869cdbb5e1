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
  /// What is valid and can never sound, as far as the file itself shows it. See `warnings(file:)`.
  var ownWarnings: [Warning] = []
  /// Where each value is declared.
  var valueLocations: [ValueName: TOMLLocation] = [:]
  /// Where the paths of the values stand that read one.
  var pathLocations: [ValueName: TOMLLocation] = [:]

  /// Every sound that any trigger may play, each once.
  var soundNames: [String] { Set(triggers.flatMap(\.definition.sound.names)).sorted() }
}

/// What could be read of a configuration file, whatever is wrong with it.
struct ConfigurationDraft: Sendable {
  /// A sound that a trigger names.
  struct NamedSound: Sendable {
    /// A name, or an absolute path.
    var name: String
    var location: TOMLLocation
    var path: ConfigurationPath
  }

  /// What is wrong is missing here, or has its default.
  var configuration = Configuration()
  /// Everything that is wrong, in the order of the file; of a text that is not TOML only the first problem.
  var errors: [ConfigurationMessage] = []
  /// In the order of the file, those of broken triggers included.
  var sounds: [NamedSound] = []

  /// Reads the text of a configuration file; touches no file itself.
  ///
  /// `file` is the file's name, as messages show it; relative paths start from its folder.
  init(_ bytes: [UInt8], file: String, environment: SystemEnvironment) {
    do throws(TOMLProblem) {
      let document = try TOMLReader.read(bytes)
      var reader = ConfigurationReader(file: file, source: TOMLSource(bytes: bytes), environment: environment)
      configuration = reader.readConfiguration(document)
      errors = reader.errors
      sounds = reader.sounds
    } catch {
      errors = [ConfigurationMessage(file: file, location: error.location, message: error.message)]
    }
  }
}

/// One `[[trigger]]`, and where it was written.
struct TriggerDeclaration: Equatable, Sendable {
  /// Sounds with a `/` are absolute paths, the others names to be looked up.
  var definition: TriggerDefinition
  /// The place of the `[[trigger]]`.
  var location: TOMLLocation
  /// Where each sound is first named, under the name it has in the definition.
  var soundLocations: [String: TOMLLocation]
}

/// What `[limits]` says: how much may be held at once.
struct LimitSettings: Equatable, Sendable {
  /// What `values` may be.
  static let valueCounts = 1...16_777_216
  /// What `voices` may be.
  static let voiceCounts = 1...4096
  /// What `memory` may be, in bytes.
  static let memories = 1 << 10...1 << 40
  /// What `sound_seconds` may be.
  static let soundLengths = 1...86_400

  /// The most values, declared or not.
  var values = 65_536
  /// The most sounds that run at the same time.
  var voices = 256
  /// The longest sound that is loaded, in seconds.
  var soundSeconds = 300
  /// How much memory contents and sounds may take together, in bytes.
  var memory = 256 << 20
}
