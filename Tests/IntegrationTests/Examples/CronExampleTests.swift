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

  private func expectFailures(_ count: Int) throws {
    try eventually("\(count) failures are heard") { try home.played("job-failed") == count }
  }

  @Test func `each failure is heard, from the first run on, and again after an acknowledgement`() throws {
    let daemon = try home.daemon(example: "cron/config.toml", edited: true)
    let failing = try report("backup", "sh", "-c", "echo out; exit 5")
    #expect(try failing.wait() == .exit(5))
    #expect(failing.text == "out\n")
    try expectFailures(1)
    let value = try #require(try home.value("backup")["value"] as? String)
    #expect(value.wholeMatch(of: /failed 5 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    #expect(try report("backup", "sh", "-c", "exit 6").wait() == .exit(6))
    try expectFailures(2)
    #expect(try home.run("stop").wait() == .exit(0))
    #expect(try report("backup", "sh", "-c", "exit 7").wait() == .exit(7))
    try expectFailures(3)
    #expect(try report("backup", "true").wait() == .exit(0))
    try eventually("it is known") { (try home.value("backup")["value"] as? String)?.hasPrefix("ok 0 ") == true }
    #expect(try home.played("job-failed") == 3)
    #expect(try home.played("job-missing") == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home(".local/state/jobs")) == ["backup"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `what failed while soundd was not running is heard when it starts, and no second time`() throws {
    #expect(try report("feed", "true").wait() == .exit(0))
    for (code, failures) in [(0, 0), (1, 1), (1, 0), (2, 1)] {
      // Not written anew if it is the same once more.
      if failures > 0 { #expect(try report("feed", "sh", "-c", "exit \(code)").wait() == .exit(Int32(code))) }
      let daemon = try home.daemon(example: "cron/config.toml", edited: true)
      try expectFailures(failures)
      daemon.send(signal: SIGTERM)
      #expect(try daemon.wait() == .exit(0))
    }
  }

  @Test func `a job that keeps failing, or is not run, is reported again and again`() throws {
    let plays = try home.render(
      example: "cron/config.toml", edited: true,
      """
      0 {"backup":"ok 0 a","feed":"ok 0 a"}
      3600 feed=failed 1 b
      3700 feed=failed 1 c
      7400 feed=ok 0 d
      10800 feed=ok 0 e
      17000 feed=ok 0 f
      17001 feed=ok 0 g
      """)
    // 70 min after 10800 s, and half an hour after that; 70 min after 17001 s there is no timeline any more.
    #expect(
      plays == [
        "3600 job-failed plays error", "3700 job-failed plays error",
        "5400 job-still-failed plays error", "7200 job-still-failed plays error",
        "15000 job-missing plays warning", "16800 job-missing plays warning",
      ])
  }

  @Test func `a report that cannot be written keeps the job's exit code, says so, and leaves nothing behind`() throws {
    // A full disk has the same effect as a limit of no bytes. Ignored, the signal is an error of the write.
    for (code, job) in [(5, "exit 5"), (0, "exit 0")] {
      let program = try home.start(
        program: "sh", ["-c", "trap '' XFSZ; ulimit -f 0; '\(Home.examples)/cron/report' backup sh -c '\(job)'"])
      #expect(try program.wait() == .exit(Int32(code)))
      let file = home(".local/state/jobs/backup")
      #expect(program.errors.contains("report: cannot write \(file): "), "\(program.errors)")
      #expect(program.errors.contains("(exit code \(code))"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: home(".local/state/jobs")) == [])
    }
  }

  @Test func `what makes no sense is a usage error`() throws {
    for arguments in [[], ["backup"], ["", "true"], ["../backup", "true"]] {
      let program = try home.start(example: "cron/report", arguments)
      #expect(try program.wait() == .exit(64), "\(arguments)")
      #expect(program.errors.hasPrefix("usage: report JOB COMMAND"))
    }
  }
}
