import Foundation
import Testing

/// `volume`, `mute`, `unmute` and `stop`, and how triggers' sounds are played.
struct VolumeTests {
  private static let configuration = """
    [[trigger]]
    value = "a"
    sound = "long"
    fade_out = "100 ms"
    [[trigger]]
    name = "other"
    value = "b"
    sound = "long"
    """

  /// A quarter of full scale, for `seconds`: whatever the gain does can be seen in the samples.
  private func constant(seconds: Double) -> [UInt8] {
    Recording.constant(8192, seconds: seconds)
  }

  private func start(_ home: Home, _ arguments: String...) throws -> Program {
    try home.write("config/soundd/sounds/long.wav", constant(seconds: 30))
    try home.write("config/soundd/config.toml", Self.configuration)
    let daemon = try home.start(["run", "--device"] + arguments)
    try daemon.waitForErrors("soundd: ready: ")
    return daemon
  }

  private func ask(_ home: Home, _ lines: String...) throws {
    let connection = try home.connect()
    for line in lines { #expect(try connection.ask(line) == "ok", "\(line)") }
  }

  private func frames(_ out: String) -> Int { (try? Recording(raw: out).frames) ?? 0 }

  /// Waits until a tenth of a second more has been recorded.
  private func wait(_ out: String) throws {
    let before = frames(out)
    try eventually("a tenth of a second more is recorded") { frames(out) >= before + 4800 }
  }

  /// The left channel of a recording.
  private func left(_ out: String) throws -> [Float] {
    let heard = try Recording(raw: out)
    return stride(from: 0, to: heard.samples.count, by: 2).map { heard.samples[$0] }
  }

  /// Where the gain stands still, in what order, without the silence before and after.
  private func levels(_ samples: [Float]) -> [Float] {
    var levels: [Float] = []
    for frame in stride(from: 0, to: samples.count - 480, by: 480) where samples[frame] == samples[frame + 480] {
      if levels.last != samples[frame] { levels.append(samples[frame]) }
    }
    if levels.first == 0 { levels.removeFirst() }
    if levels.last == 0 { levels.removeLast() }
    return levels
  }

  /// The widest step from one sample to the next. The sound itself begins with a step, which does not count.
  private func widestStep(_ samples: [Float]) throws -> Float {
    let begin = try #require(samples.firstIndex { $0 != 0 })
    return (begin + 1..<samples.count).map { abs(samples[$0] - samples[$0 - 1]) }.max() ?? 1
  }

  @Test func `volume and mute go along ramps, and stop along the trigger's fade`() throws {
    let home = try Home()
    let out = home("out.raw")
    let daemon = try start(home, "file:\(out),raw")
    let connection = try home.connect()
    try connection.send(line: "a=1\na=2")
    #expect(try connection.ask("sync") == "ok")
    for request in ["volume 0.5", "volume -20 dB", "mute", "unmute", "volume 0 dB", "stop a"] {
      try wait(out)
      #expect(try connection.ask(request) == "ok")
    }
    try eventually("the sound has ended") { try home.status()["voices"] as? Int == 0 }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    let left = try left(out)
    let levels = levels(left)
    let expected: [Float] = [0.25, 0.125, 0.025, 0, 0.025, 0.25]
    #expect(levels.count == expected.count)
    for (level, expected) in zip(levels, expected) { #expect(abs(level - expected) < 1e-6) }
    // 20 ms for the widest change of the volume.
    #expect(try widestStep(left) <= 0.25 / 960 * 1.001)
    // The last fade takes 100 ms.
    let end = try #require(left.lastIndex { $0 != 0 })
    let full = try #require(left.lastIndex { $0 == 0.25 })
    #expect(abs(end - full - 4800) <= 2)
  }

  @Test func `stop ends the sounds of one trigger, or all`() throws {
    let home = try Home()
    _ = try start(home, "none")
    let connection = try home.connect()
    try connection.send(line: "{\"a\": 1, \"b\": 1}\n{\"a\": 2, \"b\": 2}")
    #expect(try connection.ask("sync") == "ok")
    #expect(try connection.ask("play long") == "ok")
    try eventually("three sounds") { try home.status()["voices"] as? Int == 3 }
    #expect(try home.run("stop", "other").wait() == .exit(0))
    try eventually("two sounds") { try home.status()["voices"] as? Int == 2 }
    #expect(try home.run("stop", "other").wait() == .exit(0))
    #expect(try home.status()["voices"] as? Int == 2)
    for empty in ["", " "] {
      let program = try home.run("stop", empty)
      #expect(try program.wait() == .exit(64))
      #expect(program.errors.contains("the trigger's name is empty"))
    }
    #expect(try connection.ask("stop ").hasPrefix("error: "))
    #expect(try home.status()["voices"] as? Int == 2)
    #expect(try home.run("stop").wait() == .exit(0))
    try eventually("silence") { try home.status()["voices"] as? Int == 0 }
    let unknown = try home.run("stop", "othr")
    #expect(try unknown.wait() == .exit(66))
    #expect(unknown.errors == "soundd: there is no trigger 'othr' (did you mean 'other'?)\n")
  }

  @Test func `stop leaves alarms unless it names them or has all, and says what it acknowledges`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      "[[trigger]]\nname = \"hot\"\nvalue = \"v\"\nto = \"on\"\nsound = \"alarm\"\nloop = true\n", "--device", "none")
    #expect(try home.run("set", "v=on").wait() == .exit(0))
    try eventually("it rings") { try home.status()["voices"] as? Int == 1 }
    let sounds = try home.run("stop")
    #expect(try sounds.wait() == .exit(0))
    #expect(sounds.text == "still ringing: hot (soundd ack; or soundd stop --all)\n")
    #expect(try home.status()["voices"] as? Int == 1)
    let all = try home.run("stop", "--all")
    #expect(try all.wait() == .exit(0))
    #expect(all.text == "acknowledged: hot\n")
    try eventually("silence") { try home.status()["voices"] as? Int == 0 }
    let named = try home.run("stop", "hot")
    #expect(try named.wait() == .exit(0))
    #expect(named.text.isEmpty)
    withExtendedLifetime(daemon) {}
  }

  @Test func `what is muted plays on and is counted`() throws {
    let home = try Home()
    _ = try start(home, "none")
    try ask(home, "mute")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    #expect(try home.played("a") == 1)
    #expect(try home.status()["muted"] as? Bool == true)
    try eventually("the sound runs") { try home.status()["voices"] as? Int == 1 }
    #expect(try home.run("unmute").wait() == .exit(0))
    #expect(try home.status()["muted"] as? Bool == false)
    #expect(try home.status()["voices"] as? Int == 1)
  }

  @Test func `each command prints the new state`() throws {
    let home = try Home()
    _ = try start(home, "none")
    for (line, text) in [
      ("mute", "muted"), ("mute toggle", "not muted"), ("mute toggle", "muted"), ("unmute", "not muted"),
      ("mute --trigger a", "muted"),
      ("unmute", "not muted; still muted: a (soundd unmute --trigger NAME)"), ("volume --trigger a", "1 (0 dB), muted"),
      ("mute toggle --trigger a", "not muted"), ("mute", "muted"),
      ("unmute --trigger a", "not muted; soundd is muted"), ("volume --trigger a", "1 (0 dB); soundd is muted"),
      ("unmute", "not muted"), ("volume down", "0.7079 (-3 dB)"), ("volume up", "1 (0 dB)"),
      ("volume 0.5 --trigger a", "0.5 (-6.02 dB)"), ("volume", "1 (0 dB)"), ("profile silent", "silent"),
      ("profile", "silent"),
    ] {
      let program = try home.run(line.split(separator: " ").map(String.init))
      #expect(try program.wait() == .exit(0))
      #expect(program.text == text + "\n", "\(line)")
      #expect(program.errors == "")
    }
    let during = try home.run("mute", "2", "h")
    #expect(during.text.wholeMatch(of: /muted until (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\n/) != nil, "\(during.text)")
    #expect(try home.run("volume", "up").text.hasPrefix("1 (0 dB), muted until "))
  }

  @Test func `the volume is printed, and set in every form`() throws {
    let home = try Home()
    _ = try start(home, "none")
    for (arguments, shown) in [
      ([], "1 (0 dB)"), (["-6 dB"], "0.5012 (-6 dB)"), (["-20", "dB"], "0.1 (-20 dB)"), (["0.25"], "0.25 (-12.04 dB)"),
      (["0"], "0 (silent)"), (["--", "-20 dB"], "0.1 (-20 dB)"),
      (["-6dB", "--socket", home.socket], "0.5012 (-6 dB)"),
    ] {
      for arguments in [arguments, []] {
        let print = try home.run(["volume"] + arguments)
        #expect(try print.wait() == .exit(0), "\(arguments)")
        #expect(print.text == shown + "\n")
      }
    }
    #expect(try home.run("mute").wait() == .exit(0))
    #expect(try home.run("volume").text == "0.5012 (-6 dB), muted\n")
    #expect(try home.run("status").text.contains("volume    0.5012 (-6 dB)\nmute      yes: "))
    #expect(abs((try home.status()["volume"] as? Double ?? 0) - 0.501_187) < 1e-6)
    let message = "expected a step of at most 40 dB, such as \"3 dB\", found '3' (did you mean '3 dB'?)"
    let refused = try home.run("volume", "up 3")
    #expect(try refused.wait() == .exit(64))
    #expect(refused.errors == "soundd: \(message)\n")
    #expect(try home.connect().ask("volume up 3") == "error: line 1: \(message) [invalid]")
    #expect(try home.run("volume", "--quiet").errors.hasPrefix("soundd: Unknown option '--quiet'"))
    #expect(try home.run("volume").text == "0.5012 (-6 dB), muted\n")
  }

  @Test func `the volume goes up and down in steps, to the ceiling and into silence`() throws {
    let home = try Home()
    _ = try start(home, "none")
    for (arguments, shown) in [
      (["down"], "0.7079 (-3 dB)"), (["down", "1 dB"], "0.631 (-4 dB)"), (["up"], "0.8913 (-1 dB)"),
      (["up", "0.5", "dB"], "0.9441 (-0.5 dB)"), (["up"], "1 (0 dB)"), (["up"], "1 (0 dB)"),
      (["-39 dB"], "0.0112 (-39 dB)"), (["down"], "0 (silent)"), (["down"], "0 (silent)"), (["up"], "0.01 (-40 dB)"),
      (["-60 dB"], "0.001 (-60 dB)"), (["up"], "0.01 (-40 dB)"), (["up", "40dB"], "1 (0 dB)"),
    ] {
      #expect(try home.run(["volume"] + arguments).wait() == .exit(0), "\(arguments)")
      #expect(try home.run("volume").text == shown + "\n", "\(arguments)")
    }
    // Back to where it began, to the bit.
    #expect(try home.status()["volume"] as? Double == 1)
  }

  @Test func `a mute ends by itself, or with the next toggle`() throws {
    let home = try Home()
    let daemon = try start(home, "none")
    try ask(home, "mute 200 ms")
    let status = try home.status()
    #expect(status["muted"] as? Bool == true)
    let end = try #require(JSON.time(status["muted_until"] as? String ?? ""))
    #expect(abs(end.timeIntervalSinceNow) < 20)
    try daemon.waitForErrors("soundd: no longer muted\n")
    #expect(try home.status()["muted"] as? Bool == false)
    #expect(try home.status()["muted_until"] is NSNull)

    #expect(try home.run("mute", "1", "h").wait() == .exit(0))
    #expect(JSON.isTime(try home.status()["muted_until"]))
    #expect(try home.run("status").text.contains("\nmute      until "))
    // A mute without an end replaces it, and the other way round.
    #expect(try home.run("mute").wait() == .exit(0))
    #expect(try home.status()["muted"] as? Bool == true)
    #expect(try home.status()["muted_until"] is NSNull)
    #expect(try home.run("mute", "toggle").wait() == .exit(0))
    #expect(try home.status()["muted"] as? Bool == false)
    #expect(try home.run("mute", "toggle").wait() == .exit(0))
    #expect(try home.status()["muted"] as? Bool == true)
    for (text, hint) in [
      ("1 hour", " (did you mean '1 h'?)"),
      ("day", "\nsoundd: to mute one trigger: soundd mute --trigger day"),
    ] {
      let refused = try home.run("mute", text)
      #expect(try refused.wait() == .exit(64))
      #expect(
        refused.errors
          == "soundd: expected toggle, a time such as \"30 min\" or \"1 day\", or \"until 10:00\", found '\(text)'\(hint)\n"
      )
    }
  }

  @Test func `a trigger's own volume and mute go along ramps and leave the others alone`() throws {
    let home = try Home()
    let out = home("out.raw")
    let daemon = try start(home, "file:\(out),raw")
    let connection = try home.connect()
    try connection.send(line: "a=1\na=2")
    #expect(try connection.ask("sync") == "ok")
    for request in [
      "volume 0.5 trigger=a", "mute trigger=other", "mute trigger=a", "unmute trigger=a", "volume 0.5",
    ] {
      try wait(out)
      #expect(try connection.ask(request) == "ok")
    }
    try wait(out)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    let left = try left(out)
    #expect(levels(left) == [0.25, 0.125, 0, 0.125, 0.0625])
    #expect(try widestStep(left) <= 0.125 / 960 * 1.001)
  }

  @Test func `a trigger's volume outlives a reload and the daemon, its mute only the reload`() throws {
    let home = try Home()
    var daemon = try start(home, "none")
    #expect(try home.run("volume", "-12", "dB", "--trigger", "other").wait() == .exit(0))
    #expect(try home.run("mute", "--trigger", "other").wait() == .exit(0))
    #expect(try home.run("mute", "1 h", "--trigger=a").wait() == .exit(0))
    #expect(try home.run("volume", "--trigger", "other").text == "0.2512 (-12 dB), muted\n")
    #expect(try home.run("volume").text == "1 (0 dB)\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.trigger("other")["muted"] as? Bool == true)
    #expect(JSON.isTime(try home.trigger("a")["muted_until"]))
    // What is muted is played unheard, and explain says so.
    #expect(try home.run("set", "b=1").wait() == .exit(0))
    #expect(try home.run("set", "b=2").wait() == .exit(0))
    try eventually("it has played") { try home.played("other") == 1 }
    let explained = try home.run("explain", "other").text
    #expect(explained.contains("played unheard, because soundd or the trigger was muted"))
    #expect(try home.run("status").text.contains("sounding, muted, -12 dB"))

    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    daemon = try start(home, "none")
    #expect(abs((try home.trigger("other")["volume"] as? Double ?? 0) - 0.251_189) < 1e-6)
    #expect(try home.trigger("other")["muted"] as? Bool == false)
    for command in [["mute"], ["unmute"], ["volume", "up"], ["volume"]] {
      let refused = try home.run(command + ["--trigger", "othr"])
      #expect(try refused.wait() == .exit(66), "\(command)")
      #expect(refused.errors == "soundd: there is no trigger 'othr' (did you mean 'other'?)\n")
      #expect(try home.run(command + ["--trigger", " "]).wait() == .exit(64), "\(command)")
    }
  }

  @Test func `a change while nothing sounds holds from the next sound's first frame`() throws {
    let home = try Home()
    let out = home("out.raw")
    let daemon = try start(home, "file:\(out),raw")
    try ask(home, "volume 0.5", "volume 0.25", "mute", "unmute")
    #expect(frames(out) == 0)
    try ask(home, "play long")
    try wait(out)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    let heard = try Recording(raw: out)
    let begin = try #require(heard.onset())
    #expect(heard.samples[2 * begin] == 0.0625)
  }

  @Test func `volume, place and fade-in are heard`() throws {
    let home = try Home()
    try home.write("sounds/long.wav", constant(seconds: 1))
    try home.write(
      "config.toml",
      """
      [[trigger]]
      value = "a"
      sound = "long"
      volume = "-6 dB"
      pan = -0.5
      fade_in = "100 ms"
      """)
    let program = try home.run(
      "render", "-", "-o", "out.wav", "--config", "config.toml", input: .text("0 a=1\n0.5 a=2\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let heard = try Recording(decoding: home("out.wav"))
    // 0.25 × 10^(-6/20) × √2 × cos and sin of 22.5°
    let (left, right): (Float, Float) = (0.163_706, 0.067_811)
    for frame in stride(from: 24_000, to: 71_999, by: 97) {
      let fade = min(1, Float(frame - 24_000) / 4800)
      #expect(abs(heard.samples[2 * frame] - left * fade) < 1e-5)
      #expect(abs(heard.samples[2 * frame + 1] - right * fade) < 1e-5)
    }
  }

  @Test func `the least important gives way`() throws {
    let home = try Home()
    try home.write("sounds/loud.wav", constant(seconds: 1))
    try home.write("sounds/quiet.wav", Recording.constant(1024, seconds: 1))
    try home.write(
      "config.toml",
      """
      [limits]
      voices = 1
      [[trigger]]
      value = "a"
      sound = "loud"
      importance = "high"
      [[trigger]]
      value = "b"
      sound = "quiet"
      """)
    let program = try home.run(
      "render", "-", "-o", "out.wav", "--config", "config.toml",
      input: .text("0 {\"a\": 1, \"b\": 1}\n0.1 b=2\n0.2 a=2\n0.3 b=3\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let heard = try Recording(decoding: home("out.wav"))
    // `b` plays, gives way to `a` within 5 ms, and then finds no place.
    #expect(heard.samples[2 * 9000] == 0.03125)
    #expect(heard.samples[2 * 10_000] == 0.25)
    #expect(heard.samples[2 * 20_000] == 0.25)
  }
}
