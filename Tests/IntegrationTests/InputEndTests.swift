import Foundation
import Testing

/// The end of standard input, which is the end of `run -` if nothing else feeds it.
struct InputEndTests {
  private static let configuration = "[[trigger]]\nvalue = \"a\"\nsound = \"./click.wav\"\n"

  /// A home with a click beside its configuration.
  private func makeHome() throws -> Home {
    let home = try Home()
    try home.write("config/soundd/click.wav", Recording.click)
    return home
  }

  @Test(arguments: ["a=1\na=2\n", "a=1\na=2", "a=1\r\n# bye\n\na=2\r\n", "{\"a\": 1}\n{\"a\": 2}"])
  func `what was said before the end is played to its end`(lines: String) throws {
    let home = try makeHome()
    let out = home("out.raw")
    let daemon = try home.daemon(Self.configuration, "-", "--device", "file:\(out),raw", input: .text(lines))
    #expect(try daemon.wait() == .exit(0))
    #expect(try Recording(raw: out).clicks == 1)
    #expect(!FileManager.default.fileExists(atPath: home.socket))
  }

  @Test func `a wait that is under way is waited for`() throws {
    let home = try makeHome()
    let out = home("out.raw")
    let daemon = try home.daemon(
      Self.configuration + "debounce = \"200 ms\"\n", "-", "--no-socket", "--device", "file:\(out),raw",
      input: .text("a=1\na=2\na=3\n"))
    #expect(try daemon.wait() == .exit(0))
    #expect(try Recording(raw: out).clicks == 1)
  }

  @Test(arguments: ["loop = true", "loop = true\nloop_every = \"1 h\""])
  func `what sounds until a value changes ends with the end of its sound`(loop: String) throws {
    let home = try makeHome()
    let out = home("out.raw")
    let daemon = try home.daemon(
      Self.configuration + "to = \"2\"\n\(loop)\n", "-", "--no-socket", "--device", "file:\(out),raw",
      input: .text("a=1\na=2\n"))
    #expect(try daemon.wait() == .exit(0))
    let clicks = try Recording(raw: out).clicks
    #expect(clicks >= 1)
    #expect(clicks == clicks.rounded())
  }

  @Test func `a silence after the end is none that anybody waits for`() throws {
    let home = try makeHome()
    let out = home("out.raw")
    let daemon = try home.daemon(
      Self.configuration + "debounce = \"400 ms\"\n[value.b]\nexpect_every = \"200 ms\"\n"
        + "[[trigger]]\nvalue = \"b\"\nwhen = \"stale\"\nsound = \"./click.wav\"\n",
      "-", "--no-socket", "--device", "file:\(out),raw", input: .text("b=1\na=1\na=2\n"))
    #expect(try daemon.wait() == .exit(0))
    #expect(try Recording(raw: out).clicks == 1)
  }

  @Test func `a regular file is read to its end like a pipe`() throws {
    let home = try makeHome()
    let out = home("out.raw")
    let lines = (0..<20_000).map { "b=\($0)\n" }.joined() + "a=1\na=2\n"
    try home.write("lines", lines)
    let daemon = try home.daemon(
      Self.configuration, "-", "--no-socket", "--device", "file:\(out),raw", input: .file(home("lines")))
    #expect(try daemon.wait() == .exit(0))
    #expect(try Recording(raw: out).clicks == 1)
  }

  @Test func `nothing at all is the end at once`() throws {
    let home = try makeHome()
    let daemon = try home.daemon(Self.configuration, "-", "--device", "none", input: .nothing)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `a standard input that cannot be read is an error, though the end as well`() throws {
    let home = try makeHome()
    let daemon = try home.daemon(Self.configuration, "-", "--device", "none", input: .closed)
    #expect(try daemon.wait() == .exit(74))
    #expect(daemon.errors.contains("soundd: standard input: Bad file descriptor\n"))
  }

  @Test func `with a file to watch the daemon stays`() throws {
    let home = try makeHome()
    try home.write("watched", "1")
    let daemon = try home.daemon(
      "[value.a]\nfile = \"\(home("watched"))\"\n" + Self.configuration, "-", "--device", "none", input: .text("b=1\n"))
    try eventually("the line has arrived") { try home.connect().ask("get b").contains("\"updates\":1") }
    try home.replace("watched", "2")
    try eventually("the change has been played") { try home.played("a") == 1 }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `without - standard input is left alone`() throws {
    let home = try makeHome()
    _ = try home.daemon(Self.configuration, "--device", "none", input: .text("a=1\n"))
    #expect(try home.connect().ask("sync") == "ok")
    #expect(try home.value("a")["value"] is NSNull)
  }

  @Test func `lines that mean nothing are reported with their number and the others count`() throws {
    let home = try makeHome()
    let out = home("out.raw")
    let long = String(repeating: "x", count: 1 << 20)
    let daemon = try home.daemon(
      Self.configuration, "-", "--no-socket", "--device", "file:\(out),raw",
      input: .pipe)
    daemon.write("a=1\nnonsense\nsync\na=\(long)\n{\"a\": null}\n")
    daemon.write([0xFF, 0xFE, 10])
    daemon.write("a=2\n")
    daemon.closeInput()
    #expect(try daemon.wait() == .exit(0))
    for line in [2, 3, 4, 5, 6] { #expect(daemon.errors.contains("standard input: line \(line): ")) }
    #expect(!daemon.errors.contains("standard input: line 1: "))
    #expect(!daemon.errors.contains("standard input: line 7: "))
    #expect(try Recording(raw: out).clicks == 1)
  }
}
