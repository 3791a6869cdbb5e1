import Foundation

/// A system bus of one test's own, with or without RealtimeKit on it.
final class PrivateBus {
  private static let polkit = "/usr/lib/polkit-1/polkitd"
  private static let realtimeKit = "/usr/libexec/rtkit-daemon"

  /// Whether RealtimeKit can be started: it serves others than itself only if it is root, and asks polkit.
  static let hasRealtimeKit =
    getuid() == 0 && [polkit, realtimeKit].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

  let address: String
  /// What its programs and clients need to find it.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

  private let home: Home

  /// Starts an empty bus in a home, and returns when it can be used.
  ///
  /// `denied`: a method that no client of the bus may call.
  init(in home: Home, denied: (interface: String, member: String)? = nil) throws {
    self.home = home
    address = "unix:path=\(home("run/bus"))"
    let configuration = try home.write(
      "bus.conf",
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>system</type>
        <listen>\(address)</listen>
        <policy context="default">
          <allow user="*"/>
          <allow own="*"/>
          <allow send_destination="*"/>
          <allow receive_type="*"/>
          \(denied.map { "<deny send_interface=\"\($0.interface)\" send_member=\"\($0.member)\"/>" } ?? "")
        </policy>
      </busconfig>
      """)
    let daemon = try home.start(
      program: "dbus-daemon", ["--nofork", "--nopidfile", "--print-address=1", "--config-file=\(configuration)"])
    try daemon.waitForOutput(lines: 1)
  }

  /// Starts polkit, which RealtimeKit asks.
  func startPolkit() throws {
    let polkit = try home.start(program: Self.polkit, [], environment: environment)
    try polkit.waitForOutput(containing: "Acquired the name")
  }

  /// Starts RealtimeKit with options of its own.
  func startRealtimeKit(_ options: String...) throws {
    // Limits on its user's processes would count those of other tests.
    let realtimeKit = try home.start(
      program: Self.realtimeKit, ["--stderr", "--no-limit-resources"] + options, environment: environment)
    try realtimeKit.waitForErrors("Running.")
  }
}
