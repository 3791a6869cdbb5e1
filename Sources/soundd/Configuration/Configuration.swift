import SoundTrigger

/// What a configuration says, checked.
struct Configuration: Equatable, Sendable {
  var output = OutputSettings()
  var limits = LimitSettings()
  var sounds = SoundSettings()
  /// The program that speaks.
  var speech = ExternalCommand(arguments: ["espeak-ng", "--stdout", "--stdin"], folder: "/")
  /// `nil`: there are none.
  var quietHours: QuietHours?
  /// The most that the profile may be while a value is true.
  var profileGates: [ValueName: Profile] = [:]
  /// In the order of the file, each name once.
  var values: [ValueDeclaration] = []
  /// In the order of the file, each pattern once.
  var patterns: [PatternDeclaration] = []
  /// In the order of the file, each name once. No prefix contains another.
  var feeds: [FeedDeclaration] = []
  /// Where each feed is declared.
  var feedLocations: [String: TOMLLocation] = [:]
  /// In the order of the file, each name once.
  var triggers: [TriggerDeclaration] = []
  /// What is valid and can never sound, as far as the file itself shows it. See `warnings(file:)`.
  var ownWarnings: [Warning] = []
  /// Where each sound theme is named.
  var themeLocations: [String: TOMLLocation] = [:]
  /// Where each value is declared.
  var valueLocations: [ValueName: TOMLLocation] = [:]
  /// Where the paths and the commands of the values stand.
  var pathLocations: [ValueName: TOMLLocation] = [:]

  /// Every sound that any trigger may play, each once.
  var soundNames: [String] {
    // An alarm whose own sound cannot be played takes the shipped one.
    let substitutes = triggers.contains { $0.definition.isAlarm } ? [BuiltInSounds.alarm] : []
    return Set(triggers.flatMap(\.sounds) + substitutes).sorted()
  }

  /// The declared patterns, and those that only triggers use.
  var allPatterns: [(pattern: ValuePattern, declaration: PatternDeclaration?)] {
    let declared = Set(patterns.map(\.pattern))
    let others = Set(triggers.flatMap(\.definition.patterns)).subtracting(declared)
    return patterns.map { ($0.pattern, $0) } + others.sorted { $0.description < $1.description }.map { ($0, nil) }
  }

  /// The values that triggers, derived values and the profile name.
  var used: [ValueName] {
    values.compactMap(\.base) + triggers.flatMap(\.definition.concerns)
      + profileGates.keys.sorted { $0.description < $1.description }
  }
}

/// What `[sounds]` says: the sounds of others.
struct SoundSettings: Equatable, Sendable {
  /// The sound themes, best first.
  var themes: [String] = []
  /// The absolute paths of the folders of sound packs, best first; `nil`: the usual one.
  var packs: [String]?
  /// Whether the sounds of themes and packs get the loudness of the shipped ones.
  var normalizes = false
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
  /// Everything that is wrong, in the order of the files; if one is not TOML, only the first problem of each such file.
  var errors: [ConfigurationMessage] = []
  /// In the order of the file, those of broken triggers included.
  var sounds: [NamedSound] = []

  /// Which of its sounds cannot be played, by what became of them.
  func soundErrors(_ sounds: LoadedSounds, file: String) -> [ConfigurationMessage] {
    self.sounds.compactMap { sound in
      guard let problem = sounds.problem(of: sound.name) else { return nil }
      // A warning: the setting is good, and a package is missing.
      if case .unspoken = problem { return nil }
      // The trigger's name, unless something else is wrong with the trigger.
      let trigger = configuration.triggers.first { $0.soundLocations[sound.name] == sound.location }
      let subject = trigger.map { "trigger '\($0.definition.name)'" } ?? sound.path.description
      return ConfigurationMessage(file: file, location: sound.location, message: "\(subject): \(problem)")
    }
  }

  /// Reads the text of a configuration file without parts.
  init(_ bytes: [UInt8], file: String, environment: SystemEnvironment) {
    self.init(ConfigurationText(file: file, bytes: bytes), environment: environment)
  }

  /// Reads the texts of a configuration; touches no file itself. Relative paths start from the folder of its file.
  init(_ text: ConfigurationText, environment: SystemEnvironment) {
    let files = [(file: nil, bytes: text.bytes)] + text.parts.map { (file: Optional($0.file), bytes: $0.bytes) }
    let document = TOMLTable(.defined, depth: 0)
    var doubles: [(TOMLTable.Entry, first: TOMLLocation, ConfigurationPath)] = []
    for (file, bytes) in files {
      do throws(TOMLProblem) {
        document.merge(try TOMLReader.read(bytes, file: file)) { doubles.append(($0, $1, $2)) }
      } catch {
        errors.append(ConfigurationMessage(file: text.file, location: error.location, message: error.message))
      }
    }
    guard errors.isEmpty else { return }
    let source = TOMLSource(texts: Dictionary(files) { first, _ in first })
    var reader = ConfigurationReader(
      file: text.file, source: source, writers: text.writers, environment: environment)
    for (second, first, path) in doubles {
      reader.report("is already at \(first.text(in: text.file)): remove one of the two", at: second.keyLocation, path)
    }
    configuration = reader.readConfiguration(document)
    errors = reader.errors
    sounds = reader.sounds
  }
}

/// One `[[trigger]]`, and where it was written.
struct TriggerDeclaration: Equatable, Sendable {
  /// Sounds with a `/` are absolute paths, the others names to be looked up.
  var definition: TriggerDefinition
  /// The location of the `[[trigger]]`.
  var location: TOMLLocation
  /// What it says after its sound, or instead of one.
  var say: SpeechText?
  /// Every sound that it may play, and what it says.
  var sounds: [String] { definition.sounds + (say.map { $0.isAlone ? [] : [$0.sound] } ?? []) }
  /// Where each sound is first named, under the name it has in the definition.
  var soundLocations: [String: TOMLLocation]
}

/// What `[limits]` says: how much may be held at once.
struct LimitSettings: Equatable, Sendable {
  /// What `values` may be.
  static let valueCounts = 1...16_777_216
  /// What `members` may be.
  static let memberCounts = 1...16_777_216
  /// What `voices` may be.
  static let voiceCounts = 1...4096
  /// What `memory` may be, in bytes.
  static let memories = 1 << 10...1 << 40
  /// What `sound_seconds` may be.
  static let soundLengths = 1...86_400

  /// The most values, declared or not.
  var values = 65_536
  /// The most values that one pattern matches.
  var members = 10_000
  /// The most sounds that run at the same time.
  var voices = 256
  /// The longest sound that is loaded, in seconds.
  var soundSeconds = 300
  /// How much memory contents and sounds may take together, in bytes.
  var memory = 256 << 20
}
