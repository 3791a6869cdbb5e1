import CLinux
import Glibc
import SoundTrigger

/// A sound server for this user.
enum SoundServer: String, CaseIterable {
  case pipewire = "PipeWire"
  case pulse = "PulseAudio"
  /// The part of PipeWire that listens on PulseAudio's socket.
  case pipewirePulse = "pipewire-pulse"

  /// Where a program looks for a server.
  enum Address: Equatable {
    case socket(String)
    /// On another machine, or through TCP: nothing tells whether it is there.
    case remote
  }

  /// Where a program looks for PipeWire; `nil` if the environment names no folder.
  static func pipewireAddress(_ environment: SystemEnvironment) -> Address? {
    let name = environment.variable("PIPEWIRE_REMOTE").flatMap { $0.isEmpty ? nil : $0 } ?? "pipewire-0"
    if name.hasPrefix("/") { return .socket(name) }
    let folder = environment.absolutePath("PIPEWIRE_RUNTIME_DIR") ?? environment.path(of: .runtime)
    return folder.map { .socket(FilePathText.join($0, name)) }
  }

  /// Where a program looks for PulseAudio, the best place first. PULSE_SERVER may name several servers; without it there is one place.
  static func pulseAddresses(_ environment: SystemEnvironment) -> [Address] {
    let servers = (environment.variable("PULSE_SERVER") ?? "").split(whereSeparator: \.isWhitespace)
    if !servers.isEmpty { return servers.map { pulseAddress(String($0)) } }
    if let folder = environment.absolutePath("PULSE_RUNTIME_PATH") {
      return [.socket(FilePathText.join(folder, "native"))]
    }
    return environment.path(of: .runtime).map { [.socket(FilePathText.join($0, "pulse/native"))] } ?? []
  }

  /// A server as PULSE_SERVER names it: `unix:PATH`, `PATH`, `tcp:HOST:PORT` or `HOST`, after the name of a machine in braces or not.
  private static func pulseAddress(_ text: String) -> Address {
    var text = Substring(text)
    if text.hasPrefix("{"), let end = text.firstIndex(of: "}") { text = text[text.index(after: end)...] }
    if text.hasPrefix("unix:") { text = text.dropFirst(5) }
    return text.hasPrefix("/") ? .socket(String(text)) : .remote
  }

  /// The sockets of all servers that this environment may lead to.
  static func sockets(_ environment: SystemEnvironment) -> [String] {
    ([pipewireAddress(environment)].compactMap { $0 } + pulseAddresses(environment)).compactMap {
      if case .socket(let path) = $0 { path } else { nil }
    }
  }

  /// The server that takes connections now and plays what other programs play. PipeWire is first, because it may run beside PulseAudio
  /// for videos only if PulseAudio itself has the other socket.
  static func inUse(_ environment: SystemEnvironment) -> SoundServer? {
    let pulse = onPulseSocket(environment)
    if pulse?.isCertain == true, pulse?.server == .pulse { return .pulse }
    return listensOnPipeWire(environment) ? .pipewire : pulse?.server
  }

  /// The servers that take connections now.
  static func running(_ environment: SystemEnvironment) -> [SoundServer] {
    [inUse(ofPipeWire: true, environment), inUse(ofPipeWire: false, environment)].compactMap { $0 }
  }

  /// The server that takes the connections of a device now: of one that PipeWire's own plugin plays, or PulseAudio's.
  static func inUse(ofPipeWire: Bool, _ environment: SystemEnvironment) -> SoundServer? {
    ofPipeWire ? listensOnPipeWire(environment) ? .pipewire : nil : onPulseSocket(environment)?.server
  }

  /// Whether this server, through which a device was opened, may still be there.
  func isThere(_ environment: SystemEnvironment) -> Bool {
    Self.inUse(ofPipeWire: self == .pipewire, environment) != nil
  }

  private static func listensOnPipeWire(_ environment: SystemEnvironment) -> Bool {
    guard case .socket(let path)? = pipewireAddress(environment) else { return false }
    return listener(on: path) != nil
  }

  /// The program on PulseAudio's socket. It is certain if the server made the socket, and not systemd in its place.
  private static func onPulseSocket(_ environment: SystemEnvironment) -> (server: SoundServer, isCertain: Bool)? {
    for address in pulseAddresses(environment) {
      guard case .socket(let path) = address else { return (.pulse, false) }
      guard let program = listener(on: path) else { continue }
      switch program {
      case "pulseaudio": return (.pulse, true)
      case "pipewire-pulse", "pipewire": return (.pipewirePulse, true)
      default:
        let isPipeWire = !environment.hasProgram("pulseaudio") && environment.hasProgram("pipewire-pulse")
        return (isPipeWire ? .pipewirePulse : .pulse, false)
      }
    }
    return nil
  }

  /// Whether a server takes connections on a socket.
  static func listens(on path: String) -> Bool { listener(on: path) != nil }

  /// Connects without waiting. Returns the name of the program that listens, empty if it is unknown; `nil` if none does. A server with
  /// a full queue of connections listens (EAGAIN).
  private static func listener(on path: String) -> String? {
    let probe = clinux_unix_socket(1)
    if probe < 0 { return nil }
    let descriptor = Descriptor(owning: probe)
    if clinux_unix_connect(descriptor.raw, path) != 0 { return errno == EAGAIN ? "" : nil }
    var (user, process) = (uid_t(), pid_t())
    guard clinux_peer(descriptor.raw, &user, &process) == 0 else { return "" }
    return programName(of: process)
  }

  /// The name of a process's program (/proc/PID/comm), or empty if it is unknown.
  private static func programName(of process: pid_t) -> String {
    let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    if file < 0 { return "" }
    let descriptor = Descriptor(owning: file)
    let name = [UInt8](unsafeUninitializedCapacity: 64) { $1 = max(0, read(descriptor.raw, $0.baseAddress, $0.count)) }
    return String(decoding: name.prefix { $0 != 10 }, as: UTF8.self)
  }

  /// Kinds of ALSA devices that these servers never play: cards and their parts, files, other servers.
  private static let otherDevices: Set<String> = [
    "hw", "plughw", "dmix", "dshare", "dsnoop", "front", "rear", "center_lfe", "side", "surround21", "surround40",
    "surround41",
    "surround50", "surround51", "surround71", "iec958", "spdif", "hdmi", "modem", "phoneline", "usbstream", "file",
    "tee", "null",
    "none", "jack", "oss",
  ]

  /// Whether an ALSA device of this name may be played by a sound server, depending on whether one runs. A name of the user's own may.
  static func mayPlay(_ device: String) -> Bool {
    let kind = device.prefix { $0 != ":" }
    if otherDevices.contains(String(kind)) || device.contains("hw:") { return false }
    // With a parameter it is a card.
    return kind != "sysdefault" || kind.count == device.count
  }
}
