import Foundation
import Testing

/// `soundd monitor` on a real terminal; tmux(1) is the terminal.
struct MonitorTests {
  private let home: Home
  private var daemon: Program

  private static let configuration = """
    [value.reactor]
    type = "number"
    [[trigger]]
    name = "reactor too hot"
    value = "reactor"
    above = 90
    sound = "alarm"
    loop = true
    importance = "critical"
    [[trigger]]
    name = "front door"
    value = "door"
    to = "open"
    sound = "press"
    """

  init() throws {
    home = try Home()
    daemon = try home.daemon(Self.configuration, "--device", "none")
    for line in ["reactor=20", "door=shut", "reactor=95", "door=open"] {
      #expect(try home.run("set", line).wait() == .exit(0))
    }
  }

  /// A script that runs the monitor, and keeps the settings of the terminal before and after.
  private func script(_ arguments: String = "") -> String {
    """
    # The script goes on after a signal of the keyboard, which the terminal does not echo.
    trap : INT QUIT
    stty -echoctl
    stty -g > '\(home("before"))'
    /bin/sh -c 'echo $$ > "\(home("pid"))"; exec "\(Home.soundd)" monitor \(arguments)'
    code=$?
    stty -g > '\(home("after"))'
    echo "code $code"
    """
  }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: home(name), encoding: .utf8) }

  private func pid() throws -> pid_t {
    let text = try text("pid").trimmingCharacters(in: .whitespacesAndNewlines)
    guard let pid = pid_t(text) else { throw TimedOut(description: "no pid: \(text)") }
    return pid
  }

  private func life() throws -> String? {
    let alarms = try JSON.array(try home.connect().ask("alarms --all"))
    return alarms.first?["state"] as? String
  }

  /// Checks that the terminal is as it was.
  private func checkEnd(_ pane: Pane, code: Int) throws {
    try pane.wait(for: "code \(code)")
    #expect(try text("before") == text("after"))
    #expect(try pane.says("#{alternate_on} #{cursor_flag}") == "0 1")
  }

  // MARK: The picture

  @Test(arguments: [(60, 12), (80, 24), (300, 100)])
  func `each part is on the screen`(columns: Int, rows: Int) throws {
    let pane = try Pane(home, script(), columns: columns, rows: rows)
    try pane.wait(for: "reactor too hot", "LAST VERDICTS", "none clock", "q quit")
    var lines: [String] = []
    try eventually("the first verdicts") {
      lines = try pane.lines()
      return lines.contains { $0.contains("outside: ") }
    }
    #expect(lines.count == rows)
    #expect(lines[0] == "ALARMS AND SOUNDS")
    #expect(lines[1].hasPrefix("> reactor too hot  active since "))
    #expect(lines[1].hasSuffix(", reactor = 95"))
    #expect(lines.contains { $0.contains("front door") && $0.contains("shut → open") && $0.contains("played") })
    #expect(lines.contains { $0.contains("20") && $0.contains("outside: ") })
    #expect(lines[rows - 2].hasPrefix("none clock  0 dB  not muted  profile full  xruns 0  p99 "))
    for line in lines { #expect(line.count <= columns) }
    #expect(try pane.says("#{alternate_on} #{cursor_flag}") == "1 0")
  }

  @Test func `a terminal that is too small says so, and a larger one has the picture again`() throws {
    let pane = try Pane(home, script(), columns: 20, rows: 5)
    let lines = try pane.wait(for: "too small: soundd", "monitor needs 60", "columns and 12 rows")
    #expect(lines.filter { !$0.isEmpty }.count == 3)
    try pane.resize(80, 24)
    try pane.wait(for: "reactor too hot  active", "q quit")
    try pane.resize(20, 5)
    try pane.wait(for: "too small: soundd")
  }

  @Test func `a storm of resizes ends with the right picture`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot", "q quit")
    for step in 0..<40 { try pane.resize(15 + step * 53 % 250, 4 + step * 29 % 80) }
    try pane.resize(80, 24)
    let fresh = try Pane(home, script())
    try fresh.wait(for: "reactor too hot  active", "q quit")
    try eventually("both show the same") { try fresh.lines() == pane.lines() && !pane.lines()[7].contains("too small") }
  }

  @Test func `what happens appears by itself`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot  active", "none clock")
    #expect(try home.run("set", "door=ajar").wait() == .exit(0))
    try eventually("the verdict") { try pane.lines().contains { $0.contains("open → ajar  not_to: ") } }
    #expect(try home.run("mute").wait() == .exit(0))
    try pane.wait(for: "none clock  0 dB  muted", "reactor too hot  suppressed: soundd is muted (active")
    #expect(try home.run("unmute").wait() == .exit(0))
    #expect(try home.run("profile", "silent").wait() == .exit(0))
    try pane.wait(for: "none clock  0 dB  not muted  profile silent", "reactor too hot  active")
    #expect(try home.run("set", "reactor=20").wait() == .exit(0))
    try eventually("no alarm") { try pane.lines()[1] == "  none" }
  }

  @Test func `text from outside does not act on the terminal`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot")
    #expect(try home.run("set", "door=\u{1B}[2J\u{1B}]0;evil\u{7}").wait() == .exit(0))
    try eventually("the verdict") { try pane.lines().contains { $0.contains(#"\u{1b}[2J"#) } }
    #expect(try pane.lines()[0] == "ALARMS AND SOUNDS")
    #expect(try pane.says("#{pane_title}") != "evil")
  }

  @Test func `the script of README's picture draws what it shows`() throws {
    let script = try home.start(program: Home.checkout + "/docs/monitor-picture", [Home.soundd, home("picture.svg")])
    #expect(try script.wait() == .exit(0))
    let picture = try String(contentsOfFile: home("picture.svg"), encoding: .utf8)
    for text in ["reactor  latched since", "freezer  acknowledged since", "played &#x27;alarm&#x27;", "q quit"] {
      #expect(picture.contains(text))
    }
  }

  // MARK: Keys

  @Test func `a acknowledges and s snoozes the alarm`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot  active")
    try pane.press("s")
    try pane.wait(for: "reactor too hot  snoozed until ", "reactor too hot is snoozed for 10 min")
    #expect(try life() == "snoozed")
    try pane.press("a")
    try pane.wait(for: "reactor too hot  acknowledged", "reactor too hot is now acknowledged")
    #expect(try life() == "acknowledged")
  }

  @Test func `the time of an alarm is the same text each time`() throws {
    let daemon = try home.connect()
    let times = try (0..<300).map { _ in
      try JSON.array(try daemon.ask("alarms")).first?["since"] as? String
    }
    #expect(Set(times).count == 1)
  }

  @Test func `m mutes, and plus and minus change the volume`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "none clock")
    try pane.press("m")
    try pane.wait(for: "none clock  0 dB  muted", "volume 0 dB, muted")
    try pane.press("-l", "-")
    try pane.wait(for: "none clock  -3 dB  muted")
    try pane.press("m")
    try pane.wait(for: "none clock  -3 dB  not muted")
    try pane.press("+")
    try pane.wait(for: "none clock  0 dB  not muted")
    #expect(try home.status()["volume"] as? Double == 1)
  }

  @Test func `Enter explains the selected trigger, and the question mark the keys`() throws {
    let pane = try Pane(home, script())
    // The first verdicts come after the alarms; before that there is no second row.
    try pane.wait(for: "reactor too hot  active", "q quit")
    try eventually("the first verdicts") { try pane.lines().contains { $0.contains("shut → open") } }
    try pane.press("Down")
    try eventually("the second row is selected") { try pane.lines()[3].hasPrefix("> ") }
    try pane.press("Enter")
    try pane.wait(for: "front door (door)", "TIME", "any other key: back")
    try pane.press("Escape")
    try pane.wait(for: "ALARMS AND SOUNDS")
    try pane.press("?")
    try pane.wait(for: "KEYS", "Space        pause")
    try pane.press("x")
    try pane.wait(for: "ALARMS AND SOUNDS")
  }

  @Test func `Space pauses the drawing`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot  active", "none clock")
    try pane.press("Space")
    let before = try pane.wait(for: "LAST VERDICTS (paused")
    #expect(try home.run("set", "door=shut").wait() == .exit(0))
    // The daemon answers after its events, and so does the monitor after having read them.
    try pane.press("Down")
    try eventually("the key") { try pane.lines() != before }
    #expect(try !pane.lines().contains { $0.contains("open → shut") })
    try pane.press("Space")
    try eventually("the verdict") { try pane.lines().contains { $0.contains("open → shut") } }
  }

  // MARK: Ends

  @Test(arguments: [("q", 0), ("C-c", 130), ("C-\\", 131)])
  func `a key that ends it gives the terminal back`(key: String, code: Int) throws {
    let pane = try Pane(home, "ulimit -c 0\n" + script())
    try pane.wait(for: "reactor too hot")
    try pane.press(key)
    try checkEnd(pane, code: code)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal that ends it gives the terminal back`(signal: Int32) throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot")
    kill(try pid(), signal)
    try checkEnd(pane, code: 128 + Int(signal))
  }

  @Test func `an error gives the terminal back`() throws {
    let pane = try Pane(home, script("--socket ''"))
    try checkEnd(pane, code: 64)
  }

  @Test func `a stop gives the terminal back, and it goes on`() throws {
    let pane = try Pane(
      home,
      """
      set -m
      stty -g > '\(home("before"))'
      '\(Home.soundd)' monitor
      stty -g > '\(home("after"))'
      echo stopped
      read -r line
      fg > '\(home("job"))'
      code=$?
      stty -g > '\(home("after"))'
      echo "code $code"
      """)
    try pane.wait(for: "reactor too hot", "q quit")
    try pane.press("C-z")
    try pane.wait(for: "stopped")
    #expect(try text("before") == text("after"))
    #expect(try pane.says("#{alternate_on} #{cursor_flag}") == "0 1")
    try pane.press("Enter")
    try pane.wait(for: "reactor too hot  active", "q quit")
    #expect(try pane.says("#{alternate_on} #{cursor_flag}") == "1 0")
    try pane.press("s")
    try pane.wait(for: "reactor too hot  snoozed")
    try pane.press("q")
    try checkEnd(pane, code: 0)
  }

  @Test func `a terminal that goes away ends it`() throws {
    let pid: pid_t
    do {
      let pane = try Pane(home, script())
      try pane.wait(for: "reactor too hot")
      pid = try self.pid()
      try pane.press("x")
    }
    try eventually("it has ended") { kill(pid, 0) != 0 }
  }

  // MARK: The daemon

  @Test mutating func `a daemon that dies is waited for`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot", "none clock")
    try eventually("the first verdicts") { try pane.lines().contains { $0.contains("shut → open") } }
    daemon.send(signal: SIGKILL)
    try daemon.wait()
    let lines = try pane.wait(
      for: "device –  volume –  mute –  profile –  xruns –  p99 –", "– trying again each second: ")
    // Another daemon counts changes from the beginning.
    #expect(lines.contains("  none yet") && !lines.contains { $0.contains("shut → open") })
    try pane.press("m")
    try pane.wait(for: "there is no connection to soundd")
    daemon = try home.daemon(Self.configuration, "--device", "none")
    try pane.wait(for: "none clock  0 dB  not muted")
    #expect(try home.run("set", "door=shut").wait() == .exit(0))
    #expect(try home.run("set", "door=wide").wait() == .exit(0))
    try eventually("the verdict") { try pane.lines().contains { $0.contains("shut → wide") } }
    try pane.press("q")
    try checkEnd(pane, code: 0)
  }

  @Test func `it waits for a daemon that does not run yet`() throws {
    let pane = try Pane(home, script("--socket '\(home("run/other"))'"), columns: 200)
    try pane.wait(for: "– trying again each second: no soundd is running on \(home("run/other"))")
  }

  // MARK: Other ways of printing

  @Test func `once prints one picture`() throws {
    let program = try home.run("monitor", "--once")
    #expect(try program.wait() == .exit(0))
    let lines = program.text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "ALARMS AND SOUNDS")
    #expect(lines[1].hasPrefix("  reactor too hot  active since "))
    #expect(lines.contains("LAST VERDICTS"))
    #expect(lines.contains { $0.contains("shut → open") && $0.contains("played") })
    #expect(lines.last?.hasPrefix("none clock  0 dB  not muted") == true)
    #expect(!program.text.contains("\u{1B}"))
    #expect(try home.run("monitor", "--once", "--socket", home("nowhere")).wait() == .exit(69))
  }

  @Test mutating func `plain prints a line for each event`() throws {
    let program = try home.start("monitor", "--plain")
    try program.waitForOutput(containing: "connected to soundd\n")
    #expect(program.text.contains("alarm reactor too hot: active since "))
    #expect(try home.run("set", "door=ajar").wait() == .exit(0))
    try program.waitForOutput(containing: "front door: not_to: ")
    #expect(try home.run("mute").wait() == .exit(0))
    try program.waitForOutput(containing: "volume 0 dB, muted, profile full\n")
    daemon.send(signal: SIGKILL)
    try daemon.wait()
    try program.waitForOutput(containing: "trying again each second: ")
    daemon = try home.daemon(Self.configuration, "--device", "none")
    try eventually("it is connected again") {
      program.look()
      return program.text.components(separatedBy: "connected to soundd\n").count == 3
    }
    #expect(!program.text.contains("\u{1B}"))
    program.send(signal: SIGTERM)
    #expect(try program.wait() == .signal(SIGTERM))
  }

  @Test func `without a terminal it names what works there`() throws {
    let program = try home.run("monitor")
    #expect(try program.wait() == .exit(64))
    #expect(program.errors.hasPrefix("soundd: standard output is no terminal: use --once "))
    #expect(program.errors.contains("--plain"))
    #expect(try home.run("monitor", "--once", "--plain").wait() == .exit(64))
  }

  @Test func `a dumb terminal gets lines and a note`() throws {
    let pane = try Pane(home, script(), environment: ["TERM": "dumb"])
    let lines = try pane.wait(for: "soundd: this terminal (TERM)", "connected to soundd")
    #expect(!lines.contains("ALARMS AND SOUNDS"))
    try pane.press("C-c")
    try checkEnd(pane, code: 130)
  }

  @Test func `colours are left out where nobody wants them`() throws {
    let colours = try Pane(home, script())
    try colours.wait(for: "reactor too hot")
    #expect(try colours.coloured().contains("\u{1B}[31m") || colours.coloured().contains(";31m"))
    let plain = try Pane(home, script(), environment: ["NO_COLOR": "1"])
    try plain.wait(for: "reactor too hot", "q quit")
    #expect(try !plain.coloured().contains("\u{1B}["))
  }

  @Test func `without Unicode there is only ASCII`() throws {
    let pane = try Pane(home, script(), environment: ["LC_ALL": "", "LANG": "C"])
    try pane.wait(for: "reactor too hot", "none clock")
    try eventually("the first verdicts") { try pane.lines().contains { $0.contains("shut > open") } }
    #expect(try pane.lines().joined().utf8.allSatisfy { $0 < 0x80 })
  }

  // MARK: What it costs

  @Test(.disabled(if: Program.hasTickingThread, "a thread of the sanitizer never rests"))
  func `at rest it does not wake up`() throws {
    let pane = try Pane(home, script())
    try pane.wait(for: "reactor too hot", "none clock")
    let pid = try pid()
    func switches() throws -> Int {
      let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return line?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
    }
    var before = 0
    // The status is asked for a second after the last event.
    try eventually("it rests") {
      before = try switches()
      poll(nil, 0, 1500)
      return try switches() == before
    }
    poll(nil, 0, 2000)
    #expect(try switches() == before)
  }
}
