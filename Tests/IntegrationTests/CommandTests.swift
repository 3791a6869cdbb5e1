import Foundation
import Testing
import TestSupport

/// Values that commands report, in a running daemon.
struct CommandTests {
  private let home: Home

  init() throws { home = try Home() }

  private func configuration(_ values: String, watching names: String...) -> String {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    return values + "\n[[trigger]]\nname = \"t\"\nvalue = [\(list)]\nsound = \"tick\"\n"
  }

  /// What `status` says of a command.
  private func command(_ name: String, _ kind: String = "value") throws -> [String: Any] {
    let commands = try home.status()["commands"] as? [[String: Any]] ?? []
    guard let command = commands.first(where: { $0["name"] as? String == name && $0["kind"] as? String == kind }) else {
      throw TimedOut(description: "no command '\(name)' in \(commands)")
    }
    return command
  }

  private func wait(for content: String, of name: String) throws {
    // A value of a feed may not be there yet.
    try eventually("'\(name)' is '\(content)'") { "\((try? home.value(name))?["value"] ?? "")" == content }
  }

  private func pid(_ name: String, _ kind: String = "value") throws -> pid_t? {
    (try command(name, kind)["pid"] as? Int).map { pid_t($0) }
  }

  /// Whether a process is gone, or waits to be collected by the machine's first process.
  private func isGone(_ pid: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    return status.isEmpty || status.contains(") Z ")
  }

  // MARK: Values

  @Test func `what a polled command prints is looked at as a file is, also over a restart`() throws {
    try home.write("state", "1")
    let text = configuration(
      "[value.v]\ncommand = [\"cat\", \"\(home("state"))\"]\nevery = \"1 s\"\ntype = \"number\"", watching: "v")
    let first = try home.daemon(text, "--device", "none")
    try wait(for: "1", of: "v")
    #expect(try home.trigger("t")["changes"] as? Int == 0)
    try home.replace("state", "2")
    try wait(for: "2", of: "v")
    #expect(try home.trigger("t")["changes"] as? Int == 1)
    first.send(signal: SIGTERM)
    #expect(try first.wait() == .exit(0))
    try home.replace("state", "3")
    let second = try home.daemon(
      text.replacing("name = \"t\"", with: "name = \"t\"\ninitial = \"if-changed\""), "--device", "none")
    try wait(for: "3", of: "v")
    try eventually("it differs from the last run") { try home.decided("t") == 1 }
    withExtendedLifetime(second) {}
  }

  @Test func `a failure keeps the last content, and get, list, status and doctor say why`() throws {
    let daemon = try home.daemon(
      configuration(
        "[value.v]\ncommand = \"cat ok || { echo broken >&2; exit 3; }\"\nevery = \"1 s\"", watching: "v"),
      "--device", "none")
    let problem = "it ended with exit status 3: 'broken'"
    try eventually("it has failed") { try home.value("v")["problem"] as? String == problem }
    try home.write("config/soundd/ok", "fine\n")
    try wait(for: "fine", of: "v")
    #expect(try home.value("v")["problem"] == nil)
    try FileManager.default.removeItem(atPath: home("config/soundd/ok"))
    try eventually("it has failed again") { try home.value("v")["problem"] as? String == problem }
    #expect(try home.value("v")["value"] as? String == "fine")
    #expect(try home.run("list").text.contains("v=fine  (\(problem))\n"))
    let get = try home.run("get", "v")
    #expect(get.text == "fine\n")
    #expect(get.errors == "soundd: 'v' keeps its last content: \(problem)\n")
    let warning = "\(home("config/soundd/config.toml")):2:11: value.v.command: \(problem)"
    #expect(try home.warnings() == [warning])
    #expect(try home.run("doctor").text.contains(problem))
    try daemon.waitForErrors("soundd: value 'v': \(problem)\n")
  }

  @Test func `setting such a value is refused`() throws {
    let daemon = try home.daemon(
      configuration("[value.v]\ncommand = \"echo 1\"\nevery = \"60 s\"", watching: "v"), "--device", "none")
    let program = try home.run("set", "v=2")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors == "soundd: 'v' is what a command reports, and cannot be set\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `too long a line and too long an output are counted as refused`() throws {
    let daemon = try home.daemon(
      configuration(
        """
        [value.line]
        command = "head -c 70000 /dev/zero; echo; echo b; exec sleep 1000"
        [value.all]
        command = "head -c 70000 /dev/zero"
        every = "60 s"
        """, watching: "line", "all"), "--device", "none")
    try wait(for: "b", of: "line")
    #expect(try home.value("line")["refused"] as? Int == 1)
    try eventually("it is refused") { try home.value("all")["refused"] as? Int == 1 }
    try daemon.waitForErrors("value 'all': more than 65536 bytes at once are too long for a value; the old one stays")
  }

  // MARK: Lives

  @Test func `a reload keeps the process of an unchanged command, and ends that of a changed one`() throws {
    let text = configuration(
      """
      [value.same]
      command = "echo a; exec sleep 1000"
      [value.other]
      command = "echo b; exec sleep 1001"
      """, watching: "same", "other")
    let daemon = try home.daemon(text, "--device", "none")
    try wait(for: "a", of: "same")
    try wait(for: "b", of: "other")
    let (same, other) = (try #require(try pid("same")), try #require(try pid("other")))
    try home.write(
      "config/soundd/config.toml", text.replacing("echo b", with: "echo c").replacing("tick", with: "message"))
    #expect(try home.run("reload").wait() == .exit(0))
    try wait(for: "c", of: "other")
    #expect(try pid("same") == same)
    try eventually("it has ended") { isGone(other) }
    withExtendedLifetime(daemon) {}
  }

  @Test func `soundd takes its commands along within 200 ms, whatever they do`() throws {
    let daemon = try home.daemon(
      configuration(
        "[value.v]\ncommand = \"trap '' TERM; echo $$; sleep 1000 & echo $!; wait; sleep 1000\"\ntype = \"event\"",
        watching: "v"), "--device", "none")
    try eventually("it runs") { try home.value("v")["updates"] as? Int == 2 }
    let child = try #require(Int(try home.value("v")["value"] as? String ?? "").map { pid_t($0) })
    let leader = try #require(try pid("v"))
    let start = DispatchTime.now().uptimeNanoseconds
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 < atMost(1))
    try eventually("nothing is left") { isGone(leader) && isGone(child) }
  }

  @Test func `if soundd is killed its children end`() throws {
    let daemon = try home.daemon(
      configuration(
        "[value.v]\ncommand = \"trap '' TERM; echo up; while :; do read x < /dev/zero; done\"", watching: "v"),
      "--device", "none")
    try wait(for: "up", of: "v")
    let child = try #require(try pid("v"))
    daemon.send(signal: SIGKILL)
    try daemon.wait()
    try eventually("it is gone") { isGone(child) }
  }

  @Test func `a command gets the limits and the umask of soundd's start, and none of its descriptors`() throws {
    let daemon = try home.daemon(
      configuration(
        "[value.v]\ncommand = \"ulimit -n; umask; ls /proc/self/fd | wc -l; env | grep -c NOTIFY_SOCKET; chrt -p $$\"\n"
          + "every = \"60 s\"", watching: "v"), "--device", "none",
      environment: ["NOTIFY_SOCKET": home("none")])
    try eventually("it has run") { try home.value("v")["value"] is String }
    let lines = try #require(try home.value("v")["value"] as? String).split(separator: "\n")
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #expect(lines[0] == "\(limit.rlim_cur)")
    // The fourth is that of ls itself.
    #expect(lines[2] == "4")
    #expect(lines[3] == "0")
    #expect(lines[4].hasSuffix("SCHED_OTHER"))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a thousand runs leave neither a zombie nor a descriptor`() throws {
    let values = (0..<150).map { "[value.v\($0)]\ncommand = [\"true\"]\nevery = \"1 s\"\n" }.joined()
    let daemon = try home.daemon(configuration(values, watching: "v0"), "--device", "none")
    func starts() throws -> Int {
      (try home.status()["commands"] as? [[String: Any]] ?? []).reduce(0) { $0 + ($1["starts"] as? Int ?? 0) }
    }
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
    }
    try eventually("all have run") { try starts() >= 150 }
    let before = try descriptors()
    try eventually("a thousand runs") { try starts() >= 1000 }
    // Eight may run at this moment, with three descriptors each.
    #expect(try descriptors() <= before + 8 * 3)
    try eventually("there is a moment without a child") {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/task").allSatisfy { thread in
        try String(contentsOfFile: "/proc/\(daemon.pid)/task/\(thread)/children", encoding: .utf8).isEmpty
      }
    }
  }

  @Test(.disabled(if: Program.hasTickingThread))
  func `a quiet program costs no wake-up`() throws {
    let daemon = try home.daemon(
      configuration("[value.v]\ncommand = \"echo a; exec sleep 1000\"", watching: "v"), "--device", "none")
    try wait(for: "a", of: "v")
    // On a busy machine, what the start has begun (the state, the configuration's copy) may still be under way.
    try daemon.waitForRest(seconds: 6)
  }

  /// What a command prints, with a single blank for each white space: without its columns and breaks.
  private func words(of command: String) throws -> String {
    let program = try home.run(command)
    _ = try program.wait()
    return String(decoding: program.output, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  // MARK: Feeds

  private static let feed = """
    [[feed]]
    name = "broker"
    prefix = "mqtt/"
    command = "cat pipe"
    [[trigger]]
    name = "t"
    value = "mqtt/door"
    sound = "tick"

    """

  @Test func `a feed sets what is beneath its prefix, and runs on over a reload`() throws {
    let pipe = home("config/soundd/pipe")
    mkfifo(pipe, 0o600)
    let daemon = try home.daemon(Self.feed, "--device", "none")
    let writer = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    func say(_ text: String) { #expect(write(writer, text, text.utf8.count) == text.utf8.count) }
    say("door=shut\n{\"a\": 1, \"b\": 2}\nrefused: x=1\nlist\n")
    try wait(for: "2", of: "mqtt/b")
    #expect(try home.value("mqtt/door")["source"] as? String == "feed broker")
    try daemon.waitForErrors("feed 'broker': lines refused so far: 1, the last one: 'refused: x=1': ")
    try eventually("both are counted") { try command("broker", "feed")["refused"] as? Int == 2 }
    let last =
      "'list': a feed writes NAME=VALUE, a JSON object such as {\"NAME\": \"VALUE\"}, or a comment that begins with '#'"
    #expect(try command("broker", "feed")["refusal"] as? String == last)
    for name in ["status", "list", "doctor"] {
      let text = try words(of: name)
      #expect(text.contains("'broker': lines refused 2, the last at "), "\(name)")
      #expect(text.contains(last), "\(name)")
    }
    let program = try home.run("set", "mqtt/door=open")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors == "soundd: 'mqtt/door' belongs to the feed 'broker', and nobody else can set it\n")
    let unset = try home.run("unset", "mqtt/door")
    #expect(try unset.wait() == .exit(77))
    #expect(unset.errors == "soundd: 'mqtt/door' belongs to the feed 'broker', and nobody else can forget it\n")
    let before = try #require(try pid("broker", "feed"))
    try home.write("config/soundd/config.toml", Self.feed.replacing("tick", with: "message"))
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try pid("broker", "feed") == before)
    #expect(try home.value("mqtt/b")["value"] as? String == "2")
    say("{\"b\": null}\ndoor=open\n")
    try eventually("the door has changed") { try home.trigger("t")["changes"] as? Int == 1 }
    #expect(try home.connect().ask("get mqtt/b").contains("there is no value"))
  }

  @Test func `a feed names its values as its devices are named, and their alarm rings`() throws {
    try home.write(
      "topics",
      """
      home/Back Door={"battery":97,"contact":false}
      home/Küche={"battery":80,"contact":false}
      home/cellar={"battery":55,"contact":true}
      """ + "\n")
    let daemon = try home.daemon(
      """
      [[feed]]
      name    = "broker"
      prefix  = "mqtt/"
      command = ["sh", "-c", "cat \(home("topics")); sleep 1000"]

      [value."mqtt/home/*"]
      json = "/contact"
      type = "bool"

      [[trigger]]
      name  = "open"
      value = "mqtt/home/*"
      to    = false
      sound = "alarm"
      loop  = true
      """, "--device", "none")
    try wait(for: "0", of: "mqtt/home/Back%20Door")
    try eventually("both alarms are active") {
      let alarms = try home.status()["alarms"] as? [[String: Any]] ?? []
      return Set(alarms.compactMap { $0["state"] as? String == "active" ? $0["name"] as? String : nil })
        == ["open[mqtt/home/Back%20Door]", "open[mqtt/home/K%C3%BCche]"]
    }
    #expect(try command("broker", "feed")["refused"] as? Int == 0)
    let shown: [(command: String, names: [String])] = [
      ("list", ["mqtt/home/Back Door=false", "mqtt/home/Küche=false"]),
      ("alarms", ["open[mqtt/home/Back Door]", "mqtt/home/Küche"]),
      ("status", ["open[mqtt/home/Back Door]", "open[mqtt/home/Küche]"]),
    ]
    for (command, names) in shown {
      let text = try words(of: command)
      for name in names { #expect(text.contains(name), "\(command)") }
    }
    let get = try home.run("get", "mqtt/home/Back Door")
    #expect(try get.wait() == .exit(64))
    #expect(get.errors.contains("(did you mean 'mqtt/home/Back%20Door'?)"))
    let explain = try home.run("explain", "open[mqtt/home/Back Door]")
    #expect(try explain.wait() == .exit(66))
    #expect(explain.errors.contains("(did you mean 'open[mqtt/home/Back%20Door]'?)"))
    #expect(try home.run("ack", "open[mqtt/home/Back%20Door]").wait() == .exit(0))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a feed whose broker is gone is stale though its program runs, until it prints a line again`() throws {
    let pipe = home("config/soundd/pipe")
    mkfifo(pipe, 0o600)
    let daemon = try home.daemon(
      """
      [[feed]]
      name = "broker"
      prefix = "mqtt/"
      command = "cat pipe"
      expect_every = "300 ms"
      [[trigger]]
      name = "gone"
      value = "mqtt/*"
      when = "stale"
      sound = "tick"
      loop = true

      """, "--device", "none")
    let writer = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    func say(_ text: String) { #expect(write(writer, text, text.utf8.count) == text.utf8.count) }
    func life() throws -> String? {
      let alarms = try home.status()["alarms"] as? [[String: Any]] ?? []
      return alarms.first { $0["name"] as? String == "gone[mqtt/door]" }?["life"] as? String
    }
    say("door=shut\n")
    try wait(for: "shut", of: "mqtt/door")
    try eventually("it is stale") { try home.value("mqtt/door")["stale"] as? Bool == true }
    try eventually("the alarm rings") { try life() == "active" }
    #expect(try command("broker", "feed")["state"] as? String == "running")
    for name in ["status", "list", "doctor"] {
      let text = try words(of: name)
      #expect(text.contains("no accepted line since "), "\(name)")
      #expect(text.contains("and expect_every is 300 ms"), "\(name)")
    }
    try daemon.waitForErrors("no accepted line since ")
    say("# the broker is back\n")
    try daemon.waitForErrors("it works again")
    try eventually("the alarm is over") {
      say("# alive\n")
      return try life() == nil && home.value("mqtt/door")["stale"] as? Bool == false
    }
  }

  // MARK: Who may write

  @Test func `a configuration that others may write to runs nothing, and says what to do`() throws {
    let text = configuration("[value.v]\ncommand = \"echo 1\"\nevery = \"60 s\"", watching: "v")
    let file = try home.write("config/soundd/config.toml", text)
    chmod(file, 0o666)
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    let problem = "it does not run, because others may write to \(file): chmod go-w \(file), then: soundd reload"
    #expect(try home.warnings() == ["\(file):2:11: value.v.command: \(problem)"])
    #expect(try home.value("v")["problem"] as? String == problem)
    #expect(try home.run("check").errors.contains(problem))
    #expect(try home.run("set", "x=1").wait() == .exit(0))
    chmod(file, 0o644)
    #expect(try home.run("reload").wait() == .exit(0))
    try wait(for: "1", of: "v")
    #expect(try home.warnings() == [])
  }

  @Test func `check names a program that does not exist`() throws {
    try home.write(
      "config/soundd/config.toml",
      configuration("[value.v]\ncommand = [\"no-such-program\"]\nevery = \"60 s\"", watching: "v"))
    let check = try home.run("check")
    #expect(try check.wait() == .exit(0))
    #expect(
      check.errors.contains(
        "value.v.command: there is no program 'no-such-program' in PATH: install it, or write its whole path"))
  }
}
