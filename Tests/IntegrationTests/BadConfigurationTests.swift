import Foundation
import Testing

/// A wrong configuration gets its errors at once, each with its place, and nothing runs.
struct BadConfigurationTests {
  private static let bad = """
    [output]
    devcie = "none"

    [value.level]
    type = "integer"

    [[trigger]]
    value = "level"
    sonud = "success"
    debounce = "5 parsecs"

    [[trigger]]
    value = "x"
    sound = 7
    """

  private static let places = [
    "2:1: output.devcie: unknown key (did you mean 'device'?)", "5:8: value.level.type: ", "9:1: trigger[1].sonud: ",
    "10:12: trigger[1].debounce: ", "14:9: trigger[2].sound: ",
  ]

  @Test(arguments: [["run", "--device", "none", "--config"], ["check"], ["render", "-", "-o", "x.wav", "--config"]])
  func `all errors are listed with their places`(arguments: [String]) throws {
    let home = try Home()
    let file = try home.write("bad.toml", Self.bad)
    let program = try home.start(arguments + [file])
    #expect(try program.wait() == .exit(78))
    let lines = program.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == Self.places.count)
    for (line, place) in zip(lines, Self.places) { #expect(line.hasPrefix("soundd: \(file):\(place)")) }
    #expect(!FileManager.default.fileExists(atPath: home.socket))
  }

  @Test(arguments: [
    "[a]\n[a]", "a = " + String(repeating: "[", count: 100_000),
  ])
  func `text that is no TOML has a place too`(text: String) throws {
    let home = try Home()
    let file = try home.write("bad.toml", text)
    let program = try home.run("check", file)
    #expect(try program.wait() == .exit(78))
    #expect(program.errors.hasPrefix("soundd: \(file):"))
    #expect(program.errors.utf8.count < 2000)
  }

  @Test func `a file that is not there is no input`() throws {
    let home = try Home()
    for arguments in [
      ["check"], ["render", "-"], ["run", "--config", "missing.toml"], ["check", "missing.toml"], ["check", "."],
    ] {
      let program = try home.start(arguments)
      #expect(try program.wait() == .exit(66))
      #expect(program.errors.hasPrefix("soundd: "))
    }
  }

  @Test(arguments: [
    ["run", "--config"], ["check"], ["check", "--config"], ["render", "-", "-o", "x.wav", "--config"],
  ])
  func `a configuration that is a pipe is refused at once`(arguments: [String]) throws {
    let home = try Home()
    #expect(mkfifo(home("pipe"), 0o600) == 0)
    for (file, input) in [(home("pipe"), Program.Input.nothing), ("/dev/stdin", .pipe)] {
      let program = try home.run(arguments + [file], input: input)
      #expect(try program.wait() == .exit(66))
      #expect(program.errors.hasPrefix("soundd: cannot read \(file): it is a pipe, but a configuration must be "))
    }
  }

  @Test func `nothing is a configuration too`() throws {
    #expect(try Home().run("check", "/dev/null").wait() == .exit(0))
  }

  @Test func `check takes its file as an argument or an option`() throws {
    let home = try Home()
    try home.write("other.toml", "")
    for arguments in [["check", "other.toml"], ["check", "--config", "other.toml"]] {
      let program = try home.run(arguments)
      #expect(try program.wait() == .exit(0), "\(program.errors)")
      #expect(program.text.hasPrefix("other.toml: good"))
    }
    #expect(try home.run("check", "other.toml", "--config", "other.toml").wait() == .exit(64))
  }

  // MARK: Sounds

  private static let unsound = """
    [[trigger]]
    value = "a"
    sound = "nosuch"

    [[trigger]]
    value = "b"
    sounds = { "1" = "./corrupt.wav", "*" = "tick" }

    [[trigger]]
    value = "c"
    sound = "tick"
    """

  @Test func `sounds that cannot be played fail the check`() throws {
    let home = try Home()
    let file = try home.write("config/soundd/config.toml", Self.unsound)
    try home.write("config/soundd/corrupt.wav", "RIFF? No.")
    let program = try home.run("check")
    #expect(try program.wait() == .exit(78))
    let lines = program.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasPrefix("soundd:   searched: \(home("config/soundd/sounds")), "))
    #expect(lines.first?.hasPrefix("soundd: \(file):3:9: trigger 'a': no sound is called 'nosuch'") == true)
    #expect(lines.last?.hasPrefix("soundd: \(file):7:18: trigger 'b': ") == true)
    #expect(lines.last?.contains(home("config/soundd/corrupt.wav")) == true)
  }

  @Test func `errors and sounds that cannot be played are listed together, in the order of the file`() throws {
    let home = try Home()
    let file = try home.write(
      "config/soundd/config.toml",
      """
      [[trigger]]
      value = "a"
      sound = "nosuch"

      [[trigger]]
      value = "b"
      sound = "nosuch-either"
      volumee = 1

      [output]
      device = 1
      """)
    let program = try home.run("check")
    #expect(try program.wait() == .exit(78))
    let lines = program.errors.split(separator: "\n").filter { !$0.hasPrefix("soundd:   searched: ") }
    #expect(lines.count == 4, "\(lines)")
    for (line, start) in zip(
      lines,
      [
        "3:9: trigger 'a': no sound is called 'nosuch'", "7:9: trigger[2].sound: no sound is called 'nosuch-either'",
        "8:1: trigger[2].volumee: unknown key", "11:10: output.device: ",
      ])
    {
      #expect(line.hasPrefix("soundd: \(file):\(start)"))
    }
  }

  @Test func `the daemon says which triggers are broken and goes on with the others`() throws {
    let home = try Home()
    try home.write("config/soundd/corrupt.wav", "RIFF? No.")
    let daemon = try home.daemon(Self.unsound, "--device", "none")
    #expect(daemon.errors.contains("config.toml:3:9: trigger 'a': no sound is called 'nosuch'"))
    #expect(daemon.errors.contains("config.toml:7:18: trigger 'b': "))
    #expect(try home.trigger("a")["state"] as? String == "broken")
    #expect(try home.trigger("b")["state"] as? String == "broken")
    #expect(try home.trigger("c")["state"] as? String == "ok")
    let connection = try home.connect()
    try connection.send(line: "a=1\nb=0\nc=1\na=2\nb=1\nc=2")
    #expect(try connection.ask("sync") == "ok")
    try eventually("the good one is heard") {
      (try home.status()["latency"] as? [String: Any])?["count"] as? Int == 1
    }
    #expect(try home.played("c") == 1)
    // The sounds are mended: a reload heals the triggers.
    try home.write("config/soundd/sounds/nosuch.wav", Recording.click)
    try home.write("config/soundd/corrupt.wav", Recording.click)
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.trigger("a")["state"] as? String == "ok")
    #expect(try home.trigger("b")["state"] as? String == "ok")
  }
}
