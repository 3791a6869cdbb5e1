import Foundation
import Testing

struct MailExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Delivers as a Maildir wants it: written in `tmp`, moved to `new`.
  private func deliver(_ name: String, to folder: String = "Maildir") throws {
    try home.write("\(folder)/tmp/\(name)", "Subject: hello\n")
    #expect(rename(home("\(folder)/tmp/\(name)"), home("\(folder)/new/\(name)")) == 0)
  }

  private func wait(for count: Int, in name: String = "inbox") throws {
    try eventually("'\(name)' has \(count)") { try home.value(name)["value"] as? Double == Double(count) }
  }

  @Test func `new mail is heard once in a while, and that all of it has been read`() throws {
    for folder in ["new", "cur", "tmp"] { try home.write("Maildir/\(folder)/old", "") }
    let daemon = try home.daemon(example: "mail.toml")
    try wait(for: 1)
    for index in 1...20 { try deliver("\(index)") }
    try wait(for: 21)
    try eventually("it is heard") { try home.decided("mail") == 1 }
    try deliver("21")
    try wait(for: 22)
    #expect(try home.verdicts("mail").last == "22 throttled")
    // Its reader moves it.
    for name in try FileManager.default.contentsOfDirectory(atPath: home("Maildir/new")) {
      #expect(rename(home("Maildir/new/\(name)"), home("Maildir/cur/\(name):2,S")) == 0)
    }
    try wait(for: 0)
    try eventually("it is heard") { try home.decided("inbox-empty") == 1 }
    #expect(try home.decided("mail") == 1)
    withExtendedLifetime(daemon) {}
  }

  @Test func `each has its sound`() throws {
    let plays = try home.render(
      example: "mail.toml", "0 inbox=3\n1 inbox=4\n2 inbox=5\n3 inbox=2\n40 inbox=6\n50 inbox=0\n")
    #expect(plays == ["1 mail plays message", "40 mail plays message", "50 inbox-empty plays path-complete"])
  }
}
