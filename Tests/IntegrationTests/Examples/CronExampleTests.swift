import Foundation
import Testing

struct CronExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Runs the script with as little around it as cron gives.
  private func report(_ arguments: String...) throws -> Program {
    let program = try Program(
      "\(Home.examples)/cron/report", arguments, environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"],
      folder: home.path, input: .nothing)
    try program.wait()
    return program
  }

  private func state(_ trigger: String = "job-failed") throws -> String? {
    try home.trigger(trigger)["state"] as? String
  }

  @Test func `a job that fails is heard until it ends well, and its output and exit code are its own`() throws {
    let daemon = try home.daemon(example: "cron/config.toml")
    #expect(try report("backup", "true").wait() == .exit(0))
    try eventually("it is known") { try home.value("backup")["value"] as? String == "ok" }
    let failing = try report("backup", "sh", "-c", "echo out; exit 5")
    #expect(try failing.wait() == .exit(5))
    #expect(failing.text == "out\n")
    try eventually("it sounds") { try state() == "looping" }
    #expect(try report("backup", "true").wait() == .exit(0))
    try eventually("it is over") { try state() == "ok" }
    #expect(try home.played("job-failed") == 1)
    #expect(try home.played("job-missing") == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home(".local/state/jobs")) == ["backup"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `what failed while soundd was not running is heard when it starts`() throws {
    #expect(try report("feed", "true").wait() == .exit(0))
    let first = try home.daemon(example: "cron/config.toml")
    #expect(try state() == "ok")
    first.send(signal: SIGTERM)
    #expect(try first.wait() == .exit(0))
    #expect(try report("feed", "false").wait() == .exit(1))
    let second = try home.daemon(example: "cron/config.toml")
    #expect(try state() == "looping")
    #expect(try home.run("stop", "job-failed").wait() == .exit(0))
    try eventually("it has faded out") { try state() == "ok" }
    second.send(signal: SIGTERM)
    #expect(try second.wait() == .exit(0))
    // It was heard, and somebody took notice.
    let third = try home.daemon(example: "cron/config.toml")
    #expect(try state() == "ok")
    withExtendedLifetime(third) {}
  }

  @Test func `a job that is not run is missed, again and again until it is`() throws {
    let plays = try home.render(
      example: "cron/config.toml",
      """
      0 {"backup":"ok","feed":"ok"}
      3600 feed=failed
      7100 feed=ok
      10800 feed=ok
      17000 feed=ok
      17001 feed=ok
      """)
    // 70 min after 10800 s, and half an hour after that; 70 min after 17001 s there is no timeline any more.
    #expect(
      plays == [
        "3600 job-failed plays error", "5400 job-failed plays error",
        "15000 job-missing plays warning", "16800 job-missing plays warning",
      ])
  }

  @Test func `what makes no sense is a usage error`() throws {
    for arguments in [[], ["backup"], ["", "true"], ["../backup", "true"]] {
      let program = try home.start(example: "cron/report", arguments)
      #expect(try program.wait() == .exit(64), "\(arguments)")
      #expect(program.errors.hasPrefix("usage: report JOB COMMAND"))
    }
  }
}
