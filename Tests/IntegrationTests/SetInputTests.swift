import Foundation
import Testing

/// `soundd set -`: lines of standard input for the running daemon.
struct SetInputTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    daemon = try home.daemon(
      """
      [value.level]
      type = "number"
      [[trigger]]
      value = "a"
      sound = "tick"
      """, "--device", "none")
  }

  @Test func `each line is sent at once, and not when there are many`() throws {
    let program = try home.start("set", "-", input: .pipe)
    program.write("a=1\na=2\nb=")
    try eventually("the second line has arrived") { (try? home.value("a")["value"] as? String) == "2" }
    #expect(try home.played("a") == 1)
    program.write("3\nlevel=x\n")
    // Errors are named as they come, too.
    try program.waitForErrors("soundd: line 4: 'level': 'x' is not a number\n")
    #expect(try home.value("b")["value"] as? String == "3")
    program.closeInput()
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.hasSuffix("\nsoundd: 1 of 4 lines were refused\n"))
  }

  @Test func `a file is read to its end, and its last line needs none`() throws {
    let lines = (1...100_000).map { "n\($0 % 10)=\($0)" }
    let file = try home.write("lines", lines.joined(separator: "\n"))
    #expect(try home.run(["set", "-"], input: .file(file)).wait() == .exit(0))
    #expect(try home.value("n0")["value"] as? String == "100000")
    #expect(try home.value("n1")["updates"] as? Int == 10_000)
  }

  @Test func `more errors than any buffer holds keep nobody waiting`() throws {
    let file = try home.write("lines", Array(repeating: "level=x\n", count: 50_000).joined())
    let program = try home.run(["set", "-"], input: .file(file))
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.hasSuffix("\nsoundd: 50000 of 50000 lines were refused\n"))
    #expect(program.errors.contains("soundd: line 49999: 'level': 'x' is not a number\n"))
  }

  @Test func `a daemon that goes away is noticed at once`() throws {
    let program = try home.start("set", "-", input: .pipe)
    program.write("a=1\n")
    try eventually("it has arrived") { (try? home.value("a")["value"] as? String) == "1" }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    // Its input is still open.
    #expect(try program.wait() == .exit(69))
    #expect(
      program.errors
        == "soundd: soundd on \(home.socket) ended the connection; of the 1 lines that were sent, the last ones may be lost\n"
    )
  }

  @Test func `an interrupted line sets nothing`() throws {
    let program = try home.start("set", "-", input: .pipe)
    program.write("a=1\na=100")
    try eventually("the first line has arrived") { (try? home.value("a")["value"] as? String) == "1" }
    program.send(signal: SIGINT)
    #expect(try program.wait() == .signal(SIGINT))
    try eventually("it has left") { try home.status()["clients"] as? Int == 1 }
    #expect(try home.value("a")["value"] as? String == "1")
  }

  @Test func `input that cannot be read is an I-O error`() throws {
    let closed = try home.run(["set", "-"], input: .closed)
    #expect(try closed.wait() == .exit(74))
    #expect(closed.errors.hasPrefix("soundd: read standard input: "))
    #expect(try home.run(["set", "-"], input: .file(home.path)).wait() == .exit(74))
    #expect(try home.run(["set", "-"], input: .file("/dev/null")).wait() == .exit(0))
  }

  // MARK: set --stdin

  @Test(arguments: [
    "one line", "{\"hook\": \"stop\",\n \"text\": \"a\\tb \u{1F600}\"}", "a=1\nmute\r\n{\"a\": 2}", "\r", "",
  ])
  func `all of standard input is one content`(content: String) throws {
    let daemon = try Home()
    _ = try daemon.daemon("[value.hook]\ntrim = false", "--device", "none")
    #expect(try daemon.run("set", "--stdin", "hook", input: .text(content)).wait() == .exit(0))
    #expect(try daemon.value("hook")["value"] as? String == content)
    #expect(try daemon.status()["muted"] as? Bool == false)
  }

  @Test func `a content fits a line of the socket or is refused as a whole`() throws {
    let longest = String(repeating: "x", count: 65_536 - "long=".count)
    #expect(try home.run("set", "--stdin", "long", input: .text(longest)).wait() == .exit(0))
    #expect(try home.value("long")["value"] as? String == longest)
    // As an escape, the line break needs two bytes, and the object around the content five.
    for content in [longest + "x", longest.dropLast(4) + "\n", String(repeating: "x", count: 3_000_000)] {
      let program = try home.run("set", "--stdin", "long", input: .text(content))
      #expect(try program.wait() == .exit(65))
      #expect(program.errors.hasPrefix("soundd: standard input does not fit a line of the socket (64 KiB), so nothing"))
    }
    #expect(try home.value("long")["updates"] as? Int == 1)
  }

  @Test func `what is no text, no name or no number sets nothing`() throws {
    let bytes = try home.write("bytes", [0x61, 0xFF])
    let program = try home.run(["set", "--stdin", "a"], input: .file(bytes))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.hasPrefix("soundd: standard input is not UTF-8"))
    #expect(try home.run("get", "a").wait() == .exit(66))
    for arguments in [["--stdin", "a b"], ["--stdin"], ["--stdin", "a", "b=1"], ["--stdin", "a", "-"], ["--stdin="]] {
      #expect(try home.run(["set"] + arguments, input: .text("1")).wait() == .exit(64), "\(arguments)")
    }
    let refused = try home.run("set", "--stdin", "level", input: .text("much\n"))
    #expect(try refused.wait() == .exit(77))
    #expect(refused.errors == "soundd: 'level': 'much' is not a number\n")
    #expect(try home.run(["set", "--stdin", "a"], input: .closed).wait() == .exit(74))
  }
}
