import Foundation
import Testing

/// Notifications on a real bus, through the real script, into the daemon.
final class NotificationsExampleTests {
  private let home: Home
  private let bus: PrivateBus
  private let daemon: Program
  private let listener: Program

  init() throws {
    home = try Home()
    bus = try PrivateBus(in: home)
    daemon = try home.daemon(example: "notifications/config.toml")
    listener = try home.start(
      example: "notifications/soundd-notifications", environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    // busctl says so once the bus has accepted it as a monitor.
    try listener.waitForErrors("Monitoring bus message stream")
    // Beside this one, which asks.
    try eventually("it is connected to the daemon") { try home.status()["clients"] as? Int == 2 }
  }

  /// Calls Notify as a program does. The example works although no program shows notifications here.
  private func notify(
    _ program: String, replacing: Int = 0, _ title: String = "title", hints: [String] = []
  ) throws {
    let count = hints.split(whereSeparator: { $0 == ";" }).count
    let call = try home.start(
      program: "busctl",
      ["--user", "call", "org.freedesktop.Notifications"]
        + ["/org/freedesktop/Notifications", "org.freedesktop.Notifications", "Notify", "susssasa{sv}i"]
        + [program, "\(replacing)", "", title, "text", "0", "\(count)"] + hints.filter { $0 != ";" } + ["--", "-1"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    try call.wait()
    #expect(!call.errors.contains("Failed to parse"), "\(call.errors)")
  }

  private func wait(_ text: String) throws {
    try eventually("it is '\(text)'") { text == (try? home.value("notification"))?["value"] as? String }
  }

  @Test func `the urgency decides the sound`() throws {
    try notify("Power", hints: ["urgency", "y", "2"])
    try wait("critical Power")
    try notify("Thunderbird", hints: ["category", "s", "email", ";", "urgency", "y", "1"])
    try wait("normal Thunderbird")
    try notify("Spotify")
    try wait("normal Spotify")
    try notify("Downloads", hints: ["urgency", "y", "0"])
    try wait("low Downloads")
    #expect(try home.played("notification-critical") == 1)
    #expect(try home.played("notification-low") == 1)
    #expect(
      try home.verdicts("notification-normal") == [
        "critical Power not_matching", "normal Thunderbird played", "normal Spotify not_matching",
        "low Downloads not_matching",
      ])
  }

  @Test func `what replaces an older one, or asks for silence, is silent`() throws {
    try notify("Volume", replacing: 7, hints: ["urgency", "y", "2"])
    try notify("Quiet", hints: ["suppress-sound", "b", "true"])
    try notify("Loud", hints: ["suppress-sound", "b", "false"])
    try wait("normal Loud")
    #expect(try home.verdicts("notification-normal") == ["normal Loud played"])
    #expect(try home.verdicts("notification-critical").count == 1)
  }

  @Test func `a text cannot imitate anything, and a picture is not too long`() throws {
    try notify("A \"name\":\n=\\ grün 🎵", #"","urgency":{"type":"y","data":2}}"#)
    try wait("normal A \"name\":\n=\\ grün 🎵")
    try notify("", "notification=critical\nstop")
    try wait("normal")
    let picture = Array(repeating: "255", count: 60_000)
    try notify("Chat", hints: ["image-data", "ay", "\(picture.count)"] + picture + [";", "urgency", "y", "0"])
    try wait("low Chat")
    #expect(try home.verdicts("notification-critical").allSatisfy { $0.hasSuffix("not_matching") })
    #expect(listener.errors == "Monitoring bus message stream.\n")
  }

  @Test func `killing it leaves no process behind`() throws {
    #expect(!listeners.isEmpty)
    listener.send(signal: SIGTERM)
    #expect(try listener.wait() == .exit(143))
    try eventually("nothing listens any more") { listeners.isEmpty }
  }

  /// The processes with this bus that are neither the bus nor the daemon.
  private var listeners: [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { process in
      func text(_ file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
      }
      return text("environ").contains(bus.address) && ["busctl\n", "sed\n", "soundd\n"].contains(text("comm"))
    }
  }

  @Test func `it ends with the daemon, and its unit starts it again`() throws {
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    try listener.waitForErrors("ended the connection")
    let unit = try home.install(
      "notifications/soundd-notifications.service", at: ".config/systemd/user/soundd-notifications.service")
    try home.install("notifications/soundd-notifications", at: ".local/bin/soundd-notifications")
    #expect(try String(contentsOfFile: unit, encoding: .utf8).contains("\nRestart=always\n"))
    let verified = try home.start(
      program: "systemd-analyze", ["verify", "--user", "--man=no", "--recursive-errors=no", unit])
    #expect(try verified.wait() == .exit(0))
    #expect(verified.text + verified.errors == "")
  }
}
