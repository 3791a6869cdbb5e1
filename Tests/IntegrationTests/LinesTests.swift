import Foundation
import Testing

/// The lines of a growing file, in the running daemon.
struct LinesTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    try home.write("log", "one\ntwo\nhal")
    daemon = try home.daemon(
      """
      [value.line]
      lines = "~/log"
      [value.press]
      lines = "~/log"
      match = '^press.*'
      type = "event"
      [[trigger]]
      value = ["line", "press"]
      name = "any"
      sound = "tick"
      [[trigger]]
      value = "press"
      name = "bell"
      sound = "tick"
      """, "--device", "none")
  }

  @Test func `a reload that reads the lines in another way neither repeats nor loses any`() throws {
    try append("f\n")
    try wait(for: "half")
    let configuration = try String(contentsOfFile: home("config/soundd/config.toml"), encoding: .utf8)
    for trim in [false, true, false] {
      try append("press \(trim)\n")
      try home.write(
        "config/soundd/config.toml",
        configuration.replacing("match = ", with: "trim = \(trim)\nmatch = ").replacing(
          "[value.press]", with: "expect_every = \"1 h\"\n[value.press]"))
      #expect(try home.run("reload").wait() == .exit(0))
    }
    try append("end\n")
    try wait(for: "end")
    #expect(try home.trigger("bell")["changes"] as? Int == 3)
  }

  private func append(_ text: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: home("log")))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func wait(for line: String) throws {
    try eventually("'\(line)' has arrived") { try home.value("line")["value"] as? String == line }
  }

  /// How often a trigger has had a change before it.
  private func changes(_ name: String) throws -> Int? { try home.trigger(name)["changes"] as? Int }

  @Test func `every line counts, those of a burst and those that come again as well`() throws {
    let value = try home.value("line")
    #expect(value["value"] as? String == "two")
    #expect(value["source"] as? String == "lines \(home("log"))")
    #expect(try changes("any") == 0)
    try append("f\na\nb\na\nlast\n")
    try wait(for: "last")
    #expect(try changes("any") == 5)
    try append((0..<10_000).map { "\($0)\n" }.joined() + "the end\n")
    try wait(for: "the end")
    #expect(try changes("any") == 10_006)
  }

  @Test func `the first event of a log is one, and equal ones are many`() throws {
    #expect(try home.value("press")["value"] is NSNull)
    try append("\npress\nother\npress\npress\nend\n")
    try wait(for: "end")
    #expect(try changes("bell") == 3)
    try eventually("it is heard") { try home.decided("bell") == 3 }
  }

  @Test func `rotation, truncation and a deletion lose no line`() throws {
    try append("f\n")
    #expect(rename(home("log"), home("log.1")) == 0)
    try home.write("log", "1\n2\n")
    try wait(for: "2")
    #expect(truncate(home("log"), 0) == 0)
    try append("3\n")
    try wait(for: "3")
    try FileManager.default.removeItem(atPath: home("log"))
    try home.write("log", "4\n5\n")
    try wait(for: "5")
    #expect(try changes("any") == 6)
    #expect(!daemon.errors.contains("log"))
  }

  @Test func `a line that is too long is skipped and reported, and the next one counts`() throws {
    try append(String(repeating: "x", count: 100_000) + "\nnext\n")
    try wait(for: "next")
    let message = "value 'line': a line of more than 65536 bytes was skipped; the old one stays"
    try daemon.waitForErrors(message)
    #expect(try changes("any") == 1)
  }

  @Test func `a reload that changes the value repeats no line`() throws {
    try append("\npress\n")
    try eventually("it has arrived") { try changes("bell") == 1 }
    let text = try String(contentsOfFile: home("config/soundd/config.toml"), encoding: .utf8)
    try home.write(
      "config/soundd/config.toml",
      text.replacingOccurrences(of: "type = \"event\"", with: "type = \"event\"\nexpect_every = \"1 h\""))
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try changes("bell") == 1)
    try append("press\nend\n")
    try wait(for: "end")
    #expect(try changes("bell") == 2)
  }

  @Test func `setting it is refused, with the file to write to`() throws {
    let program = try home.run("set", "line=x")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors == "soundd: 'line' is fed by the lines of '\(home("log"))'; append to that file instead\n")
  }
}
