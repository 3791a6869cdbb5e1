import Foundation
import TestSupport
import Testing

/// File systems whose server does not answer, as a network's or FUSE's may.
@Suite(.enabled(if: HungMount.isAvailable, "it takes /dev/fuse, the permission to mount, and python3-fusepy"))
struct HungMountTests {
  private let home: Home
  private let mount: HungMount

  init() throws {
    home = try Home()
    mount = try HungMount(in: home, "mount")
  }

  /// Values of every kind on the mount, and some beside it.
  private func configuration() throws -> String {
    try mount.write("log", "first\n")
    try mount.write("folder/entry", "")
    try home.write("local/f", "here")
    try FileManager.default.createSymbolicLink(atPath: home("local/link"), withDestinationPath: mount("f"))
    return """
      [value.file]
      file = "\(mount("f"))"
      [value.polled]
      file = "\(mount("f"))"
      poll = "100 ms"
      [value.lines]
      lines = "\(mount("log"))"
      [value.count]
      count = "\(mount("folder"))"
      [value.exists]
      exists = "\(mount("later"))"
      [value.link]
      file = "\(home("local/link"))"
      [value.beside]
      file = "\(home("local/f"))"
      [[trigger]]
      value = ["file", "polled", "lines", "count", "exists", "link", "beside", "client"]
      sound = "success"
      name = "all"

      """
  }

  private func expect(_ contents: [String: String]) throws {
    for (name, content) in contents {
      try eventually("\(name) is \(content)") { "\(try home.value(name)["value"] ?? "")" == content }
    }
  }

  /// How long something takes, in seconds.
  private func time(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }

  @Test func `a mount that hangs stalls its own values and nothing else`() throws {
    let daemon = try home.daemon(try configuration(), "--device", "none")
    try expect([
      "file": "f", "polled": "f", "lines": "first", "count": "1", "exists": "0", "link": "f", "beside": "here",
    ])
    mount.hang()
    try mount.write("f", "changed")
    try mount.write("log", "first\nsecond\n")
    try mount.write("folder/other", "")
    try mount.write("later", "")
    try daemon.waitForErrors("\(home("mount")) (fuse")
    try daemon.waitForErrors("does not answer: what is on it keeps its last content until it does")

    // The others go on.
    let connection = try home.connect()
    try home.replace("local/f", "there")
    try expect(["beside": "there", "file": "f", "lines": "first", "count": "1", "exists": "0", "link": "f"])
    let seconds = try time {
      try connection.send(line: "client=1")
      _ = try connection.ask("sync")
      _ = try connection.ask("status")
    }
    #expect(seconds < atMost(1))
    let warnings = try home.warnings()
    let names = "'file', 'polled', 'lines', 'count', 'exists' and 1 more"
    #expect(warnings.contains { $0.contains("does not answer: the values \(names) keep") })

    mount.resume()
    try expect([
      "file": "changed", "polled": "changed", "lines": "second", "count": "2", "exists": "1", "link": "changed",
    ])
    try daemon.waitForErrors("answers again")
    #expect(try home.warnings().allSatisfy { !$0.contains("answer") })
  }

  @Test func `SIGTERM ends soundd within 200 ms though a mount hangs`() throws {
    var seconds = Double.infinity
    // On a machine that is busy: once more.
    for _ in 0..<2 where seconds > atMost(0.2) {
      mount.resume()
      let rarely = try configuration().replacingOccurrences(of: "100 ms", with: "1 min")
      let daemon = try home.daemon(rarely, "--device", "none")
      // A file that is open when the server hangs keeps every process from ending. So nothing is read at that moment.
      try daemon.waitForRest()
      mount.hang()
      try daemon.waitForErrors("does not answer")
      daemon.send(signal: SIGTERM)
      seconds = try time { try daemon.wait() }
      #expect(try daemon.wait() == .exit(0))
      try FileManager.default.removeItem(atPath: home("local"))
    }
    #expect(seconds <= atMost(0.2))
  }

  @Test func `soundd is ready though a mount hangs, and the late first look is where its values begin`() throws {
    try home.write("mount.source/s.wav", Recording.click)
    let far = "[[trigger]]\nvalue = \"client\"\nsound = \"\(mount("s.wav"))\"\nname = \"far\"\n"
    let configuration = try configuration() + far
    mount.hang()
    let seconds = try time { _ = try home.daemon(configuration, "--device", "none") }
    #expect(seconds < atMost(5))
    #expect(try home.value("beside")["value"] as? String == "here")
    #expect(try home.value("file")["value"] is NSNull)
    #expect((try home.trigger("far")["problem"] as? String)?.hasSuffix("(fuse) does not answer") == true)
    mount.resume()
    try expect(["file": "f", "lines": "first", "count": "1", "exists": "0", "link": "f"])
    try eventually("the sound is loaded") { try home.trigger("far")["problem"] is NSNull }
    #expect(try home.played("all") == 0)
    try mount.write("f", "changed")
    try expect(["file": "changed"])
    try eventually("the change is played") { try home.played("all") ?? 0 > 0 }
  }

  @Test(.slow) func `a program that speaks and whose mount hangs is given up, and speaks when it answers`() throws {
    try mount.write("engine", "#!/bin/sh\ncat >>'\(home("spoken"))'\n")
    #expect(chmod(home("mount.source/engine"), 0o755) == 0)
    let configuration = """
      [speech]
      command = ["\(mount("engine"))"]
      [[trigger]]
      value = "a"
      sound = "tick"
      say = "{value}"

      """
    func said(_ member: String) throws -> String? {
      let program = try home.run("explain", "a", "--json")
      let report = try JSONSerialization.jsonObject(with: Data(program.text.utf8)) as? [String: Any]
      return (report?["said"] as? [String: Any])?[member] as? String
    }
    mount.hang()
    let first = try home.daemon(configuration, "--device", "none")
    #expect((try home.trigger("a")["problem"] as? String)?.hasSuffix("(fuse) does not answer") == true)
    first.send(signal: SIGTERM)
    #expect(try first.wait() == .exit(0))
    mount.resume()
    let daemon = try home.daemon(configuration, "--device", "none")
    mount.hang()
    for number in 0..<2 { #expect(try home.run("set", "a=\(number)").wait() == .exit(0)) }
    try daemon.waitForErrors("trigger 'a': cannot say '1': ")
    // The mount stops it before it begins, or in its first read, where it can still be ended.
    let problems = ["the program cannot be started or ended within 12 s", "it did not end within 10 s"]
    let problem = try #require(try said("problem"))
    #expect(problems.contains { problem.hasPrefix("cannot say '1': \($0)") }, "\(problem)")
    mount.resume()
    try eventually("it speaks") {
      #expect(try home.run("set", "a=\(Int.random(in: 2 ... 1_000_000))").wait() == .exit(0))
      return try said("problem") == nil
    }
  }

  @Test func `a link that is turned to a mount that hangs stalls its own value only`() throws {
    let daemon = try home.daemon(try configuration(), "--device", "none")
    mount.hang()
    // The kernel follows a link as soon as anybody asks for the file.
    #expect(symlink(mount("f"), home("local/new")) == 0)
    #expect(rename(home("local/new"), home("local/f")) == 0)
    try daemon.waitForErrors("does not answer")
    #expect(try home.value("beside")["value"] as? String == "here")
    try home.write("local/other", "x")
    #expect(try home.run("set", "client=2").wait() == .exit(0))
    mount.resume()
    try expect(["beside": "f"])
  }

  @Test func `doctor, check and run name a mount that hangs and do not wait for it`() throws {
    let file = try home.write("config/soundd/config.toml", try configuration())
    try mount.write("c.toml", "")
    mount.hang()
    let check = try home.run("check", file)
    #expect(check.errors.contains("\(home("mount")) (fuse) does not answer: start what serves it"))
    let doctor = try home.run("doctor")
    #expect(doctor.text.contains("\(home("mount")) (fuse) does not answer"))
    let run = try home.run("run", "--config", mount("c.toml"))
    #expect(run.errors.contains("cannot read \(mount("c.toml")): \(home("mount")) (fuse) does not answer"))
    #expect(try run.wait() == .exit(66))
  }

  @Test func `commands that read what a user names do not wait for a mount that hangs`() throws {
    let file = try home.write("c.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"\(mount("f.wav"))\"\n")
    for name in ["f.wav", "sounds/f.wav", "events"] { try mount.write(name, "") }
    mount.hang()
    let silence = "\(home("mount")) (fuse) does not answer"
    for (arguments, code, error) in [
      (["render", mount("events"), "--config", file], 66, "cannot read \(mount("events")): \(silence)"),
      (
        ["render", "/dev/null", "--config", file], 78,
        "cannot read the sound \(mount("f.wav")): \(silence)"
      ),
      (
        ["render", "/dev/null", "--config", file, "-o", mount("o.wav")], 74,
        "cannot write \(mount("o.wav")): \(silence)"
      ),
      (["play", "--local", mount("f.wav")], 66, "cannot read the sound \(mount("f.wav")): \(silence)"),
      (["sounds", "--config", mount("c.toml")], 66, "cannot read \(mount("c.toml")): \(silence)"),
    ] as [([String], Int32, String)] {
      let program = try home.run(arguments)
      #expect(try program.wait() == .exit(code), "\(arguments)")
      #expect(program.errors.contains("soundd: ") && program.errors.contains(error), "\(program.errors)")
    }
    try FileManager.default.createSymbolicLink(atPath: home("sounds"), withDestinationPath: mount("sounds"))
    let sounds = try home.run("sounds", "--config", file)
    #expect(try sounds.wait() == .exit(0))
    #expect(sounds.errors == "soundd: cannot read \(home("sounds")): \(silence)\n")
  }

  @Test func `a configuration on a mount that hangs is not reloaded until it answers`() throws {
    try mount.write("c.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"success\"\n")
    let daemon = try home.start(["run", "--device", "none", "--config", mount("c.toml")])
    try daemon.waitForErrors("soundd: ready: ")
    mount.hang()
    try mount.write("c.toml", "[[trigger]]\nvalue = \"b\"\nsound = \"success\"\n")
    #expect(try home.connect().ask("reload").contains("its file system does not answer"))
    #expect(try home.connect().ask("sync") == "ok")
    mount.resume()
    try eventually("the file is reloaded") {
      (try home.status()["triggers"] as? [[String: Any]])?.first?["name"] as? String == "b"
    }
  }

  @Test(.timeLimit(.minutes(2 * timeFactor))) func `a fifth mount that hangs is not touched, and all recover`() throws {
    let mounts = try (0..<5).map { try HungMount(in: home, "m\($0)") }
    var configuration = ""
    for (number, mount) in mounts.enumerated() {
      configuration += "[value.v\(number)]\nfile = \"\(mount("f"))\"\n"
      if number < 4 { mount.hang() }
    }
    let daemon = try home.daemon(configuration, "--device", "none")
    for number in 0..<4 { try daemon.waitForErrors("\(home("m\(number)")) (fuse) does not answer") }
    mounts[4].hang()
    try home.write("config/soundd/config.toml", configuration + "[value.v5]\nfile = \"\(mount("f"))\"\n")
    try eventually("the further mount is not touched") {
      let warnings = try home.warnings()
      return warnings.contains { $0.contains("is not touched, because 4 other mounts") }
    }
    for mount in mounts { mount.resume() }
    for number in 0...5 { try expect(["v\(number)": "f"]) }
  }
}
