import SoundTrigger

/// The sounds of a configuration's triggers, loaded; and what is wrong with those that cannot be.
struct SoundShelf {
  private var bank: SoundBank
  /// By `SoundID`.
  private var clips: [Clip?] = []
  private var problems: [SoundError?] = []

  /// An empty shelf that looks sounds up in the environment's folders and loads them for `rate`.
  init(folders: [String], base: String, rate: Int, limits: LimitSettings) {
    bank = SoundBank(
      locator: SoundLocator(folders: folders, base: base),
      loader: ClipLoader(rate: rate, limitSeconds: limits.soundSeconds))
  }

  /// Loads the sounds that an engine may play, in its order.
  mutating func load(_ sounds: [String]) {
    clips = []
    problems = []
    for sound in sounds {
      do throws(SoundError) {
        clips.append(try bank.load(sound))
        problems.append(nil)
      } catch {
        clips.append(nil)
        problems.append(error)
      }
    }
  }

  /// The clip of a sound that loaded.
  subscript(sound: SoundID) -> Clip? { clips[sound.index] }

  /// A sound that somebody asks for by hand.
  func fetch(_ sound: String) throws(SoundError) -> Clip { try bank.fetch(sound) }

  /// What is wrong with the triggers' sounds, as messages with the place in the configuration.
  func complaints(_ configuration: Configuration, file: String?, sounds: [String]) -> [String] {
    var complaints: [String] = []
    for trigger in configuration.triggers {
      for name in trigger.definition.sound.names {
        guard let index = sounds.firstIndex(of: name), let problem = problems[index] else { continue }
        let place = trigger.soundPlaces[name] ?? trigger.place
        let prefix = file.map { "\($0):\(place): " } ?? ""
        complaints.append("\(prefix)trigger '\(trigger.definition.name)': \(problem)")
      }
    }
    return complaints
  }
}
