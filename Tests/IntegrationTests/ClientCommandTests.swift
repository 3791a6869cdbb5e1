import Foundation
import TestSupport
import Testing

/// `set`, `get`, `list`, `play`, `status`, `reload` as programs, and what they exit with.
struct ClientCommandTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    daemon = try home.daemon(
      """
      [value.level]
      type = "number"
      [[trigger]]
      value = "a"
      sound = "tick"
      """, "--device", "none")
  }

  @Test func `what was set can be got`() throws {
    #expect(try home.run("set", "a=one two").wait() == .exit(0))
    let get = try home.run("get", "a")
    #expect(try get.wait() == .exit(0))
    #expect(get.text == "one two\n")
    let json = try home.run("get", "--json", "a")
    #expect(try JSON.object(json.text)["value"] as? String == "one two")
    let list = try home.run("list")
    #expect(list.text.split(separator: "\n").contains("a=one two"))
    let listed = try JSON.array(try home.run("list", "--json").text)
    #expect(listed.compactMap { $0["name"] as? String }.sorted() == ["a", "level"])
  }

  @Test func `several values are one transaction`() throws {
    #expect(try home.run("set", "a=1", "level=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2", "level=2", "a=1").wait() == .exit(0))
    #expect(try home.played("a") == 0)
    #expect(try home.value("level")["value"] as? Int == 2)
    let refused = try home.run("set", "a=3", "level=much")
    #expect(try refused.wait() == .exit(77))
    #expect(refused.errors.contains("'much' is not a number"))
    #expect(try home.value("a")["value"] as? String == "1")
  }

  @Test func `set - sends lines and reports each that is refused`() throws {
    let program = try home.run("set", "-", input: .text("a=1\nlevel=x\n{\"a\": \"2\", \"level\": 7}\nnonsense\na=3"))
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.contains("line 2: "))
    #expect(program.errors.contains("line 4: "))
    #expect(try home.value("a")["value"] as? String == "3")
    #expect(try home.value("level")["value"] as? Int == 7)
    #expect(try home.played("a") == 2)
    #expect(try home.run("set", "-", input: .nothing).wait() == .exit(0))
  }

  @Test func `a value with a line break arrives whole, and breaks no list`() throws {
    #expect(try home.run("set", "a=one\ntwo\u{1B}[2J").wait() == .exit(0))
    #expect(try home.value("a")["value"] as? String == "one\ntwo\u{1B}[2J")
    #expect(try home.run("list").text.split(separator: "\n").contains(#"a=one\ntwo\u{1b}[2J"#))
    // What is no terminal gets it as it is.
    #expect(try home.run("get", "a").text == "one\ntwo\u{1B}[2J\n")
  }

  @Test func `a terminal is shown escapes`() throws {
    #expect(try home.run("set", "a=one\ntwo\u{1B}[2J").wait() == .exit(0))
    // script(1) runs it on a terminal.
    let program = try home.start(
      program: "/usr/bin/script", ["-qec", "'\(Home.soundd)' get a", "/dev/null"])
    #expect(try program.wait() == .exit(0))
    #expect(program.text.contains(#"one\ntwo\u{1b}[2J"#))
  }

  @Test(arguments: [
    ["set"], ["set", "a"], ["set", "=1"], ["get"], ["get", "a", "b"], ["play"], ["frobnicate"], [],
    ["status", "--frobnicate"], ["run", "--socket", "x", "--no-socket"], ["run", "nonsense"],
    ["play", "--device", "none", "tick"], ["run", "--log-level", "loud"], ["set", "--socket", "", "a=1"],
    ["get", ""], ["get", "-a"], ["get", "ä"], ["set", "a=1", "ä=1"], ["set", ""],
  ])
  func `a command line that makes no sense is a usage error`(arguments: [String]) throws {
    let program = try home.start(arguments)
    if arguments.isEmpty {
      // Without a command it shows what there is.
      #expect(try program.wait() == .exit(0))
      #expect(program.text.contains("USAGE: soundd"))
    } else {
      #expect(try program.wait() == .exit(64))
      #expect(program.errors.hasPrefix("soundd: "))
    }
  }

  @Test func `set shows how to write what it does not understand`() throws {
    for (arguments, end) in [
      (["build", "failed"], "'build' is not NAME=VALUE, such as build=failed (did you mean 'build=failed'?)"),
      (["build", "=", "failed"], "'build' is not NAME=VALUE, such as build=failed (did you mean 'build=failed'?)"),
      (["build"], "'build' is not NAME=VALUE, such as build=failed"),
      (["a=1", "b"], "'b' is not NAME=VALUE, such as build=failed"),
      (["build=", "failed"], "'failed' is not NAME=VALUE, such as build=failed"),
      (["b c", "d"], "'b c' is not NAME=VALUE, such as build=failed"),
    ] {
      let program = try home.run(["set"] + arguments)
      #expect(try program.wait() == .exit(64))
      #expect(program.errors == "soundd: \(end)\n")
    }
  }

  @Test func `a value without content and one that nobody knows are told apart`() throws {
    let empty = try home.run("get", "level")
    #expect(try empty.wait() == .exit(66))
    #expect(empty.errors == "soundd: 'level' has no content yet\n")
    let unknown = try home.run("get", "nothing")
    #expect(try unknown.wait() == .exit(66))
    #expect(unknown.errors == "soundd: there is no value 'nothing' (see 'soundd list')\n")
    #expect(try home.run("get", "levle").errors == "soundd: there is no value 'levle' (did you mean 'level'?)\n")
  }

  @Test(arguments: [["play"], ["play", "--local", "--device", "none"]]) func `a sound that is not there is no input`(
    command: [String]
  ) throws {
    for sound in ["./missing.wav", "/nowhere/missing.wav", "nothing"] {
      let program = try home.run(command + [sound])
      #expect(try program.wait() == .exit(66), "\(command) \(sound): \(program.errors)")
    }
    // One that is there is not missing.
    try home.write("bad.wav", "no sound")
    let program = try home.run(command + [home("bad.wav")])
    let status = try program.wait()
    #expect(status != .exit(66) && status != .exit(0))
    #expect(program.errors.contains("to convert it: ffmpeg -i \(home("bad.wav")) \(home("bad.wav")).wav"))
  }

  @Test func `play sounds by name and by a path of the caller's folder`() throws {
    #expect(try home.run("play", "success").wait() == .exit(0))
    try home.write("long.wav", Recording.sine(seconds: 3))
    #expect(try home.run("play", "./long.wav").wait() == .exit(0))
    #expect(try home.status()["voices"] as? Int ?? 0 > 0)
    for (command, note) in [
      (["mute"], "soundd: it plays unheard: soundd is muted ('soundd unmute')\n"), (["unmute"], ""),
      (["volume", "0"], "soundd: it plays unheard: the volume is 0 ('soundd volume \"-6 dB\"')\n"),
      (["volume", "1"], ""),
    ] {
      #expect(try home.start(command).wait() == .exit(0))
      let played = try home.run("play", "success")
      #expect(try played.wait() == .exit(0))
      #expect(played.errors == note)
    }
    let missing = try home.run("play", "nothing")
    #expect(try missing.wait() == .exit(66))
    #expect(missing.errors.contains("no sound is called 'nothing'"))
    let file = try home.run("play", "long.wav")
    #expect(try file.wait() == .exit(66))
    #expect(file.errors.hasSuffix("\nsoundd: to play the file in this folder: ./long.wav\n"))
    #expect(try home.run("play", "success.wav").errors.contains("(did you mean 'success'?)"))
  }

  @Test(arguments: [["mute", ""], ["volume", ""], ["volume", "up", ""], ["run", "file.toml"]])
  func `an argument that can mean nothing is an error of the command line`(arguments: [String]) throws {
    let program = try home.run(arguments)
    #expect(try program.wait() == .exit(64))
    if arguments[0] == "run" { #expect(program.errors.contains("--config file.toml")) }
    #expect(try home.status()["muted"] as? Bool == false)
  }

  @Test func `status is a table for people and JSON for programs`() throws {
    let table = try home.run("status")
    #expect(try table.wait() == .exit(0))
    #expect(table.text.contains("TRIGGER"))
    #expect(!table.text.contains("\u{1B}"))
    let json = try home.run("status", "--json")
    #expect(try JSON.object(json.text)["triggers"] is [Any])
  }

  /// Commands that print something.
  private static let printing = [
    "get a", "get a --json", "list", "list --json", "status", "status --json", "check", "explain a", "explain a --json",
    "sounds", "sounds --json", "devices", "devices --json", "doctor", "doctor --json", "volume", "volume up", "mute",
    "mute toggle", "unmute", "profile", "profile full", "events --state", "events --state --pretty", "help", "help set",
    "--version",
  ]

  @Test func `a command whose reader is gone ends like any filter`() throws {
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    // A pipe whose reader has ended.
    let wrapper = ["/bin/bash", "-c", #"exec 3> >(:); wait $!; exec "$@" >&3"#, "bash"]
    for command in Self.printing {
      let program = try home.start(command.split(separator: " ").map(String.init), through: wrapper)
      #expect(try program.wait() == .signal(SIGPIPE), "\(command)")
      #expect(!program.errors.contains("cannot write"), "\(command)")
    }
  }

  @Test func `output that cannot be written is an I-O error`() throws {
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    for command in Self.printing {
      let program = try home.start(command.split(separator: " ").map(String.init), output: "/dev/full")
      #expect(try program.wait() == .exit(74), "\(command)")
      // `check` has warned before that no trigger uses 'level'.
      #expect(program.errors.contains("soundd: cannot write to standard output: "), "\(command)")
    }
  }

  @Test(arguments: [
    ["set", "a=1"], ["get", "a"], ["list"], ["play", "tick"], ["status"], ["reload"], ["set", "-"],
    ["volume"], ["volume", "-6 dB"], ["mute"], ["unmute"], ["stop"], ["stop", "a"], ["explain", "a"], ["events"],
  ])
  func `without a daemon there is nobody to ask`(arguments: [String]) throws {
    let home = try Home()
    let program = try home.start(arguments)
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.hasPrefix("soundd: no soundd is running on \(home.socket)"))
    #expect(program.errors.contains("soundd run"))
    #expect(program.errors.contains("soundd play --local tick\n") == (arguments.first == "play"))
  }

  @Test(arguments: [
    ["set", "a=1"], ["set", "-"], ["set", "--stdin", "a"], ["play", "tick"], ["stop"], ["mute"], ["unmute"], ["volume"],
    ["volume", "-6 dB"], ["profile", "quiet"], ["reload"],
  ])
  func `a hook may run without a daemon`(arguments: [String]) throws {
    let home = try Home()
    let program = try home.start(arguments + ["--if-running"])
    #expect(try program.wait() == .exit(0))
    #expect(program.text + program.errors == "")
  }

  @Test func `a hook's other errors stay errors`() throws {
    for (arguments, code) in [
      (["set", "--if-running", "level=x"], 77), (["set", "--if-running", "level"], 64),
      (["set", "--if-running", "--socket", "", "a=1"], 64), (["play", "--if-running", "nothing"], 66),
      (["get", "--if-running", "a"], 64), (["play", "--if-running", "--local", "tick"], 64),
    ] as [([String], Int32)] {
      #expect(try home.run(arguments).wait() == .exit(code), "\(arguments)")
    }
    #expect(try home.run("set", "--if-running", "level=7").wait() == .exit(0))
    #expect(try home.value("level")["value"] as? Int == 7)
  }

  @Test func `a name that is probably misspelt is in the log and in the status`() throws {
    #expect(try home.run("set", "levl=3").wait() == .exit(0))
    let warning = "'levl' was set, but nothing in the configuration names it (did you mean 'level'?)"
    try daemon.waitForErrors("soundd: \(warning)\n")
    #expect(try home.warnings().contains(warning))
    #expect(try home.run("set", "something/else=3").wait() == .exit(0))
    #expect(try !home.warnings().joined().contains("something/else"))
    // Once it is declared, nothing is wrong.
    try home.write("config/soundd/config.toml", "[value.levl]\ntype = \"number\"\n[value.level]\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try !home.warnings().contains(warning))
  }

  @Test func `of many new names at once each is looked at`() throws {
    let names = (1...20).map { "a/new/name/\($0)=1\n" }.joined()
    #expect(try home.run(["set", "-"], input: .text(names + "levl=3\n")).wait() == .exit(0))
    // Some in each turn of the daemon's loop.
    for _ in 0..<3 { #expect(try home.run("set", "level=1").wait() == .exit(0)) }
    try daemon.waitForErrors("soundd: 'levl' was set, but nothing in the configuration names it")
  }

  @Test func `a name that only a derived value names is not taken for misspelt`() throws {
    let home = try Home()
    let daemon = try home.daemon("[output]\ndevice = 'none'\n[value.reactor1]\nof = 'reactor'\n")
    #expect(try home.run("set", "reactor=3").wait() == .exit(0))
    #expect(try !home.warnings().joined().contains("was set"))
    #expect(!daemon.errors.contains("was set"), "\(daemon.errors)")
  }

  @Test func `the log names configuration and socket, and for debugging each play`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"", "--device", "none", "--log-level", "debug")
    try daemon.waitForErrors("(configuration \(home("config/soundd/config.toml")), socket \(home.socket))\n")
    for command in [["set", "a=1"], ["set", "a=2"], ["play", "success"], ["mute"], ["set", "a=3"]] {
      #expect(try home.run(command).wait() == .exit(0))
    }
    try daemon.waitForErrors("soundd: trigger 'a': plays 'tick'\n")
    try daemon.waitForErrors("soundd: by hand: plays 'success'\n")
    try daemon.waitForErrors("soundd: trigger 'a': plays 'tick', unheard because it is muted\n")
  }

  @Test(
    .enabled(if: MountNamespace.command != nil, "it takes the permission to mount: root or a user namespace"),
    .disabled(if: isSanitized, "a sanitizer needs /proc"))
  func `without /proc a command says that it has no command line`() throws {
    let wrapper = (MountNamespace.command ?? []) + ["sh", "-c", #"mount -t tmpfs none /proc && exec "$@""#, "sh"]
    for arguments in [["status"], ["set", "a=1"], ["--version"]] {
      let program = try home.start(arguments, through: wrapper)
      #expect(try program.wait() == .exit(74))
      #expect(program.text == "")
      #expect(program.errors.hasPrefix("soundd: cannot read the command line: /proc is missing "))
    }
  }

  @Test func `the socket can be named`() throws {
    #expect(try home.run("set", "--socket", home.socket, "a=5").wait() == .exit(0))
    let get = try home.start("get", "a", environment: ["SOUNDD_SOCKET": home.socket, "XDG_RUNTIME_DIR": "/nowhere"])
    #expect(try get.wait() == .exit(0))
    #expect(get.text == "5\n")
  }
}
