import Foundation
import TestSupport
import Testing

/// What `check` and the daemon say of settings that are valid and can never sound.
struct WarningTests {
  private static let configuration = """
    [output]
    device = "none"

    [value.build]
    file = "~/results/status"

    [[trigger]]
    value = "build"
    sound = "error"

    """

  private func warning(_ home: Home) -> String {
    "config.toml:5:8: value.build.file: the folder \(home("results")) does not exist: create it "
      + "(mkdir -p \(home("results"))), or correct the path"
  }

  @Test func `check warns on standard error, and is content with the configuration`() throws {
    let home = try Home()
    let file = try home.write("config.toml", Self.configuration)
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(0))
    #expect(program.errors == "soundd: warning: \(home("/"))\(warning(home))\n".replacing("//", with: "/"))
    #expect(program.text == "\(file): good (values declared: 1, triggers: 1, sounds: 1, warnings: 1)\n")

    try FileManager.default.createDirectory(atPath: home("results"), withIntermediateDirectories: false)
    let again = try home.run("check", file)
    #expect(again.errors == "")
    #expect(again.text == "\(file): good (values declared: 1, triggers: 1, sounds: 1)\n")
  }

  @Test func `check warns of a category that its pack has under another name`() throws {
    let home = try Home()
    try home.write("packs/demo/sounds/one.wav", Recording.click)
    try home.write(
      "packs/demo/openpeon.json", #"{"categories": {"task.complete": {"sounds": [{"file": "one.wav"}]}}}"#)
    let file = try home.write(
      "config.toml",
      """
      [sounds]
      packs = ["packs"]
      [[trigger]]
      value = "build"
      sound = "pack:demo/task.complte"
      """)
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(0))
    let warning =
      "5:9: trigger 'build': its pack has no 'pack:demo/task.complte', so it is silent (did you mean 'pack:demo/task.complete'?)"
    #expect(program.errors.contains(warning), "\(program.errors)")
  }

  @Test func `check and the daemon warn of a sound theme that is not installed`() throws {
    let home = try Home()
    try home.write("data/sounds/mine/index.theme", "[Sound Theme]\n")
    let configuration = """
      [sounds]
      theme = ["mine", "mime", "no-such-theme"]
      [[trigger]]
      value = "build"
      sound = "error"
      """
    let file = try home.write("config/soundd/config.toml", configuration)
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(0))
    #expect(
      program.errors.contains(
        "config.toml:2:18: sounds.theme: no sound theme is called 'mime' (did you mean 'mine'?)\n"))
    #expect(program.errors.contains("config.toml:2:26: sounds.theme: no sound theme is called 'no-such-theme'\n"))
    #expect(!program.errors.contains("called 'mine'"))
    let daemon = try home.start(["run", "--device", "none"])
    try daemon.waitForErrors("no sound theme is called 'no-such-theme'")
    #expect(try home.run("status").text.contains("no sound theme is called 'no-such-theme'"))
  }

  @Test func `check warns of each file of a pack for which there is no room`() throws {
    let home = try Home()
    for name in ["one", "two"] {
      let samples = [Int16](repeating: 1, count: 200_000)
      try home.write("packs/demo/sounds/\(name).wav", WAVBuilder.int16(samples, channels: 2, rate: 48_000))
    }
    try home.write(
      "packs/demo/openpeon.json", #"{"categories": {"a": {"sounds": [{"file": "one.wav"}, {"file": "two.wav"}]}}}"#)
    let file = try home.write(
      "config.toml",
      """
      [limits]
      memory = "1 MiB"
      [sounds]
      packs = ["packs"]
      [[trigger]]
      value = "build"
      sound = "pack:demo/a"
      """)
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.errors.contains("two.wav takes more than the "), "\(program.errors)")
    #expect(program.errors.contains("that contents and other sounds leave of limits.memory (1 MiB)"))
    #expect(!program.errors.contains("one.wav"))
  }

  @Test func `an MP3 file that was cut off is a warning, and no library prints anything`() throws {
    let home = try Home()
    let cut = try Data(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus/clip/cut.mp3"))
    try home.write("cut.mp3", cut)
    let file = try home.write("config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"./cut.mp3\"\n")
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.errors.contains("it was cut off"), "\(program.errors)")
    for command in [["check", file], ["play", "--local", home("cut.mp3"), "--device", "none"], ["sounds"]] {
      let program = try home.run(command)
      try program.wait()
      for line in program.errors.split(separator: "\n") { #expect(line.hasPrefix("soundd: "), "\(command): \(line)") }
    }
  }

  @Test func `the daemon logs a warning at its start, and its status has it until it is mended`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration)
    try daemon.waitForErrors("soundd: \(home("config/soundd/"))\(warning(home))\n")
    #expect(try home.warnings() == [home("config/soundd/") + warning(home)])
    try FileManager.default.createDirectory(atPath: home("results"), withIntermediateDirectories: false)
    #expect(try home.warnings() == [])
    withExtendedLifetime(daemon) {}
  }

  @Test func `a reload logs the warnings of what it took`() throws {
    let home = try Home()
    let daemon = try home.daemon("[output]\ndevice = 'none'\n[[trigger]]\nvalue = 'x'\nsound = 'error'")
    #expect(try home.warnings() == [])
    try home.write("config/soundd/config.toml", Self.configuration)
    #expect(try home.run("reload").wait() == .exit(0))
    try daemon.waitForErrors(warning(home))
  }

  @Test func `a configuration that was not reloaded is among the warnings`() throws {
    let home = try Home()
    let daemon = try home.daemon("[output]\ndevice = 'none'\n[[trigger]]\nvalue = 'x'\nsound = 'error'")
    let file = try home.write("config/soundd/config.toml", "wrong = true\nalso = 1\n")
    #expect(try home.run("reload").wait() == .exit(77))
    #expect(
      try home.warnings() == [
        "not reloaded: \(file):1:1: wrong: unknown key", "not reloaded: \(file):2:1: also: unknown key",
      ])
    withExtendedLifetime(daemon) {}
  }

  @Test func `after a bad reload the status has each error that check has, with its place`() throws {
    let home = try Home()
    let daemon = try home.daemon("[output]\ndevice = 'none'\n[[trigger]]\nvalue = 'x'\nsound = 'error'")
    let errors = (1...25).map { "wrong\($0) = true" }.joined(separator: "\n")
    try home.write("config/soundd/config.toml", errors + "\n[[trigger]]\nvalue = 'x'\nsound = 'nowhere'\n")
    #expect(try home.run("reload").wait() == .exit(77))
    let check = try home.run("check")
    #expect(try check.wait() == .exit(78))
    let lines = check.errors.split(separator: "\n").filter { $0.contains("config.toml:") }
    #expect(lines.count == 26)
    try eventually("the sound was looked for") { try home.warnings().count == 26 }
    for (line, warning) in zip(lines, try home.warnings()) {
      #expect(warning.hasPrefix("not reloaded: \(line.dropFirst("soundd: ".count))"))
    }
    let warnings = try #require(try home.status()["warnings"] as? [[String: Any]])
    #expect(warnings.map { $0["line"] as? Int } == Array(1...25) + [28])
    #expect(warnings.first?["key"] as? String == "wrong1")
    withExtendedLifetime(daemon) {}
  }

  @Test func `doctor names a file that is missing, and nothing warns of it because it may come`() throws {
    let home = try Home()
    let text = Self.configuration.replacingOccurrences(of: "~/results/status", with: "~/nots.txt")
    try home.write("config/soundd/config.toml", text)
    let check = try home.run("check")
    #expect(try check.wait() == .exit(0))
    #expect(check.errors == "")
    #expect(try home.run("doctor").text.contains("'build': \(home("nots.txt")) does not exist yet\n"))
    _ = try home.daemon(text)
    #expect(try home.warnings() == [])
    #expect(try home.run("doctor").text.contains("'build': \(home("nots.txt")) does not exist yet\n"))
  }

  @Test func `a folder that goes after its file was read is named in the status, too`() throws {
    let home = try Home()
    try home.write("results/status", "good")
    _ = try home.daemon(Self.configuration)
    #expect(try home.value("build")["value"] as? String == "good")
    #expect(try home.warnings() == [])
    try FileManager.default.removeItem(atPath: home("results"))
    try eventually("it is named") {
      try home.warnings() == [home("config/soundd/") + warning(home)]
    }
    try home.write("results/status", "good")
    try eventually("it is back") { try home.warnings() == [] }
  }

  @Test func `the status looks at the paths of values without a content, but not at thousands`() throws {
    let home = try Home()
    var text = "[output]\ndevice = 'none'\n"
    for number in 0..<100 {
      try home.write("there/\(number)", "content")
      text += "[value.a\(number)]\nfile = '~/there/\(number)'\n"
    }
    // What says little comes last.
    for number in 0..<20 { text += "[value.e\(number)]\nexists = '~/there/\(number)'\n" }
    for number in 0..<210 { text += "[value.b\(number)]\nfile = '~/there/missing-\(number)'\n" }
    let names = (0..<100).map { "'a\($0)'" } + (0..<20).map { "'e\($0)'" } + (0..<210).map { "'b\($0)'" }
    _ = try home.daemon(text + "[[trigger]]\nvalue = [\(names.joined(separator: ","))]\nsound = 'error'\n")
    let warning = "the paths of 30 more values were not looked at; 'soundd check' looks at all"
    try eventually("the good ones are read") { try home.warnings() == [warning] }
    #expect(!String(decoding: try home.run("doctor").output, as: UTF8.self).contains("looks at all"))
  }

  @Test func `a path that this user may not read is named with who may`() throws {
    let home = try Home()
    let secret = try home.write("secret/log", "")
    let closed = try home.write("closed/log", "")
    let file = try home.write(
      "config.toml",
      """
      [value.a]
      lines = "\(secret)"
      [value.b]
      lines = "\(closed)"
      [[trigger]]
      value = ["a", "b"]
      sound = "error"
      """)
    chmod(secret, 0o000)
    chmod(home("closed"), 0o000)
    defer { chmod(home("closed"), 0o755) }
    // Root may read everything.
    let wrapper = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let program = try home.start(["check", file], through: wrapper)
    #expect(try program.wait() == .exit(0))
    #expect(
      program.errors == """
        soundd: warning: \(file):2:9: value.a.lines: this user may not read \(secret): to see who may: ls -ld \(secret)
        soundd: warning: \(file):4:9: value.b.lines: this user may not search the folder \(home("closed")): \
        to see who may: ls -ld \(home("closed"))

        """)
    if geteuid() != 0 { return }
    // Nobody should join the group root: above. Another one may help.
    let group = try #require(getgrnam("audio"))
    #expect(chown(secret, 0, group.pointee.gr_gid) == 0)
    chmod(secret, 0o640)
    let user = try #require(getpwuid(65534).map { String(cString: $0.pointee.pw_name) })
    let second = try home.start(["check", file], through: wrapper)
    #expect(try second.wait() == .exit(0))
    #expect(
      second.errors.contains(
        "this user may not read \(secret): the group audio may (sudo usermod -aG audio \(user), then log in again)"))
  }
}
