import Foundation
import Testing

/// `soundd render`: the same decisions on a virtual clock.
struct RenderTests {
  private static let configuration = """
    [[trigger]]
    value = "build"
    sounds = { passed = "success", failed = "error" }
    """

  /// Renders a timeline; returns what the file holds.
  private func render(_ home: Home, _ configuration: String, _ timeline: String) throws -> Recording {
    try home.write("config.toml", configuration)
    let program = try home.run("render", "-", "-o", "out.wav", "--config", "config.toml", input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    return try Recording(decoding: home("out.wav"))
  }

  /// Expects nothing but these sounds at these frames.
  private func expect(_ heard: Recording, _ sounds: [(name: String, frame: Int)]) throws {
    var expected = Recording(silence: heard.frames)
    for sound in sounds { try expected.add(try Recording(shipped: sound.name), at: sound.frame) }
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `each sound begins at its exact frame`() throws {
    let heard = try render(
      try Home(), Self.configuration,
      "0 build=passed\n1 build=failed\n2 build=failed\n3 build=passed\n3.25 build=failed\n")
    try expect(heard, [("error", 48_000), ("success", 144_000), ("error", 156_000)])
  }

  @Test func `a time between two frames falls on the nearer one`() throws {
    // 0.1234567 s × 48,000 = 5925.9216
    let heard = try render(try Home(), Self.configuration, "0 build=passed\n0.1234567 build=failed\n")
    try expect(heard, [("error", 5926)])
  }

  @Test func `one timeline twice gives identical bytes`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    let lines = (0..<40).map { "\(Double($0) * 0.37) build=\($0 % 3 == 0 ? "failed" : "passed")\n" }
    try home.write("timeline", lines.joined())
    for name in ["a.wav", "b.wav"] {
      let program = try home.run("render", "timeline", "-o", name, "--config", "config.toml")
      #expect(try program.wait() == .exit(0), "\(program.errors)")
    }
    let first = try Data(contentsOf: URL(fileURLWithPath: home("a.wav")))
    #expect(first.count > 8 * 48_000)
    #expect(try first == Data(contentsOf: URL(fileURLWithPath: home("b.wav"))))
  }

  @Test func `debounce counts on the virtual clock, also past the last line`() throws {
    let heard = try render(
      try Home(), Self.configuration + "\ndebounce = \"250 ms\"",
      "0 build=passed\n1 build=failed\n1.1 build=x\n1.15 build=failed\n5 build=passed\n5.1 build=failed\n9 build=passed\n"
    )
    // Still at 1.15 + 0.25 s; at 5 s it went and came back, in vain; and the last one is due after the end of the lines.
    try expect(heard, [("error", 67_200), ("success", 444_000)])
  }

  @Test func `throttle counts on the virtual clock`() throws {
    let heard = try render(
      try Home(), Self.configuration + "\nthrottle = \"2 s\"",
      "0 build=passed\n1 build=failed\n2.9 build=passed\n3 build=failed\n4 build=passed\n5 build=failed\n")
    // 1 s plays; 2.9 s is too early; at 3 s the two seconds are over, and so again at 5 s.
    try expect(heard, [("error", 48_000), ("error", 144_000), ("error", 240_000)])
  }

  @Test func `values that change together are one line`() throws {
    let both = """
      [[trigger]]
      value = "a"
      sound = "error"
      [[trigger]]
      value = "b"
      sound = "success"
      """
    let heard = try render(
      try Home(), both, "0 {\"a\": 1, \"b\": 1}\n0.5 {\"a\": 2, \"a\": 1, \"b\": 2}\n")
    try expect(heard, [("success", 24_000)])
  }

  @Test func `comments, blank lines and carriage returns say nothing`() throws {
    let heard = try render(
      try Home(), Self.configuration, "# begin\r\n\r\n  0 build=passed\r\n\t0.5\tbuild=failed\r\n\n")
    try expect(heard, [("error", 24_000)])
  }

  @Test func `a timeline without a sound is a file without a frame`() throws {
    #expect(try render(try Home(), Self.configuration, "0 build=passed\n").frames == 0)
    #expect(try render(try Home(), Self.configuration, "").frames == 0)
  }

  @Test(arguments: [
    ("", ": the timeline is empty"), ("# a comment\n", ": the timeline is empty"),
    (
      "0 build=passed\n",
      "\n  trigger 'build': the first content is not a change (initial is false)\n  "
        + "trigger 'b': the timeline does not change door"
    ),
    (
      "0 door=1\n1 door=2\n",
      "\n  trigger 'b': the new value is none of those in to\n  "
        + "trigger 'build': the timeline does not change build"
    ),
  ])
  func `if nothing plays, it says why`(timeline: String, reasons: String) throws {
    let home = try Home()
    let door = "\n[[trigger]]\nname = \"b\"\nvalue = \"door\"\nto = \"open\"\nsound = \"tick\"\n"
    try home.write("config.toml", Self.configuration + door)
    let message = "soundd: -: nothing plays\(reasons.replacingOccurrences(of: "\n", with: "\nsoundd: "))\n"
    for options in [[], ["--json"], ["-o", "out.wav"]] {
      let program = try home.run(["render", "-", "--config", "config.toml"] + options, input: .text(timeline))
      #expect(try program.wait() == .exit(0))
      #expect(program.text == "")
      #expect(program.errors == message)
    }
    try home.write("config.toml", "")
    let program = try home.run("render", "-", "--config", "config.toml", input: .text("0\n"))
    #expect(program.errors == "soundd: -: nothing plays: the configuration has no triggers\n")
  }

  @Test func `if much stays silent, the first triggers with a change are named`() throws {
    let home = try Home()
    let triggers = (0..<7).map { "[[trigger]]\nvalue = \"v\($0)\"\nsound = \"tick\"\n" }
    try home.write("config.toml", triggers.joined())
    let program = try home.run("render", "-", "--config", "config.toml", input: .text("0 v6=1\n"))
    let lines = program.errors.split(separator: "\n")
    #expect(lines.count == 7)
    #expect(lines[1].hasPrefix("soundd:   trigger 'v6': the first content"))
    #expect(lines[6] == "soundd:   2 more triggers")
  }

  @Test(arguments: [
    ("\n\n1e3 build=2\n", "line 3: ", "not a time"),
    ("0 level=1\n1 level=abc\n", "line 2: ", "not a number"),
    ("0 {\"level\": 1\n", "line 1: ", "JSON"),
    ("0 sync\n", "line 1: ", "NAME=VALUE"),
  ])
  func `a bad timeline is bad data, with its line`(timeline: String, line: String, reason: String) throws {
    let home = try Home()
    try home.write("config.toml", "[value.level]\ntype = \"number\"\n" + Self.configuration)
    let program = try home.run("render", "-", "-o", "out.wav", "--config", "config.toml", input: .text(timeline))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.hasPrefix("soundd: -: \(line)"))
    #expect(program.errors.contains(reason))
  }

  @Test func `a value of which the configuration says nothing is told, once`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    let program = try home.run(
      "render", "-", "--config", "config.toml", input: .text("0 build=1\n1 biuld=2\n2 biuld=3\n3 build=passed\n"))
    #expect(try program.wait() == .exit(0))
    #expect(
      program.errors
        == "soundd: -: line 2: the configuration does not name 'biuld' (did you mean 'build'?)\n")
    #expect(String(decoding: program.output, as: UTF8.self) == "3 build plays success\n")
  }

  @Test func `a value that a pattern names is known, and its trigger is named with it`() throws {
    let home = try Home()
    try home.write("config.toml", "[[trigger]]\nname='done'\nvalue='agent/*'\nto='done'\nsound='success'\n")
    let program = try home.run(
      "render", "-", "--config", "config.toml", input: .text("0 agent/7=busy\n1 agents=1\n2 agent/7=done\n"))
    #expect(try program.wait() == .exit(0))
    #expect(program.errors.contains("does not name 'agents'") && !program.errors.contains("does not name 'agent/7'"))
    #expect(program.text == "2 done[agent/7] plays success\n")
  }

  @Test func `a timeline that no WAV file can hold is refused before anything is written`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    // 2³² bytes of 8 a frame at 48,000 frames a second are 11,184.8 s.
    let program = try home.run(
      "render", "-", "-o", "out.wav", "--config", "config.toml", input: .text("0 build=1\n\n11185 build=2\n"))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.hasPrefix("soundd: -: line 3: "))
    #expect(!FileManager.default.fileExists(atPath: home("out.wav")))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal leaves no unfinished file behind`(signal: Int32) throws {
    let home = try Home()
    // Few bytes for a long time: the disk must not fill before the signal comes.
    try home.write("config.toml", "[output]\nrate = 8000\nchannels = 1\n" + Self.configuration)
    try home.write("timeline", "0 build=passed\n" + (1..<60_000).map { "\($0) build=\($0)\n" }.joined())
    let program = try home.start("render", "timeline", "-o", "out.wav", "--config", "config.toml")
    func outputs() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.hasPrefix("out.wav") }
    }
    try eventually("it writes") { try !outputs().isEmpty }
    program.send(signal: signal)
    #expect(try program.wait() == .signal(signal))
    #expect(try outputs() == [])
  }

  @Test func `an unfinished file has a name that nobody can guess`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    try home.write("victim", "precious")
    // It waits for its timeline, so that a link can be put where its number would lead.
    let program = try home.start("render", "-", "-o", "out.wav", "--config", "config.toml", input: .pipe)
    #expect(symlink("victim", home("out.wav.\(program.pid).part")) == 0)
    program.write("0 build=passed\n1 build=failed\n")
    program.closeInput()
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(try String(contentsOfFile: home("victim"), encoding: .utf8) == "precious")
    var status = stat()
    #expect(lstat(home("out.wav"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
  }

  @Test func `a file with the name of another format is refused`() throws {
    let home = try Home()
    let program = try home.run("render", "-", "-o", "out.mp3", input: .text("0 build=passed\n"))
    #expect(try program.wait() == .exit(64))
    #expect(program.errors.contains("soundd writes WAV files only"))
    #expect(!FileManager.default.fileExists(atPath: home("out.mp3")))
  }

  @Test(arguments: ["missing/out.wav", ".", "/dev/full"])
  func `an output that cannot be written is an I-O error`(output: String) throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    let program = try home.run(
      "render", "-", "-o", output, "--config", "config.toml", input: .text("0 build=passed\n1 build=failed\n"))
    #expect(try program.wait() == .exit(74))
    #expect(program.errors.contains(output))
  }

  @Test(arguments: ["timeline", "config.toml", "./link", "twin"])
  func `an output that is the timeline or the configuration is refused, and that is kept`(output: String) throws {
    let home = try Home()
    let timeline = "0 build=passed\n1 build=failed\n"
    try home.write("config.toml", Self.configuration)
    try home.write("timeline", timeline)
    #expect(symlink("timeline", home("link")) == 0)
    #expect(link(home("config.toml"), home("twin")) == 0)
    for (events, input) in [("timeline", Program.Input.nothing), ("-", .file(home("timeline")))] {
      let program = try home.run("render", events, "-o", output, "--config", "config.toml", input: input)
      #expect(try program.wait() == .exit(64))
      #expect(program.errors.contains("\(output) is the "))
      #expect(try String(contentsOfFile: home("timeline"), encoding: .utf8) == timeline)
      #expect(try String(contentsOfFile: home("config.toml"), encoding: .utf8) == Self.configuration)
    }
  }

  @Test func `an output that is a device may also be the input`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    #expect(try home.run("render", "/dev/null", "-o", "/dev/null", "--config", "config.toml").wait() == .exit(0))
  }

  @Test func `a missing timeline or configuration is no input`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    let noTimeline = try home.run("render", "missing.txt", "-o", "out.wav", "--config", "config.toml")
    #expect(try noTimeline.wait() == .exit(66))
    #expect(noTimeline.errors.contains("missing.txt"))
    let noFile = try home.run("render", "-", "-o", "out.wav", "--config", "missing.toml")
    #expect(try noFile.wait() == .exit(66))
    #expect(noFile.errors.contains("missing.toml"))
    let none = try home.run("render", "-", "-o", "out.wav")
    #expect(try none.wait() == .exit(66))
    #expect(none.errors.contains("config.toml"))
    #expect(!FileManager.default.fileExists(atPath: home("out.wav")))
  }

  @Test func `a timeline that is a pipe without a writer is named after a second`() throws {
    let home = try Home()
    try home.write("config.toml", Self.configuration)
    #expect(mkfifo(home("pipe"), 0o600) == 0)
    let program = try home.run("render", "pipe", "--config", "config.toml")
    #expect(try program.wait() == .exit(66))
    #expect(
      program.errors == "soundd: cannot read pipe: it does not answer; a named pipe needs a program that writes to it\n"
    )
  }

  @Test func `values that files feed in the daemon are set by the timeline`() throws {
    let home = try Home()
    try home.write("status", "ignored")
    let heard = try render(
      home, "[value.build]\nfile = \"status\"\n" + Self.configuration, "0 build=passed\n1 build=failed\n")
    try expect(heard, [("error", 48_000)])
  }

  @Test func `a sound of the configuration is never overwritten`() throws {
    let home = try Home()
    try home.write("sounds/ding.wav", Recording.sine(seconds: 0.1))
    try home.write("config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"ding\"\n")
    try FileManager.default.createSymbolicLink(atPath: home("link.wav"), withDestinationPath: home("sounds/ding.wav"))
    let before = try Data(contentsOf: URL(fileURLWithPath: home("sounds/ding.wav")))
    for output in ["sounds/ding.wav", "link.wav"] {
      let program = try home.run(
        "render", "-", "--config", "config.toml", "-o", output, input: .text("0 a=1\n1 a=2\n"))
      #expect(try program.wait() == .exit(64))
      #expect(program.errors.contains("\(output) is a sound of the configuration, which would be lost"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: home("sounds/ding.wav"))) == before)
  }

  @Test(arguments: [1, 2, 6]) func `the file has the channels of the configuration`(channels: Int) throws {
    let home = try Home()
    try home.write("sounds/ding.wav", Recording.sine(seconds: 0.1))
    try home.write(
      "config.toml", "[output]\nchannels = \(channels)\n[[trigger]]\nvalue = \"a\"\nsound = \"ding\"\n")
    let program = try home.run(
      "render", "-", "--config", "config.toml", "-o", "out.wav", input: .text("0 a=1\n0.1 a=2\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let info = try home.start(program: "/usr/bin/soxi", ["-c", "out.wav"])
    #expect(try info.wait() == .exit(0))
    #expect(info.text == "\(channels)\n")
  }

  @Test(arguments: [(150.0, 12.0, 0.0), (25, -6, -15)])
  func `a mapped sound has the pitch and the volume that sox gives it`(
    number: Double, semitones: Double, decibels: Double
  ) throws {
    let home = try Home()
    func sox(_ arguments: String...) throws {
      let program = try home.start(program: "/usr/bin/sox", arguments)
      #expect(try program.wait() == .exit(0), "\(program.errors)")
    }
    try sox("-n", "-r", "48000", "-c", "2", home("s.wav"), "synth", "0.5", "sine", "400", "sine", "700", "vol", "0.5")
    try home.write(
      "config.toml",
      """
      [value.a]
      type = "number"
      [[trigger]]
      value = "a"
      sound = "./s.wav"
      map = { pitch = { from = [0, 100], to = ["-12 st", "12 st"] }, volume = { from = [0, 100], to = ["-20 dB", "0 dB"] } }
      """)
    let program = try home.run(
      "render", "-", "--config", "config.toml", "-o", "out.wav", input: .text("0 a=0\n0.1 a=\(number)\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let factor = pow(2, semitones / 12)
    try sox(
      home("s.wav"), "-e", "floating-point", "-b", "32", home("expected.wav"), "speed", "\(factor)", "rate", "-v",
      "48000",
      "vol", "\(decibels)dB")
    try sox(home("out.wav"), "-e", "floating-point", "-b", "32", home("heard.raw"), "trim", "4800s")
    try sox(home("expected.wav"), "-e", "floating-point", "-b", "32", home("expected.raw"))
    let (heard, expected) = (try Recording(raw: home("heard.raw")), try Recording(raw: home("expected.raw")))
    #expect(abs(heard.frames - expected.frames) <= 1)
    // Away from the ends, where one filter rings and the other does not.
    let middle = 400..<2 * expected.frames - 400
    let difference = middle.map { abs(heard.samples[$0] - expected.samples[$0]) }.max() ?? 1
    #expect(difference < 0.001)
  }
}
