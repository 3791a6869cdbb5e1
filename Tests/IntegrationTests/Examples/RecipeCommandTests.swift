import Foundation
import Testing

/// `soundd add` and `soundd remove`, as a user runs them.
struct RecipeCommandTests {
  private let home: Home

  init() throws {
    home = try Home()
    try FileManager.default.removeItem(atPath: home("config"))
  }

  /// The regular files, without those of the daemon.
  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: home("")).filter { name in
      !name.hasPrefix("run") && !name.hasPrefix("data") && !name.hasSuffix("/soundd/state")
        && (try? FileManager.default.attributesOfItem(atPath: home(name))[.type] as? FileAttributeType) == .typeRegular
    }
  }

  @Test func `one command leads from an empty home to the first sound of a hook, and one back`() throws {
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    let plan = try home.run("add", "agent", "--dry-run")
    #expect(try files() == [])
    let add = try home.run("add", "agent")
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    #expect(add.text == plan.text)
    try daemon.waitForErrors("soundd: reloaded: ")
    let settings = try JSON.object(String(contentsOfFile: home(".claude/settings.json"), encoding: .utf8))
    let stop = ((settings["hooks"] as? [String: Any])?["Stop"] as? [[String: Any]])?.first?["hooks"] as? [[String: Any]]
    let hook = try #require(stop?.first?["command"] as? String)
    let run = try home.start(
      program: "/bin/sh", ["-c", hook], input: .text("{\"hook_event_name\": \"Stop\", \"session_id\": \"s1\"}"),
      environment: try home.scriptEnvironment())
    #expect(try run.wait() == .exit(0), "\(run.errors)")
    try home.expect("agent-done[agent/s1]", ["done played"])
    #expect(
      try home.run("recipes").text.split(separator: "\n").contains { $0.hasPrefix("agent ") && $0.contains(" on ") })
    #expect(try home.run("remove", "agent").wait() == .exit(0))
    #expect(try files() == [])
    try eventually("no trigger is left") { try (home.status()["triggers"] as? [Any])?.isEmpty == true }
  }

  @Test func `killed at any moment, add finishes and remove leaves no file`() throws {
    let names = ["agent", "cron", "mqtt", "shell"]
    try home.write(".bashrc", "# mine\n")
    let before = try files()
    for round in 0..<24 {
      let add = try home.start(["add"] + names)
      poll(nil, 0, Int32(round))
      add.send(signal: SIGKILL)
      _ = try add.wait()
      #expect(try home.run(["add"] + names).wait() == .exit(0))
      let remove = try home.start(["remove"] + names)
      poll(nil, 0, Int32(23 - round))
      remove.send(signal: SIGKILL)
      _ = try remove.wait()
      _ = try home.run(["remove"] + names)
      #expect(try files() == before, "round \(round)")
      #expect(try String(contentsOfFile: home(".bashrc"), encoding: .utf8) == "# mine\n")
    }
  }
}
