import Foundation
import TestSupport
import Testing

/// Triggers that speak.
struct SpeechTests {
  private let home: Home
  private static let withoutProgram = """
    [speech]
    command = ["no-such-engine"]
    [[trigger]]
    value = "door"
    sound = "tick"
    say = "door {value}"
    """

  init() throws { home = try Home() }

  private func said(_ trigger: String) throws -> [String: Any]? {
    let program = try home.run("explain", trigger, "--json")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let report = try JSONSerialization.jsonObject(with: Data(program.text.utf8)) as? [String: Any]
    return report?["said"] as? [String: Any]
  }

  /// The lines that the programs of these tests have been given, without the empty one that asks how they speak.
  private func spoken() -> [Substring] {
    ((try? String(contentsOfFile: home("spoken"), encoding: .utf8)) ?? "").split(separator: "\n")
  }

  private func set(_ assignment: String) throws { #expect(try home.run("set", assignment).wait() == .exit(0)) }

  @Test func `speech follows the sound, sample for sample what espeak-ng makes`() throws {
    func shell(_ line: String) throws {
      let program = try home.start(program: "/bin/sh", ["-c", line])
      #expect(try program.wait() == .exit(0), "\(program.errors)")
    }
    try home.write("sounds/ding.wav", WAVBuilder.int16([Int16](repeating: 1000, count: 200), channels: 2, rate: 22_050))
    try home.write(
      "config.toml",
      """
      [output]
      rate = 22050
      [value.bat]
      type = "number"
      [[trigger]]
      value = "bat"
      sound = "ding"
      say = "battery {value} percent"
      """)
    let program = try home.run(
      "render", "-", "--config", "config.toml", "-o", "out.wav", input: .text("0 bat=1\n1 bat=12\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    try shell("echo 'battery 12 percent' | espeak-ng --stdin --stdout >s.wav")
    // It writes its file into a pipe, so the header has no length: the samples are the rest.
    try shell("sox --ignore-length s.wav -c 2 -t f32 s.raw; sox out.wav -t f32 out.raw trim 22150s")
    let (heard, expected) = (try Recording(raw: home("out.raw")), try Recording(raw: home("s.raw")))
    #expect(expected.frames > 10_000)
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `explain says what was spoken, by a program that speaks itself as well`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >>\\"$HOME/spoken\\""]
      [[trigger]]
      value = "door"
      sound = "tick"
      say = "door {value}"
      [[trigger]]
      value = "bell"
      say = "somebody rings"
      """, "--device", "none")
    // An empty line finds out how the program speaks.
    try eventually("it is asked") { (try? String(contentsOfFile: home("spoken"), encoding: .utf8)) == "\n" }
    try set("door=closed")
    try set("bell=0")
    try set("door=open; touch pwned")
    try eventually("it is spoken") { try said("door")?["text"] as? String == "door open; touch pwned" }
    try set("bell=1")
    try eventually("it is spoken") { try said("bell")?["text"] as? String == "somebody rings" }
    let spoken = try String(contentsOfFile: home("spoken"), encoding: .utf8)
    #expect(spoken == "\ndoor open; touch pwned\nsomebody rings\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `the daemon does not wait for a program that takes its time, and speaks as soon as it can`() throws {
    try home.write("speech.wav", WAVBuilder.int16([Int16](repeating: 1000, count: 480), channels: 2, rate: 48_000))
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >/dev/null; until [ -e \\"$HOME/go\\" ]; do sleep 0.02; done; cat \\"$HOME/speech.wav\\""]
      [[trigger]]
      value = "bell"
      say = "somebody rings"
      """, "--device", "none")
    func size() throws -> Int { (try home.status()["memory_use"] as? [String: Any])?["clip_bytes"] as? Int ?? 0 }
    let before = try size()
    try set("bell=0")
    try set("bell=1")
    try home.write("go", "")
    try eventually("it is spoken") { try said("bell")?["text"] as? String == "somebody rings" }
    try eventually("the text is loaded") { try size() > before }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(!daemon.errors.contains("cannot say"))
  }

  @Test func `a program that fails is named, and the sound plays all the same`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >/dev/null; echo 'no voice' >&2; exit 3"]
      [[trigger]]
      value = "door"
      sound = "tick"
      say = "door {value}"
      """, "--device", "none")
    try set("door=closed")
    try set("door=open")
    try eventually("it fails") { try said("door")?["problem"] != nil }
    #expect(
      try said("door")?["problem"] as? String == "cannot say 'door open': it ended with exit status 3: 'no voice'")
    #expect(try home.trigger("door")["played"] as? Int == 1)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(daemon.errors.contains("trigger 'door': cannot say 'door open'"))
  }

  @Test func `a program that is not installed is a warning of check, because the setting is good`() throws {
    try home.write("config.toml", Self.withoutProgram)
    let program = try home.run("check", "config.toml")
    #expect(try program.wait() == .exit(0))
    #expect(
      program.errors
        == "soundd: warning: config.toml:6:7: trigger 'door': cannot say 'door {value}': there is no program "
        + "'no-such-engine' in PATH: install it, or write its whole path\n")
    #expect(program.text.hasSuffix(", warnings: 1)\n"))
  }

  @Test func `the recipe can be added before espeak-ng is installed, and says what to install`() throws {
    try home.write("bin/nothing", "")
    let remedy =
      "there is no program 'espeak-ng' in PATH: install it (sudo apt install espeak-ng), or write its whole path\n"
    let add = try home.start("add", "speech", environment: ["PATH": home("bin")])
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    #expect(add.text.contains("/config.d/speech.toml:") && add.text.hasSuffix(": \(remedy)"), "\(add.text)")
    let check = try home.start("check", environment: ["PATH": home("bin")])
    #expect(try check.wait() == .exit(0))
    #expect(check.errors.hasSuffix(remedy), "\(check.errors)")
    // With the program there is nothing to say.
    try home.writeProgram("bin/espeak-ng", "#!/bin/sh\n")
    let again = try home.start("check", environment: ["PATH": home("bin")])
    #expect(try again.wait() == .exit(0))
    #expect(again.errors == "")
  }

  @Test func `a check runs nothing`() throws {
    try home.write(
      "config.toml",
      """
      [speech]
      command = ["touch", "\(home("ran"))"]
      [[trigger]]
      value = "door"
      say = "hello"
      """)
    #expect(try home.run("check", "config.toml").wait() == .exit(0))
    #expect(!FileManager.default.fileExists(atPath: home("ran")))
  }

  @Test func `what cannot be spoken is broken in list and doctor, though its sound plays`() throws {
    let daemon = try home.daemon(Self.withoutProgram, "--device", "none")
    #expect(try home.trigger("door")["state"] as? String == "broken")
    let problem = "cannot say 'door {value}': there is no program 'no-such-engine' in PATH"
    #expect((try home.trigger("door")["problem"] as? String)?.hasPrefix(problem) == true)
    let program = try home.run("doctor")
    _ = try program.wait()
    #expect(program.text.contains("'door' \(problem)"), "\(program.text)")
    withExtendedLifetime(daemon) {}
  }

  @Test func `an alarm speaks once each time it becomes active`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >>\\"$HOME/spoken\\""]
      [value.t]
      type = "number"
      [[trigger]]
      value = "t"
      above = 10
      loop_every = "100 ms"
      sound = "tick"
      say = "hot {value}"
      """, "--device", "none")
    for number in [1, 20, 21] { try set("t=\(number)") }
    try eventually("it repeats") { try home.trigger("t")["played"] as? Int ?? 0 > 5 }
    #expect(spoken() == ["hot 20"])
    for number in [1, 30] { try set("t=\(number)") }
    try eventually("it speaks again") { spoken() == ["hot 20", "hot 30"] }
    withExtendedLifetime(daemon) {}
  }

  @Test func `an alarm that was muted speaks when it is heard again`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >>\\"$HOME/spoken\\""]
      [[trigger]]
      value = "t"
      to = "on"
      loop_every = "100 ms"
      sound = "tick"
      say = "{value}"
      """, "--device", "none")
    try set("t=off")
    #expect(try home.run("mute").wait() == .exit(0))
    try set("t=on")
    try eventually("it repeats") { try home.trigger("t")["played"] as? Int ?? 0 > 2 }
    #expect(!FileManager.default.fileExists(atPath: home("spoken")))
    #expect(try home.run("unmute").wait() == .exit(0))
    try eventually("it speaks") { try said("t")?["text"] as? String == "on" }
    withExtendedLifetime(daemon) {}
  }

  @Test(arguments: [["stop", "a"], ["mute", "--trigger", "a"], ["profile", "silent"]])
  func `what ends a sound ends the program that speaks`(command: [String]) throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "read text; echo \\"$text $$\\" >>\\"$HOME/spoken\\"; exec sleep 9"]
      [[trigger]]
      value = "a"
      sound = "tick"
      say = "a {value}"
      """, "--device", "none")
    func isRunning(_ line: Substring) -> Bool {
      line.split(separator: " ").last.flatMap { kill(Int32($0) ?? 0, 0) } == 0
    }
    try set("a=1")
    try set("a=2")
    try eventually("it speaks") {
      (try? String(contentsOfFile: home("spoken"), encoding: .utf8))?.hasSuffix("\n") ?? false
    }
    let spoken = try String(contentsOfFile: home("spoken"), encoding: .utf8).split(separator: "\n")
    #expect(spoken.count == 1 && isRunning(spoken[0]))
    // This one waits.
    try set("a=3")
    #expect(try home.run(command).wait() == .exit(0))
    try eventually("it is ended") { !isRunning(spoken[0]) }
    #expect(try String(contentsOfFile: home("spoken"), encoding: .utf8).split(separator: "\n") == spoken)
    withExtendedLifetime(daemon) {}
  }

  @Test func `two texts without sounds are spoken one after the other`() throws {
    let rate = 8000
    try home.write(
      "speech.wav", WAVBuilder.int16([Int16](repeating: 8000, count: 2 * rate), channels: 2, rate: rate))
    try home.write(
      "config.toml",
      """
      [output]
      rate = \(rate)
      [speech]
      command = ["sh", "-c", "cat >/dev/null; cat '\(home("speech.wav"))'"]
      [[trigger]]
      value = "a"
      say = "first"
      [[trigger]]
      value = "a"
      say = "second"
      """)
    let program = try home.run(
      "render", "-", "--config", "config.toml", "-o", "out.wav", input: .text("0 a=1\n1 a=2\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let sox = try home.start(program: "/usr/bin/sox", [home("out.wav"), "-t", "f32", home("out.raw")])
    #expect(try sox.wait() == .exit(0))
    let heard = try Recording(raw: home("out.raw"))
    let first = try #require(heard.samples.firstIndex { $0 != 0 })
    // At once, because the text is spoken when it is decided.
    #expect(first == 2 * rate)
    #expect(heard.frames >= 3 * rate)
    #expect(heard.samples.allSatisfy { $0 < 0.25 })
  }

  @Test func `what is called off, and what a group held back, is not spoken`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >>\\"$HOME/spoken\\"; sleep 0.3"]
      [group.g]
      within = "100 ms"
      [[trigger]]
      value = "a"
      cancel = "quiet"
      sound = "tick"
      say = "a {value}"
      [[trigger]]
      value = "b"
      group = "g"
      sound = "tick"
      say = "b {value}"
      """, "--device", "none")
    func spoken() -> String { (try? String(contentsOfFile: home("spoken"), encoding: .utf8)) ?? "" }
    for name in ["a", "b", "quiet"] { try set("\(name)=0") }
    try set("a=1")
    try eventually("it speaks") { spoken() == "a 1\n" }
    try set("a=2")
    try eventually("it is heard") { try home.trigger("a")["played"] as? Int == 2 }
    try set("quiet=1")
    try set("b=1")
    try set("b=2")
    try eventually("the group speaks once") { try home.trigger("b")["played"] as? Int == 2 }
    try set("a=3")
    try eventually("it speaks") { spoken().hasSuffix("a 3\n") }
    #expect(spoken() == "a 1\nb 1\na 3\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `the first content of a cancel value ends no speech`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "cat >>\\"$HOME/spoken\\"; sleep 0.5"]
      [value.quiet]
      type = "number"
      [[trigger]]
      value = "a"
      cancel = "quiet"
      sound = "tick"
      say = "a {value}"
      """, "--device", "none")
    try set("a=0")
    try set("a=1")
    try eventually("it speaks") { spoken() == ["a 1"] }
    try set("a=2")
    try eventually("it is heard") { try home.trigger("a")["played"] as? Int == 2 }
    try set("quiet=0")
    try eventually("it speaks") { spoken() == ["a 1", "a 2"] }
    withExtendedLifetime(daemon) {}
  }

  @Test func `an alarm that is interrupted before it is heard speaks at its next round`() throws {
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "read text; echo \\"$text\\" >>\\"$HOME/spoken\\"; [ \\"$text\\" != 'hot on' ] || exec sleep 5"]
      [[trigger]]
      value = "t"
      to = "on"
      loop_every = "100 ms"
      importance = "low"
      sound = "tick"
      say = "hot {value}"
      [[trigger]]
      value = "door"
      importance = "high"
      say = "door {value}"
      """, "--device", "none")
    for assignment in ["t=off", "door=closed", "t=on"] { try set(assignment) }
    try eventually("it speaks") { spoken() == ["hot on"] }
    try set("door=open")
    try eventually("it speaks again") { spoken() == ["hot on", "door open", "hot on"] }
    withExtendedLifetime(daemon) {}
  }

  @Test func `a trigger that a reload has removed does not speak any more`() throws {
    func configuration(_ triggers: String) -> String {
      """
      [speech]
      command = ["sh", "-c", "read text; echo \\"$text\\" >>\\"$HOME/spoken\\"; [ \\"$text\\" != 'a 1' ] || exec sleep 9"]
      \(triggers)
      """
    }
    func trigger(_ name: String) -> String { "[[trigger]]\nvalue = \"\(name)\"\nsay = \"\(name) {value}\"\n" }
    let daemon = try home.daemon(configuration(trigger("a") + trigger("b")), "--device", "none")
    for assignment in ["a=0", "b=0", "a=1", "b=1"] { try set(assignment) }
    try eventually("it speaks") { spoken() == ["a 1"] }
    try home.write("config/soundd/config.toml", configuration(trigger("c")))
    #expect(try home.run("reload").wait() == .exit(0))
    try set("c=0")
    try set("c=1")
    try eventually("the next one speaks") { spoken() == ["a 1", "c 1"] }
    withExtendedLifetime(daemon) {}
  }

  @Test func `what no device took was not said`() throws {
    try home.write("speech.wav", WAVBuilder.int16([Int16](repeating: 1000, count: 480), channels: 2, rate: 48_000))
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "read text; echo \\"$text\\" >>\\"$HOME/spoken\\"; cat \\"$HOME/speech.wav\\""]
      [[trigger]]
      value = "a"
      fresh = "50 ms"
      say = "a {value}"
      """, "--device", "no-such-device")
    try set("a=0")
    try set("a=1")
    try eventually("it is made") { spoken() == ["a 1"] }
    try eventually("it is refused") { try home.trigger("a")["dropped"] as? Int == 1 }
    #expect(try said("a") == nil)
    withExtendedLifetime(daemon) {}
  }

  @Test func `a text that cannot be made keeps no other from being made`() throws {
    try home.write("speech.wav", WAVBuilder.int16([Int16](repeating: 1000, count: 480), channels: 2, rate: 48_000))
    let daemon = try home.daemon(
      """
      [speech]
      command = ["sh", "-c", "read text; echo \\"$text\\" >>\\"$HOME/spoken\\"; [ \\"$text\\" != 1 ] && cat \\"$HOME/speech.wav\\""]
      [[trigger]]
      value = "a"
      say = "1"
      [[trigger]]
      value = "b"
      say = "2"
      """, "--device", "none")
    try eventually("both are made") { spoken() == ["1", "2"] }
    withExtendedLifetime(daemon) {}
  }

  @Test func `while speech sounds less important sounds are lower, and an alarm is not`() throws {
    let rate = 8000
    func tone(_ seconds: Int, silent: Bool = false) -> [UInt8] {
      WAVBuilder.int16(
        (0..<2 * seconds * rate).map { silent ? 0 : $0 / 2 % 8 < 4 ? 8000 : -8000 }, channels: 2, rate: rate)
    }
    try home.write("sounds/long.wav", tone(4))
    // Silence, so that the rest can be measured.
    try home.write("speech.wav", tone(1, silent: true))
    try home.write(
      "config.toml",
      """
      [output]
      rate = \(rate)
      duck = "20 dB"
      [speech]
      command = ["sh", "-c", "cat >/dev/null; cat '\(home("speech.wav"))'"]
      [[trigger]]
      value = "a"
      sound = "long"
      pan = -1
      importance = "low"
      [[trigger]]
      value = "alarm"
      to = "on"
      loop = true
      sound = "long"
      pan = 1
      importance = "low"
      [[trigger]]
      value = "s"
      say = "{value}"
      """)
    let program = try home.run(
      "render", "-", "--config", "config.toml", "-o", "out.wav",
      input: .text("0 a=1\n0 s=1\n0 alarm=off\n1 a=2\n1 alarm=on\n2 s=2\n6 alarm=off\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let sox = try home.start(program: "/usr/bin/sox", [home("out.wav"), "-t", "f32", home("out.raw")])
    #expect(try sox.wait() == .exit(0))
    let heard = try Recording(raw: home("out.raw"))
    /// The loudest sample of a tenth of a second.
    func level(at seconds: Double, _ channel: Int) -> Float {
      let first = Int(seconds * Double(rate))
      return (first..<first + rate / 10).map { abs(heard.samples[2 * $0 + channel]) }.max() ?? 0
    }
    let full = level(at: 1.5, 0)
    #expect(full > 0.3)
    #expect(abs(level(at: 2.5, 0) / full - 0.1) < 0.002)
    #expect(abs(level(at: 3.5, 0) / full - 1) < 0.002)
    for time in [1.5, 2.5, 3.5] { #expect(abs(level(at: time, 1) / full - 1) < 0.002) }
  }
}
