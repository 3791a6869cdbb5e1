import Glibc
import SoundTrigger

/// A sound server whose socket exists. Nothing connects to it.
enum SoundServer: String, CaseIterable {
  case pipewire = "PipeWire"
  case pulse = "PulseAudio"

  /// Its socket below XDG_RUNTIME_DIR.
  var socket: String {
    switch self {
    case .pipewire: "pipewire-0"
    case .pulse: "pulse/native"
    }
  }

  /// The one that plays for this user. PipeWire comes first, because it listens on PulseAudio's socket, too.
  static func inUse(_ environment: SystemEnvironment) -> SoundServer? {
    guard let folder = environment.path(of: .runtime) else { return nil }
    return allCases.first { access(FilePathText.join(folder, $0.socket), F_OK) == 0 }
  }
}
