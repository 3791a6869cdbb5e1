import Foundation
import Testing

/// Notifications on a real bus, through the real busctl, into the daemon.
final class NotificationsExampleTests {
  private let home: Home
  private let bus: PrivateBus
  private let daemon: Program
  /// How many notifications the start took.
  private var begun = 0

  init() throws {
    home = try Home()
    bus = try PrivateBus(in: home)
    daemon = try home.daemon(
      example: "notifications.toml", environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    // The first ones may be lost because busctl does not listen yet.
    try eventually("busctl listens") {
      try notify("begin", hints: ["urgency", "y", "0"])
      return (try? home.value("notification"))?["value"] as? String == "low begin"
    }
    // After it, none of them comes any more.
    try notify("ready", hints: ["urgency", "y", "0"])
    try wait("low ready")
    begun = try home.verdicts("notification-normal").count
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
    #expect(
      try home.verdicts("notification-normal").dropFirst(begun) == [
        "critical Power not_matching", "normal Thunderbird played", "normal Spotify not_matching",
        "low Downloads not_matching",
      ])
  }

  @Test func `what replaces an older one, or asks for silence, is silent`() throws {
    try notify("Volume", replacing: 7, hints: ["urgency", "y", "2"])
    try notify("Quiet", hints: ["suppress-sound", "b", "true"])
    try notify("Loud", hints: ["suppress-sound", "b", "false"])
    try wait("normal Loud")
    #expect(try home.verdicts("notification-normal").dropFirst(begun) == ["normal Loud played"])
    #expect(try home.verdicts("notification-critical").count == begun + 1)
  }

  @Test func `a text cannot imitate anything, and a picture is not too long`() throws {
    try notify("A \"name\":\n=\\ grün 🎵", #"","urgency":{"type":"y","data":2}}"#)
    try wait("normal A \"name\":\n=\\ grün 🎵")
    try notify("'; touch pwned; $(touch pwned) \u{1B}[2J")
    try wait("normal '; touch pwned; $(touch pwned) \u{1B}[2J")
    try notify("", "notification=critical\nstop")
    try wait("normal ")
    let picture = Array(repeating: "255", count: 60_000)
    try notify("Chat", hints: ["image-data", "ay", "\(picture.count)"] + picture + [";", "urgency", "y", "0"])
    try wait("low Chat")
    #expect(try home.verdicts("notification-critical").allSatisfy { $0.hasSuffix("not_matching") })
    #expect(try home.value("notification")["refused"] as? Int == 0)
    #expect(!FileManager.default.fileExists(atPath: home("pwned")))
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
  }
}
