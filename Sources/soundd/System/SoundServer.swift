import CLinux
import Glibc
import SoundTrigger

/// A sound server for this user.
enum SoundServer: String, CaseIterable {
  case pipewire = "PipeWire"
  case pulse = "PulseAudio"

  /// Its socket below XDG_RUNTIME_DIR.
  private var socket: String {
    switch self {
    case .pipewire: "pipewire-0"
    case .pulse: "pulse/native"
    }
  }

  /// Where each of them would listen.
  static func sockets(_ environment: SystemEnvironment) -> [String] {
    guard let folder = environment.path(of: .runtime) else { return [] }
    return allCases.map { FilePathText.join(folder, $0.socket) }
  }

  /// The one that takes connections now. PipeWire comes first, because it listens on PulseAudio's socket, too.
  static func inUse(_ environment: SystemEnvironment) -> SoundServer? {
    zip(allCases, sockets(environment)).first { listens(on: $1) }?.0
  }

  /// Connects without waiting. A server with a full queue of connections listens (EAGAIN).
  private static func listens(on path: String) -> Bool {
    let probe = clinux_unix_socket(1)
    if probe < 0 { return false }
    let descriptor = Descriptor(owning: probe)
    return clinux_unix_connect(descriptor.raw, path) == 0 || errno == EAGAIN
  }
}
