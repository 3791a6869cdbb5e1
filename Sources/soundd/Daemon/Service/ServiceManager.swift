import CLinux
import Glibc

/// Notifies systemd of the service's state (sd_notify(3): one datagram to `$NOTIFY_SOCKET`).
struct ServiceManager {
  private let socket: String?

  /// Looks up `NOTIFY_SOCKET` in `environment`; without it every call does nothing.
  init(environment: (String) -> String?) { socket = environment("NOTIFY_SOCKET") }

  /// The service works; `status` is what `systemctl status` shows.
  func ready(status: String) { send("READY=1\n\(Self.status(status))") }

  /// soundd reads the configuration again, until `ready`.
  func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(clinux_monotonic() / 1000)") }

  /// What `systemctl status` shows.
  func status(_ text: String) { send(Self.status(text)) }

  /// soundd ends now.
  func stopping() { send("STOPPING=1\n\(Self.status("Fading out"))") }

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
