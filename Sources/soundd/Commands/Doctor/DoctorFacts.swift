import SoundTrigger
import SoundWire

/// What `soundd doctor` has found out. `Diagnosis` judges it.
struct DoctorFacts {
  /// What a daemon on the socket says.
  enum Daemon {
    case none
    /// Something listens and does not answer as soundd does; the text says how.
    case silent(String)
    /// Its status.
    case running(StatusMessage)
  }

  /// The loudness of the default sink, or of ALSA's master.
  struct Sink: Equatable {
    var isMuted: Bool
    var percent: Int
    /// `nil`: it hears at once, as far as its name says.
    var sleeper: Sleeper?

    /// What swallows the beginning of a sound after a pause.
    enum Sleeper: String {
      case bluetooth = "a Bluetooth device"
      case screen = "a screen"

      /// The silence that it needs.
      var wake: String { self == .screen ? "150 ms" : "300 ms" }
    }

    init(isMuted: Bool, percent: Int) { (self.isMuted, self.percent) = (isMuted, percent) }

    /// From what wpctl, pactl or amixer prints; `nil` if it has no volume.
    init?(_ text: String) {
      let words = text.split { $0.isWhitespace || $0 == "[" || $0 == "]" }
      let text = text.lowercased()
      if text.contains("bluez") { sleeper = .bluetooth }
      if text.contains("hdmi") { sleeper = .screen }
      isMuted = words.contains("MUTED") || words.contains("off") || text.contains("mute: yes")
      if let word = words.first(where: { $0.hasSuffix("%") }), let percent = Int(word.dropLast()) {
        self.percent = percent
      } else if let index = words.firstIndex(of: "Volume:"), index + 1 < words.count,
        let factor = Double(words[index + 1])
      {
        percent = Int((100 * min(max(factor, 0), 10)).rounded())
      } else {
        return nil
      }
    }
  }

  /// The cards that can be played on.
  struct Cards: Equatable {
    var count = 0
    /// How many this user may not open.
    var forbidden = 0
  }

  /// A value, and what this command sees where it comes from.
  struct Source {
    var value: ValueMessage
    /// Why its path cannot be read.
    var problem: PathProblem?
    /// Whether the folder is there, and the file is not.
    var isMissing = false

    init(_ value: ValueMessage) { self.value = value }
  }

  /// Where the state lies.
  struct State: Equatable {
    /// `nil` if the environment names no folder.
    var path: String?
    /// The row about its folder, if something is wrong with it.
    var folder: [DoctorRow] = []
    /// The rows about what an earlier soundd has installed and this one would not.
    var leftovers: [DoctorRow] = []
  }

  /// This command's.
  var version = soundd.Daemon.version
  /// When they were collected.
  var now = Timestamp.now()
  var executable = ""
  /// The user's name, for commands that need it.
  var user = ""
  /// Where a daemon would listen; `nil` if there is no folder for its socket.
  var socket: String?
  var daemon = Daemon.none
  /// Whether systemd has given up starting it.
  var hasFailedUnit = false
  /// The file that the daemon uses, or would use; `nil`: there is none.
  var configurationFile: String?
  /// The rows about that file.
  var configuration: [DoctorRow] = []
  /// The daemon's, or opened by this command.
  var device = DeviceMessage()
  /// ALSA's word for its kind, such as `HW`, if this command opened it.
  var deviceType: String?
  /// How loud it is for all programs; `nil` if no program could be asked.
  var sink: Sink?
  /// How loud the daemon's own stream is on the sound server; `nil` if it has none, or if no program could be asked.
  var stream: SoundStream?
  /// Whether a silence wakes the sink (`wake`).
  var isWoken = false
  /// Whether a sound server runs, and ALSA has no plugin that leads to it.
  var lacksPlugin = false
  /// The sound server that takes connections, and plays what other programs play.
  var server: SoundServer?
  /// All that take connections.
  var servers: [SoundServer] = []
  /// The programs of sound servers that are installed, of `Doctor.servers`.
  var programs: Set<String> = []
  /// Whether systemd starts the user's servers.
  var isManaged = true
  var cards = Cards()
  /// The folders of sounds that exist, and whether files of others are decoded in a process that can do nothing else.
  var sounds = (folders: [String](), areConfined: true)
  var sources: [Source] = []
  /// Without a daemon they have no counts.
  var triggers: [TriggerMessage] = []
  /// What a daemon would hold, while none runs.
  var preview: StartPreview?
  /// The row about XDG_RUNTIME_DIR, if something is wrong with it.
  var runtimeFolder: [DoctorRow] = []
  var state = State()

  /// The status of a running daemon.
  var status: StatusMessage? { if case .running(let status) = daemon { status } else { nil } }

  // The daemon's, or those with which one would begin.
  var level: LevelMembers? { status?.level ?? preview?.level }
  var profile: ProfileMembers? { status?.profile ?? preview?.profile }
  var alarms: [AlarmMessage] { status?.alarms ?? preview?.alarms ?? [] }
  var stateProblem: String? { status?.stateProblem ?? preview?.stateProblem }
}

extension DeviceMessage {
  /// What it agreed to, or how it is; `nil` if it cannot be played on, or nobody has tried.
  var summary: String? {
    switch state.kind {
    case .missing: nil
    case .closed: "closed while nothing plays"
    case .clock: "a clock"
    default: format.map { "\(Excerpt.escaping($0)), \(rate) Hz, \(channels.map(String.init) ?? "-") channels" }
    }
  }

  /// The server that plays it, or played it before it ended; `nil` if none did, or if it is unknown.
  var soundServer: SoundServer? { server.flatMap(SoundServer.init) }
}

extension ValueMessage {
  /// The key of the configuration that names its path, and the path; `nil` if it has none.
  var file: (aspect: FileAspect, path: String)? {
    guard let (word, rest) = sourceWords, let aspect = FileAspect(rawValue: word) else { return nil }
    return (aspect, rest)
  }

  /// The value from which it is derived.
  var base: String? { sourceWords.flatMap { $0.word == "of" ? $0.rest : nil } }

  /// Whether a command or a feed sets it.
  var isFed: Bool { sourceWords.map { ["command", "feed"].contains($0.word) } ?? false }

  /// `file /home/me/status`, `of temperature`, `command make -q` or `socket`.
  private var sourceWords: (word: String, rest: String)? {
    let words = source.split(separator: " ", maxSplits: 1).map(String.init)
    return words.count == 2 ? (words[0], words[1]) : nil
  }
}
