import SoundTrigger

/// The sounds of a configuration's triggers, loaded; and what is wrong with those that cannot be.
struct SoundShelf {
  /// By `SoundID`.
  private var clips: [Clip?] = []
  private var problems: [SoundError?] = []
  private var places: [String: Int] = [:]
  private var names: [String] = []

  /// An empty shelf.
  init() {}

  /// A shelf for the sounds that an engine may play, in its order; `find` tells what became of each.
  init(_ sounds: [String], find: (String) -> Result<Clip, SoundError>) {
    names = sounds
    for (place, sound) in sounds.enumerated() {
      places[sound] = place
      clips.append(nil)
      problems.append(nil)
      put(sound, find(sound))
    }
  }

  /// A shelf for the sounds that an engine may play, loaded now.
  init(loading sounds: [String], locator: SoundLocator, loader: ClipLoader) {
    let batch = SoundBatch(sounds, locator: locator, loader: loader)
    batch.work()
    let loaded = Dictionary(batch.sounds.map { ($0.name, $0.clip) }, uniquingKeysWith: { first, _ in first })
    self.init(sounds) { loaded[$0] ?? .failure(.notFound(name: $0, searched: locator.folders)) }
  }

  /// Puts what became of a sound in the place of what was there; one that no trigger plays is left out.
  mutating func put(_ sound: String, _ result: Result<Clip, SoundError>) {
    guard let place = places[sound] else { return }
    switch result {
    case .success(let clip): (clips[place], problems[place]) = (clip, nil)
    case .failure(let problem): (clips[place], problems[place]) = (nil, problem)
    }
  }

  /// The clip of a sound that loaded.
  subscript(sound: SoundID) -> Clip? { clips[sound.index] }

  /// What a sound is called.
  func name(of sound: SoundID) -> String { names[sound.index] }

  /// The clip of a trigger's sound that loaded, by name.
  subscript(sound: String) -> Clip? { places[sound].flatMap { clips[$0] } }

  /// Why a trigger's sound cannot be played; `nil`: it can, or no trigger plays it.
  func problem(of sound: String) -> SoundError? { places[sound].flatMap { problems[$0] } }

  /// What is wrong with the triggers' sounds (or with some of them), as messages with the place in the configuration.
  func complaints(_ configuration: Configuration, file: String?, about sounds: Set<String>? = nil) -> [String] {
    describe(configuration, file: file, sounds) { problem(of: $0).map { "\($0)" } }
  }

  /// A message about the sounds of the triggers, each with its place in the configuration.
  func describe(
    _ configuration: Configuration, file: String?, _ sounds: Set<String>?, _ text: (String) -> String?
  ) -> [String] {
    var messages: [String] = []
    for trigger in configuration.triggers {
      for name in trigger.definition.sound.names where sounds?.contains(name) ?? true {
        guard let text = text(name) else { continue }
        let place = trigger.soundPlaces[name] ?? trigger.place
        let prefix = file.map { "\($0):\(place): " } ?? ""
        messages.append("\(prefix)trigger '\(trigger.definition.name)': \(text)")
      }
    }
    return messages
  }
}
