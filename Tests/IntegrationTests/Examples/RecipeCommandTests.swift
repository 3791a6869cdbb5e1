import Foundation
import Testing

/// `soundd add` and `soundd remove`, as a user runs them.
struct RecipeCommandTests {
  private let home: Home
  /// All three agents are installed.
  private let machine: [String: String]

  init() throws {
    home = try Home()
    try FileManager.default.removeItem(atPath: home("config"))
    for name in ["claude", "codex", "opencode"] { try home.writeProgram("bin/\(name)", "#!/bin/sh\n") }
    machine = ["PATH": home("bin") + ":/usr/bin:/bin"]
  }

  /// The regular files, without those of the daemon.
  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: home("")).filter { name in
      !name.hasPrefix("run") && !name.hasPrefix("data") && !name.hasPrefix(".local/state/soundd/state")
        && !name.hasPrefix(".local/state/soundd/good/")
        && (try? FileManager.default.attributesOfItem(atPath: home(name))[.type] as? FileAttributeType) == .typeRegular
    }
  }

  @Test func `one command leads from an empty home to the first sound of a hook, and one back`() throws {
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    let before = try files()
    let plan = try home.run("add", "agent", "--dry-run", environment: machine)
    #expect(
      plan.text.contains("\nwith your consent:\nnew file \(home(".claude/settings.json"))\n  + hooks."), "\(plan.text)")
    #expect(try files() == before)
    // Without a terminal, the rest is a command to type.
    let own = try home.run("add", "agent", environment: machine)
    #expect(try own.wait() == .exit(0), "\(own.errors)")
    #expect(own.text.hasSuffix("\nto do that: soundd add agent --yes\n"), "\(own.text)")
    #expect(!FileManager.default.fileExists(atPath: home(".claude")))
    try daemon.waitForErrors("soundd: reloaded: ")
    let add = try home.run("add", "agent", "--yes", environment: machine)
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    let settings = try JSON.object(String(contentsOfFile: home(".claude/settings.json"), encoding: .utf8))
    let stop = ((settings["hooks"] as? [String: Any])?["Stop"] as? [[String: Any]])?.first?["hooks"] as? [[String: Any]]
    let hook = try #require(stop?.first?["command"] as? String)
    let run = try home.start(
      program: "/bin/sh", ["-c", hook], input: .text("{\"hook_event_name\": \"Stop\", \"session_id\": \"s1\"}"),
      environment: try home.scriptEnvironment().merging(["XDG_DATA_HOME": home("data")]) { $1 })
    #expect(try run.wait() == .exit(0), "\(run.errors)")
    try home.expect("agent-done[agent/s1]", ["done played"])
    #expect(
      try home.run("recipes").text.split(separator: "\n").contains { $0.hasPrefix("agent ") && $0.contains(" on ") })
    #expect(try home.run("remove", "agent").wait() == .exit(0))
    #expect(try files() == before)
    try eventually("no trigger is left") { try (home.status()["triggers"] as? [Any])?.isEmpty == true }
  }

  @Test func `recipes prints one, and has add and remove as well`() throws {
    let shown = try home.run("recipes", "geiger")
    #expect(try shown.wait() == .exit(0))
    #expect(shown.text.hasPrefix("# A Geiger counter for errors") && shown.text.contains("[[trigger]]"))
    #expect(!shown.text.contains("#: "))
    let unknown = try home.run("recipes", "giger")
    #expect(try unknown.wait() == .exit(66))
    #expect(unknown.errors.contains("there is no recipe 'giger' (did you mean 'geiger'?)"))
    #expect(try home.run("recipes", "add", "geiger").wait() == .exit(0))
    #expect(FileManager.default.fileExists(atPath: home("config/soundd/config.d/geiger.toml")))
    #expect(try home.run("recipes", "remove", "geiger").wait() == .exit(0))
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/config.d/geiger.toml")))
  }

  @Test func `killed at any moment, add finishes and remove leaves no file`() throws {
    let names = ["agent", "cron", "mqtt", "shell"]
    try home.write(".bashrc", "# mine\n")
    let before = try files()
    for round in 0..<24 {
      let add = try home.start(["add", "--yes"] + names, environment: machine)
      poll(nil, 0, Int32(round))
      add.send(signal: SIGKILL)
      _ = try add.wait()
      #expect(try home.run(["add", "--yes"] + names, environment: machine).wait() == .exit(0))
      let remove = try home.start(["remove"] + names)
      poll(nil, 0, Int32(23 - round))
      remove.send(signal: SIGKILL)
      _ = try remove.wait()
      _ = try home.run(["remove"] + names)
      #expect(try files() == before, "round \(round)")
      #expect(try String(contentsOfFile: home(".bashrc"), encoding: .utf8) == "# mine\n")
    }
  }

  @Test func `on a terminal each change is shown, and only yes makes it`() throws {
    let answers = "y\\nno\\n"
    let command = "printf '\(answers)' | script -qec '\(Home.soundd) add agent' /dev/null"
    let add = try home.start(program: "/bin/sh", ["-c", command], environment: machine)
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    #expect(add.text.contains("Do that? [y/N] "), "\(add.text)")
    // Two answers for three questions: the end of input is no.
    #expect(FileManager.default.fileExists(atPath: home(".claude/settings.json")), "\(add.text)")
    #expect(!FileManager.default.fileExists(atPath: home(".codex")))
    #expect(!FileManager.default.fileExists(atPath: home("config/opencode")))
    #expect(add.text.contains("to decide again: soundd add agent"), "\(add.text)")
  }

  @Test func `a home that cannot be written is named, with what to do`() throws {
    try FileManager.default.createDirectory(atPath: home("config"), withIntermediateDirectories: true)
    let add = try home.run("add", "mail", environment: ["XDG_STATE_HOME": "/proc/nowhere"])
    #expect(try add.wait() == .exit(74))
    #expect(
      add.errors.contains("/proc/nowhere") && add.errors.hasSuffix("; nothing was changed\n"), "\(add.errors)")
  }
}
