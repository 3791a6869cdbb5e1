import Foundation
import Testing

struct BuildExampleTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    daemon = try home.daemon(example: "build/config.toml")
  }

  private func announce(_ arguments: String...) throws -> Program {
    try home.start(example: "build/announce", arguments)
  }

  /// Waits until a trigger has played so often.
  private func wait(_ trigger: String, _ count: Int) throws {
    try eventually("'\(trigger)' has played \(count) times") { try home.decided(trigger) == count }
  }

  /// What the file of a value says, without what tells the run from others.
  private func result(_ name: String) throws -> String? {
    let text = try String(contentsOfFile: home(".cache/results/\(name)"), encoding: .utf8)
    return text.split(separator: " ").first.map(String.init)
  }

  @Test func `each result has its sound, and what begins a quiet one`() throws {
    let plays = try home.render(
      example: "build/config.toml",
      """
      0 build=idle
      1 build=running 1
      2 build=failed 1
      3 build=failed 2
      4 test=running 3
      5 test=passed 3
      6 build=stopped 4
      7 test=flaky
      20 test=running 5
      """)
    // The second beginning comes within 10 s of the first.
    #expect(
      plays == [
        "1 begin plays start", "2 failed plays error", "3 failed plays error", "5 passed plays success",
        "6 stopped plays stop", "20 begin plays start",
      ])
  }

  @Test func `a command's end is heard, every time from the first on, and its output and exit code are its own`() throws
  {
    let failing = try announce("build", "sh", "-c", "echo out; echo err >&2; exit 3")
    #expect(try failing.wait() == .exit(3))
    #expect(failing.text == "out\n" && failing.errors == "err\n")
    try wait("failed", 1)
    // It may fail faster than anybody looks for `running` in between.
    #expect(try announce("build", "false").wait() == .exit(1))
    try wait("failed", 2)
    #expect(try announce("build", "true").wait() == .exit(0))
    try wait("passed", 1)
    #expect(try home.decided("failed") == 2)
    #expect(try home.decided("stopped") == 0)
    #expect(try home.decided("begin") ?? 9 <= 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home(".cache/results")) == ["build"])
  }

  @Test func `what somebody ends was stopped, and has not failed`() throws {
    #expect(try announce("test", "sh", "-c", "kill -INT $$").wait() == .exit(130))
    #expect(try result("test") == "stopped")
    #expect(mkfifo(home("gate"), 0o600) == 0)
    let program = try announce("test", "sh", "-c", "echo begun; read -r _ <gate")
    try program.waitForOutput(lines: 1)
    #expect(try result("test") == "running")
    program.send(signal: SIGTERM)
    try openPipe(home("gate")).close()
    #expect(try program.wait() == .exit(1))
    #expect(try result("test") == "stopped")
    #expect(try announce("test", "sh", "-c", "kill -SEGV $$").wait() == .exit(139))
    #expect(try result("test") == "failed")
  }

  @Test func `what makes no sense is a usage error, and nowhere to write to is no reason not to build`() throws {
    for arguments in [[], ["build"], ["", "true"], ["../build", "true"], [".", "true"]] {
      let program = try home.start(example: "build/announce", arguments)
      #expect(try program.wait() == .exit(64), "\(arguments)")
      #expect(program.errors.hasPrefix("usage: announce NAME COMMAND"))
    }
    try home.write("no-folder", "")
    let program = try home.start(
      example: "build/announce", ["build", "echo", "built"], environment: ["XDG_CACHE_HOME": home("no-folder")])
    #expect(try program.wait() == .exit(0))
    #expect(program.text == "built\n")
  }
}
