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
  static func inUse(_ environment: SystemEnvironment) -> (server: SoundServer, socket: String)? {
    guard let folder = environment.path(of: .runtime) else { return nil }
    return allCases.lazy.map { ($0, FilePathText.join(folder, $0.socket)) }.first { access($0.1, F_OK) == 0 }
  }
}
