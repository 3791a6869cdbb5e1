import SoundTrigger

/// A connection to the daemon on an event loop. If there is none, it is tried again each second.
final class MonitorLink {
  private static let pause = Duration.seconds(1)
  /// How long a connect waits for a daemon that many wait for.
  private static let patience = Duration.milliseconds(500)

  private let path: String
  private let loop: EventLoop
  private var connection: DaemonConnection?
  private var token: EventLoop.Token?
  private lazy var retry = EventLoop.Timer { [unowned self] in connect() }

  var connected: () -> Void = {}
  /// Called with the lines that came at once, without their ends.
  var received: (ArraySlice<[UInt8]>) -> Void = { _ in }
  /// Called with the reason, also if a further try fails.
  var lost: (String) -> Void = { _ in }

  init(path: String, on loop: EventLoop) { (self.path, self.loop) = (path, loop) }

  func connect() {
    attempt {
      let new = try DaemonConnection(path: path, timeout: Self.patience)
      token = try loop.add(new.descriptor, .readable) { [unowned self] _ in
        attempt { if let lines = try connection?.takeLines() { received(lines) } }
      }
      connection = new
      connected()
    }
  }

  /// Sends lines; they are dropped if there is no connection.
  func send(_ lines: [String]) {
    if !lines.isEmpty { attempt { try connection?.send(line: lines.joined(separator: "\n")) } }
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      if let token { loop.remove(token) }
      (token, connection) = (nil, nil)
      loop.schedule(retry, at: EventLoop.clock().advanced(by: Self.pause))
      lost("trying again each second: \(error)")
    }
  }
}
