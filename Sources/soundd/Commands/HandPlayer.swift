import Glibc
import SoundTrigger
import SoundWire

/// Plays sounds by hand, one after the other: through the running daemon, or in this process if none runs.
enum HandPlayer {
  case daemon(DaemonConnection)
  case local(SoundPlayer)

  /// Connects to the daemon, or opens the device of `settings`; a device that does not open is a failure.
  init(_ socket: SocketOptions, otherwise settings: OutputSettings, _ locator: SoundLocator) throws {
    do {
      self = .daemon(try socket.connect())
    } catch DaemonConnection.Problem.noDaemon {
      self = .local(try Self.player(settings, locator))
    } catch SocketPath.Problem.noFolder {
      self = .local(try Self.player(settings, locator))
    }
  }

  /// A player in this process.
  static func player(_ settings: OutputSettings, _ locator: SoundLocator) throws -> SoundPlayer {
    let player = try SoundPlayer(settings, locator: locator)
    try check(player)
    // The command says what is wrong.
    player.onProblem { _ in }
    return player
  }

  /// Plays a sound, a name or an absolute path, and returns when it has ended: after its `length` if the daemon plays it.
  func play(_ sound: String, length: Duration) throws {
    switch self {
    case .daemon(let client):
      try Self.start(sound, client)
      Self.wait(length)
    case .local(let player):
      try player.core.load(sound)
      player.play(.sound(sound))
      player.waitUntilSilent()
      try Self.check(player)
    }
  }

  /// Why what was played is not heard, although a device accepted it; `nil` if it is.
  func reasonForSilence() throws -> String? {
    if case .daemon(let client) = self { PlayCommand.reasonForSilence(try client.status().level) } else { nil }
  }

  /// Plays a sound through the daemon, and returns when a device has accepted it.
  static func start(_ sound: String, _ client: DaemonConnection) throws {
    _ = try client.ask("play \(sound)", loadsSounds: true)
  }

  /// Sleeps.
  private static func wait(_ time: Duration) {
    let nanoseconds = time.nanoseconds
    var rest = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var wanted: timespec
    repeat { wanted = rest } while nanosleep(&wanted, &rest) != 0 && errno == EINTR
  }

  private static func check(_ player: SoundPlayer) throws(Failure) {
    if let problem = player.device.problem {
      throw Failure(.unavailable, "\(problem); 'soundd doctor' says what to do, 'soundd devices' lists the devices")
    }
  }
}
