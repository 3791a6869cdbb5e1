import Foundation
import Testing

/// `soundd render`: what loops, waits for its turn or is called off, on a virtual clock.
struct RenderedTriggerTests {
  private func home(_ trigger: String) throws -> Home {
    let home = try Home()
    try home.write("sounds/second.wav", Recording.sine(seconds: 1))
    try home.write("sounds/short.wav", Recording.sine(seconds: 0.25))
    try home.write(
      "config.toml", "[value.v]\ntype = \"number\"\n[[trigger]]\nname = \"t\"\nvalue = \"v\"\n\(trigger)\n")
    return home
  }

  /// What `render` prints for a timeline.
  private func told(_ home: Home, _ timeline: String, _ options: String...) throws -> String {
    let program = try home.run(["render", "-", "--config", "config.toml"] + options, input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    return String(decoding: program.output, as: UTF8.self)
  }

  /// What the file holds.
  private func heard(_ home: Home, _ timeline: String) throws -> Recording {
    let program = try home.run("render", "-", "-o", "out.wav", "--config", "config.toml", input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    return try Recording(decoding: home("out.wav"))
  }

  @Test func `what waits for its turn begins with the frame after the end of what runs`() throws {
    let home = try home("sound = \"second\"\noverlap = \"queue\"")
    let heard = try heard(home, "0 v=0\n1 v=1\n1.2 v=2\n1.3 v=3\n")
    let sound = try Recording(decoding: home("sounds/second.wav"))
    var expected = Recording(silence: 4 * 48_000)
    for second in 1...3 { try expected.add(sound, at: second * 48_000) }
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `of changes at one instant, a trigger that restarts plays the last alone`() throws {
    let home = try home("sound = \"short\"\noverlap = \"restart\"")
    let heard = try heard(home, "0 v=0\n" + (1...20).map { "1 v=\($0)\n" }.joined())
    var expected = Recording(silence: 60_000)
    try expected.add(Recording(decoding: home("sounds/short.wav")), at: 48_000)
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `of changes at one instant, a trigger that restarts tells the last alone`() throws {
    let home = try home("sound = \"short\"\noverlap = \"restart\"")
    #expect(try told(home, "0 v=0\n" + (1...20).map { "1 v=\($0)\n" }.joined()) == "1 t plays short\n")
  }

  @Test func `what is cancelled in the instant in which it begins is not heard, and does not count for the throttle`()
    throws
  {
    let home = try home("sound = \"short\"\nthrottle = \"1 h\"\ncancel = \"seen\"")
    let timeline = "0 v=0\n1 v=1\n1 seen=1\n2 v=2\n3 v=3\n"
    #expect(try told(home, timeline) == "2 t plays short\n")
    let heard = try heard(home, timeline)
    var expected = Recording(silence: 144_000)
    try expected.add(Recording(decoding: home("sounds/short.wav")), at: 96_000)
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `a loop has no gap, and fades out when its condition ends`() throws {
    let home = try home("sound = \"short\"\nabove = 5\nloop = true")
    let heard = try heard(home, "0 v=0\n1 v=6\n1.1 v=7\n3.1 v=5\n")
    let sound = try Recording(decoding: home("sounds/short.wav"))
    // 3.1 s and the usual fade of 10 ms.
    #expect(heard.frames == 148_800 + 480)
    for frame in 0..<heard.frames {
      let whole = frame < 48_000 ? 0 : sound.samples[2 * ((frame - 48_000) % 12_000)]
      let gain = frame < 148_800 ? 1 : 1 - Float(frame - 148_800) / 480
      guard abs(heard.samples[2 * frame] - whole * gain) < 1e-6 else {
        Issue.record("it differs at frame \(frame)")
        return
      }
    }
  }

  @Test func `loop_every repeats, and loop_limit gives up`() throws {
    let home = try home("sound = \"short\"\nabove = 5\nloop = true\nloop_every = \"2 s\"\nloop_limit = \"5 s\"")
    #expect(
      try told(home, "0 v=0\n1 v=6\n") == """
        1 t is active
        1 t plays short
        3 t plays short
        5 t plays short
        6 t is acknowledged

        """)
  }

  @Test func `delay plays later, unless the condition ends or something cancels`() throws {
    let home = try home("sound = \"short\"\nabove = 5\ndelay = \"1 s\"\ncancel = \"seen\"")
    let timeline = """
      0 {"v": 0, "seen": 0}
      1 v=6
      1.5 v=7
      3 v=0
      4 v=6
      4.5 v=5
      6 v=6
      6.5 seen=1
      8 v=0
      9 v=6
      9.5 seen=1
      """
    // Only 'cancel' names 'seen', so it is an event: an equal content cancels, too.
    #expect(try told(home, timeline) == "2 t plays short\n")
  }

  @Test func `the whole life of an alarm is told, with what people do`() throws {
    let home = try home(
      """
      sound = "second"
      above = 5
      loop = true
      delay = "1 s"
      off_delay = "2 s"
      latch = true
      realarm = "10 s"
      unless = "busy"
      """)
    let timeline = """
      0 v=0
      1 v=6
      3 v=0
      4 v=6
      5 snooze for=2s t
      8 busy=on
      9 {"busy":"off","v":0}
      12 ack
      13 v=9
      15 ack t
      26 v=0
      29 ack t
      """
    #expect(
      try told(home, timeline) == """
        1 t is pending
        2 t is active
        2 t plays second
        5 t stops
        5 t is snoozed
        7 t is active
        7 t plays second
        8 t stops
        8 t is suppressed
        9 t is active
        9 t plays second
        11 t is latched
        12 t stops
        12 t is normal
        13 t is pending
        14 t is active
        14 t plays second
        15 t stops
        15 t is acknowledged
        25 t is active
        25 t plays second
        28 t is latched
        29 t stops
        29 t is normal

        """)
  }

  @Test func `an alarm that there is not cannot be acknowledged`() throws {
    let home = try home("sound = \"second\"")
    let program = try home.run(["render", "-", "--config", "config.toml"], input: .text("0 v=0\n1 ack t\n"))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.contains("line 2: there is no alarm 't'"))
  }

  @Test func `what is ended early is told, too, and as JSON`() throws {
    let home = try home("sound = \"second\"\noverlap = \"restart\"")
    #expect(
      try told(home, "0 v=0\n1 v=1\n1.0625 v=2\n", "--json") == """
        {"event":"play","time":1,"trigger":"t","sound":"second"}
        {"event":"stop","time":1.0625,"trigger":"t"}
        {"event":"play","time":1.0625,"trigger":"t","sound":"second"}

        """)
  }

  @Test(arguments: [[], ["-o", "out.wav"]])
  func `sounds that find no voice, or lose it, are told`(options: [String]) throws {
    let home = try Home()
    try home.write("sounds/second.wav", Recording.sine(seconds: 1))
    try home.write(
      "config.toml",
      """
      [limits]
      voices = 1
      [[trigger]]
      value = "low"
      sound = "second"
      importance = "low"
      [[trigger]]
      value = "high"
      sound = "second"
      importance = "high"
      """)
    let timeline = "0 {\"low\": 0, \"high\": 0}\n1 low=1\n1.5 high=1\n2 low=2\n"
    let program = try home.run(
      ["render", "-", "--config", "config.toml"] + options, input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let told = "1 low plays second\n1.5 high plays second\n1.505 low stops\n2 low has no voice left for second\n"
    #expect(String(decoding: program.output, as: UTF8.self) == (options.isEmpty ? told : ""))
  }

  @Test func `a sound that is ignored while another runs is not played later`() throws {
    let home = try home("sound = \"second\"\noverlap = \"ignore\"")
    #expect(try told(home, "0 v=0\n1 v=1\n1.999 v=2\n2 v=3\n2.5 v=4\n") == "1 t plays second\n2 t plays second\n")
  }

  @Test func `days pass at once when nothing has to be written`() throws {
    let home = try home("sound = \"second\"\nbelow = 10\nhysteresis = 5\nloop = true\nloop_every = \"6 h\"")
    // A week of a battery, by the minute, that goes up to 100 and down to 0 again and again.
    let minutes = 7 * 24 * 60
    func level(_ minute: Int) -> Int { minute % 200 < 100 ? minute % 200 : 200 - minute % 200 }
    var lines = ""
    // It begins below 10.
    var expected = "0 t is active\n0 t plays second\n"
    for minute in 0..<minutes {
      lines += "\(minute * 60) v=\(level(minute))\n"
      // Every 200 minutes it falls below 10, and 24 minutes later it is at 15.
      if minute % 200 == 191 { expected += "\(minute * 60) t is active\n\(minute * 60) t plays second\n" }
      if minute % 200 == 15 { expected += "\(minute * 60) t is normal\n" }
    }
    #expect(try told(home, lines) == expected)
  }

  @Test func `a time alone lets time pass`() throws {
    let home = try home("sound = \"short\"\nthrottle = \"1 s\"")
    #expect(try heard(home, "0 v=0\n2.5\n").frames == 120_000)
    #expect(try told(home, "0 v=0\n2.5\n") == "")
  }

  @Test(arguments: [[], ["-o", "out.wav"]])
  func `a sound without an end is an error that says what to do`(options: [String]) throws {
    let home = try home("sound = \"short\"\nabove = 5\nloop = true")
    let program = try home.run(
      ["render", "-", "--config", "config.toml"] + options, input: .text("0 v=0\n1 v=6\n2\n"))
    #expect(try program.wait() == .exit(65))
    #expect(program.errors.contains("trigger 't' sounds without end"))
    #expect(program.errors.contains("loop_limit"))
    #expect(!FileManager.default.fileExists(atPath: home("out.wav")))
  }

  @Test func `what is ended in a crowd ends nevertheless`() throws {
    let home = try home("sound = \"second\"\nabove = 5\nloop = true\nimportance = \"critical\"")
    let crowd = (0..<1100).map { "[[trigger]]\nname = \"c\($0)\"\nvalue = \"w\"\nsound = \"short\"\n" }
    let configuration = try String(contentsOfFile: home("config.toml"), encoding: .utf8)
    try home.write("config.toml", configuration + crowd.joined())
    let program = try home.run(
      "render", "-", "--config", "config.toml", input: .text("0 {\"v\":0,\"w\":0}\n1 v=6\n2 {\"w\":1,\"v\":0}\n"))
    #expect(try program.wait() == .exit(0))
    #expect(program.errors.contains("soundd: -: no voice was left for "))
    #expect(String(decoding: program.output, as: UTF8.self).contains("\n2 t stops\n"))
  }

  @Test func `after the last line no silence is heard, however long something waits`() throws {
    let home = try home(
      "sound = \"short\"\ndelay = \"1 min\"\n[value.h]\nexpect_every = \"5 s\"\n"
        + "[[trigger]]\nvalue = \"h\"\nwhen = \"stale\"\nloop = true\nsound = \"second\"")
    #expect(try told(home, "0 v=0\n1 {\"v\":1,\"h\":1}\n2\n") == "61 t plays short\n")
  }

  @Test func `JSON is told, not written`() throws {
    let home = try home("sound = \"short\"")
    let program = try home.run("render", "-", "-o", "out.wav", "--json", "--config", "config.toml")
    #expect(try program.wait() == .exit(64))
  }
}
