import CLinux
import Glibc

/// Tells systemd how the service is doing (sd_notify(3): one datagram to `$NOTIFY_SOCKET`).
struct ServiceManager {
  private let socket: String?

  /// `environment` is asked for `NOTIFY_SOCKET`; without it every call does nothing.
  init(environment: (String) -> String?) { socket = environment("NOTIFY_SOCKET") }

  /// The service works; `status` is what `systemctl status` shows.
  func ready(status: String) { send("READY=1\n\(Self.status(status))") }

  /// The configuration is being read again; `ready` ends it.
  func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(clinux_monotonic() / 1000)") }

  /// What `systemctl status` shows.
  func status(_ text: String) { send(Self.status(text)) }

  /// The service is about to end.
  func stopping() { send("STOPPING=1\n\(Self.status("Fading out"))") }

  /// A line break would begin another assignment, and names of devices may have one.
  private static func status(_ text: String) -> String {
    "STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))"
  }

  private func send(_ message: String) {
    guard let socket else { return }
    // A service manager that does not listen is no reason not to play.
    _ = Array(message.utf8).withUnsafeBytes { clinux_unix_datagram(socket, $0.baseAddress, $0.count) }
  }
}
