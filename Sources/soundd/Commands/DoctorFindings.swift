/// What `soundd doctor` found out, before anybody judges it.
struct DoctorFindings {
  enum Daemon: Equatable {
    case running
    /// Nobody listens.
    case none
    /// Somebody does, or may, but gives no answer; the text says why.
    case unreachable(String)
  }

  enum RuntimeFolder: Equatable {
    case good(String)
    /// XDG_RUNTIME_DIR has no absolute path.
    case unset
    /// It is no folder in which this user may write.
    case unusable(String)
  }

  enum StateFolder: Equatable {
    /// State can be written into it, or into one that can be made there.
    case good(String)
    /// The environment names none.
    case unset
    /// It is no folder in which this user may write, nor could it be made.
    case unusable(String)
  }

  enum ConfigurationState: Equatable {
    case good(file: String)
    /// There is none; the text says where it could be.
    case missing(String)
    /// The text has all that is wrong with it.
    case bad(String)
  }

  struct Device: Equatable {
    var name: String
    /// What kind of PCM ALSA says it is, such as `HW` or `IOPLUG`; `nil` if it was not asked.
    var kind: String?
    var state: State

    enum State: Equatable {
      /// It opens; the text is what was agreed on.
      case opens(String)
      /// The configuration wants none.
      case clock
      /// It does not open: why, with the errno if it is known.
      case fails(String, code: Int32?)
    }
  }

  struct Cards: Equatable {
    /// PCMs for playback below /dev/snd.
    var count: Int
    /// Those that this user may open.
    var accessible: Int
  }

  struct Kernel: Equatable {
    /// `uname -v`.
    var version: String
    /// Whether /sys/kernel/realtime says so.
    var isRealTime: Bool
    /// /proc/cmdline.
    var commandLine: String
  }

  struct Processor: Equatable {
    /// The frequency governors in use, each once; empty if the kernel does not tell.
    var governors: [String]
    /// The frequency driver.
    var driver: String?
  }

  struct Clock: Equatable {
    var current: String?
    var available: [String]
  }

  struct Sounds: Equatable {
    /// The folders of sounds that exist.
    var folders: [String]
    /// What is wrong with the configuration's sounds.
    var complaints: [String]
  }

  enum Server: String, Equatable {
    case pipewire = "PipeWire"
    case pulse = "PulseAudio"
  }

  /// The user's name, for commands that take it.
  var user: String
  var socket: String?
  var daemon: Daemon
  var runtimeFolder: RuntimeFolder
  var stateFolder: StateFolder
  var configuration: ConfigurationState
  var sounds: Sounds
  var device: Device
  /// The sound server whose socket there is.
  var server: Server?
  var cards: Cards
  /// `nil`: the daemon is too old to tell, or no audio thread could be started.
  var realTime: StatusReport.RealTime?
  var memory: StatusReport.Memory?
  var kernel: Kernel
  var processor: Processor
  var clock: Clock
}
