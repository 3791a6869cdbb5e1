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

  @Test func `commands in the input are refused, whoever wrote them`() throws {
    let program = try home.run(
      "set", "-", input: .text("a=1\nplay success\nstop\nreload\nevents\nmute\r\nget a\n# remark\n\na=2"))
    #expect(try program.wait() == .exit(77))
    for line in 2...7 {
      #expect(program.errors.contains("soundd: line \(line): expected NAME=VALUE or a JSON object\n"))
    }
    #expect(program.errors.contains("soundd: 6 of 10 lines were refused\n"))
    #expect(program.text.isEmpty)
    #expect(try home.value("a")["value"] as? String == "2")
    #expect(try home.status()["muted"] as? Bool == false)
  }

  @Test func `a line that is too long is named, and the others go on`() throws {
    let long = String(repeating: "x", count: 3_000_000)
    let program = try home.run("set", "-", input: .text("a=1\na=\(long)\na=3\n"))
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.hasPrefix("soundd: line 2: the line is longer than 65536 bytes and was skipped\n"))
    #expect(try home.value("a")["value"] as? String == "3")
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
}
