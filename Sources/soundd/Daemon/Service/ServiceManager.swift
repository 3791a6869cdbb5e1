import CLinux
import Glibc
import SoundTrigger

/// Notifies systemd of the service's state (sd_notify(3): one datagram to `$NOTIFY_SOCKET`).
final class ServiceManager {
  private let socket: String?
  /// How often the service manager wants a sign of life; `nil` if it wants none.
  let watchdog: Duration?
  private var timer: EventLoop.Timer?

  /// Looks up `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` in `environment`; without the first every call does nothing.
  ///
  /// A child process inherits the variables; `WATCHDOG_PID` says whether they are about `process`.
  init(environment: (String) -> String?, process: Int32 = getpid()) {
    socket = environment("NOTIFY_SOCKET")
    let isOurs = environment("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
    let interval = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    // A timer cannot be shorter or longer.
    let bounded = min(max(interval, 1000), 86_400_000_000)
    watchdog = socket != nil && isOurs && interval > 0 ? .microseconds(bounded) : nil
  }

  /// The service works; `status` is what `systemctl status` shows.
  func ready(status: String) { send("READY=1\n\(Self.status(status))") }

  /// soundd reads the configuration again, until `ready`.
  func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(clinux_monotonic() / 1000)") }

  /// What `systemctl status` shows.
  func status(_ text: String) { send(Self.status(text)) }

  /// soundd ends now.
  func stopping() { send("STOPPING=1\n\(Self.status("Fading out"))") }

  /// Gives signs of life from now on if the service manager wants them: twice in each interval, as sd_watchdog_enabled(3) asks
  /// for, while the event loop turns and `isAlive` agrees.
  func keepAlive(on loop: EventLoop, isAlive: @escaping () -> Bool) {
    guard let interval = watchdog.map({ $0 / 2 }) else { return }
    let timer = EventLoop.Timer { [unowned self, unowned loop] in
      if isAlive() { send("WATCHDOG=1") }
      if let timer = self.timer { loop.schedule(timer, at: loop.now.advanced(by: interval)) }
    }
    self.timer = timer
    loop.schedule(timer, at: loop.now.advanced(by: interval))
  }

  /// A line break would begin another assignment, and the name of a device may contain one.
  private static func status(_ text: String) -> String {
    "STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))"
  }

  private func send(_ message: String) {
    guard let socket else { return }
    // soundd plays even if the service manager does not listen.
    _ = Array(message.utf8).withUnsafeBytes { clinux_unix_datagram(socket, $0.baseAddress, $0.count) }
  }
}
