import Foundation
import Testing

/// The number of entries of a folder, and whether there is something at a path, in the running daemon.
struct CountTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    try home.write("mail/new/0", "")
    daemon = try home.daemon(
      """
      [value.mail]
      count = "~/mail/new/"
      [value.late]
      count = "~/late"
      [value.locked]
      exists = "~/lock"
      [value.free]
      of = "locked"
      equals = false
      [[trigger]]
      value = "mail"
      when = "increase"
      sound = "message"
      overlap = "ignore"
      [[trigger]]
      value = "late"
      sound = "message"
      [[trigger]]
      value = "locked"
      to = true
      sound = "tick"
      [[trigger]]
      value = "free"
      sound = "tick"
      """, "--device", "none")
  }

  private func wait(for number: Double, _ name: String = "mail") throws {
    try eventually("'\(name)' is \(number)") { try home.value(name)["value"] as? Double == number }
  }

  @Test func `mail that comes is heard, mail that is read is not`() throws {
    let value = try home.value("mail")
    #expect(value["value"] as? Double == 1)
    #expect(value["type"] as? String == "number")
    #expect(value["source"] as? String == "count \(home("mail/new"))")
    try home.write("mail/tmp/1", "hello")
    #expect(rename(home("mail/tmp/1"), home("mail/new/1")) == 0)
    try wait(for: 2)
    try eventually("it is heard") { try home.played("mail") == 1 }
    try FileManager.default.removeItem(atPath: home("mail/new/0"))
    try wait(for: 1)
    #expect(try home.played("mail") == 1)
    #expect(try home.trigger("mail")["changes"] as? Int == 2)
  }

  @Test func `a thousand at once are few changes`() throws {
    for index in 1...1000 { try home.write("mail/new/m\(index)", "") }
    try wait(for: 1001)
    #expect(try home.trigger("mail")["changes"] as? Int ?? 99 < 20)
  }

  @Test func `a folder that was missing is heard when it appears`() throws {
    #expect(try home.value("late")["value"] is NSNull)
    try home.write("late/a", "")
    try wait(for: 1, "late")
    try eventually("it is heard") { try home.played("late") ?? 0 >= 1 }
    try FileManager.default.removeItem(atPath: home("late"))
    #expect(try home.value("late")["value"] as? Double == 1)
  }

  @Test func `an arrival is heard, and so is a derived value`() throws {
    let value = try home.value("locked")
    #expect(value["value"] as? Bool == false)
    #expect(value["type"] as? String == "bool")
    #expect(value["source"] as? String == "exists \(home("lock"))")
    #expect(try home.played("locked") == 0)
    try home.write("lock", "")
    try eventually("it is heard") { try home.played("locked") == 1 }
    #expect(try home.value("free")["value"] as? Bool == false)
    try FileManager.default.removeItem(atPath: home("lock"))
    try eventually("it is free") { try home.value("free")["value"] as? Bool == true }
    #expect(try home.played("locked") == 1)
    let refused = try home.run("set", "locked=true")
    #expect(try refused.wait() == .exit(77))
    #expect(refused.errors == "soundd: 'locked' tells whether '\(home("lock"))' exists, and cannot be set\n")
  }

  @Test func `in a rendering the timeline sets them`() throws {
    let program = try home.run(
      "render", "-", "--config", home("config/soundd/config.toml"), input: .text("0 mail=1\n1 mail=2\n2 locked=true\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text.split(separator: "\n").filter { $0.contains("plays") }.count == 1)
  }
}
