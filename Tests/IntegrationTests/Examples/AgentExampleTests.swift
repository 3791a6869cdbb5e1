import Foundation
import Testing

/// The hooks of coding agents, run as the agents run them, with inputs that the real programs sent.
struct AgentExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  private struct Hooks: Decodable {
    struct Group: Decodable { var hooks: [Hook] }
    struct Hook: Decodable {
      var type: String
      var command: String
      var timeout: Int
      var async: Bool?
    }
    var hooks: [String: [Group]]
  }

  /// The commands that an agent's settings have for an event.
  private func commands(_ settings: String, event: String) throws -> [String] {
    let text = try Data(contentsOf: URL(fileURLWithPath: "\(Home.examples)/\(settings)"))
    let groups = try JSONDecoder().decode(Hooks.self, from: text).hooks[event] ?? []
    return groups.flatMap(\.hooks).map(\.command)
  }

  private func recorded(_ name: String) throws -> [String] {
    try String(contentsOfFile: "\(Home.checkout)/Tests/IntegrationTests/recorded/\(name)", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// What is heard if the hooks get these inputs 10 s apart.
  private func plays(_ settings: String, _ inputs: [String]) throws -> [String] {
    var timeline = ""
    for (index, input) in inputs.enumerated() {
      for content in try contents(settings, input) {
        let object = try JSONEncoder().encode(["agent": content])
        timeline += "\(index * 10) \(String(decoding: object, as: UTF8.self))\n"
      }
    }
    return try home.render(example: "agent/config.toml", timeline)
  }

  /// What the hooks for an event send to a soundd that only prints it.
  private func contents(_ settings: String, _ input: String) throws -> [String] {
    // Written once, because a program that is open for writing cannot be run.
    let isNew = !FileManager.default.fileExists(atPath: home("bin/soundd"))
    let soundd = "#!/bin/sh\ncase $3 in --stdin) cat ;; *) printf %s \"${3#*=}\" ;; esac\n"
    if isNew { try home.writeProgram("bin/soundd", soundd) }
    let event = try #require(try JSON.object(input)["hook_event_name"] as? String)
    return try commands(settings, event: event).map { try run($0, input).text }
  }

  /// Runs a hook as the agents do: by a shell, with the event as its standard input.
  private func run(_ command: String, _ input: String) throws -> Program {
    let hook = try home.start(
      program: "sh", ["-c", command], input: .text(input), environment: try home.scriptEnvironment())
    try hook.wait()
    return hook
  }

  /// Runs all hooks for an event; none may fail or say anything, because the agent would read it.
  private func fire(_ settings: String, _ input: String) throws {
    let event = try #require(try JSON.object(input)["hook_event_name"] as? String)
    for command in try commands(settings, event: event) {
      let hook = try run(command, input)
      #expect(try hook.wait() == .exit(0))
      #expect(hook.text + hook.errors == "", "\(event)")
    }
  }

  @Test func `Claude Code is heard when it needs you, is done or fails, and not its sub-agents`() throws {
    #expect(
      try plays("agent/claude-settings.json", recorded("claude.hooks")) == [
        "0 agent-needs-you plays message",
        "10 agent-done plays success",
        // At 20 a sub-agent ends. At 30 the agent waits for another one, which ends at 40.
        "50 agent-done plays success",
        // A server that keeps running is no sub-agent.
        "60 agent-done plays success",
        "70 agent-needs-you plays message",
        "90 agent-failed plays error",
        // The text of this answer has the words of another event.
        "100 agent-done plays success",
      ])
  }

  @Test func `Codex is heard when it needs you or is done, and not its sub-agents`() throws {
    #expect(
      try plays("agent/codex-hooks.json", recorded("codex.hooks")) == [
        "10 agent-done plays success", "20 agent-needs-you plays message", "30 agent-needs-you plays message",
        "40 agent-done plays success",
      ])
  }

  @Test func `the hooks bring every event to soundd`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    for input in try recorded("claude.hooks") { try fire("agent/claude-settings.json", input) }
    for input in try recorded("codex.hooks") { try fire("agent/codex-hooks.json", input) }
    #expect(
      try home.verdicts("agent-done").map { $0.prefix { $0 != " " } } == [
        "permission_prompt", "Stop", "Stop", "Stop", "elicitation_dialog", "elicitation_response", "StopFailure",
        "Stop", "idle_prompt", "Stop", "PermissionRequest", "request_user_input", "Stop",
      ])
    #expect(try home.verdicts("agent-needs-you").first == "permission_prompt played")
    #expect(try home.value("agent")["refused"] as? Int == 0)
    withExtendedLifetime(daemon) {}
  }

  @Test func `no hook runs in the background, because claude -p would end it before soundd has the event`() throws {
    for settings in ["agent/claude-settings.json", "agent/codex-hooks.json"] {
      let text = try Data(contentsOf: URL(fileURLWithPath: "\(Home.examples)/\(settings)"))
      let hooks = try JSONDecoder().decode(Hooks.self, from: text).hooks.values.joined().flatMap(\.hooks)
      #expect(!hooks.isEmpty && hooks.allSatisfy { $0.async != true && $0.timeout <= 2 })
    }
  }

  @Test func `an older Codex is heard through notify, and both ways together only once`() throws {
    // As the configuration's head has it; Codex appends the event as one more argument.
    let text = try String(contentsOfFile: "\(Home.examples)/agent/config.toml", encoding: .utf8)
    let command = try #require(text.firstMatch(of: /\n#     "sh", "-c", '([^']+)', "codex",\n/)?.1)
    let daemon = try home.daemon(example: "agent/config.toml")
    let event = try #require(try recorded("codex.notify").first)
    // The longest argument that the kernel accepts has 128 KiB.
    let long = event.replacingOccurrences(of: "Rename", with: String(repeating: "Rename it. ", count: 10_000))
    #expect(long.utf8.count > 100_000)
    for event in [event, long] {
      let notify = try home.start(
        program: "sh", ["-c", String(command), "codex", event], environment: try home.scriptEnvironment())
      #expect(try notify.wait() == .exit(0))
      #expect(notify.text + notify.errors == "")
    }
    try fire("agent/codex-hooks.json", try #require(try recorded("codex.hooks").last))
    #expect(
      try home.verdicts("agent-done") == [
        "agent-turn-complete played", "agent-turn-complete throttled", "Stop throttled",
      ])
    withExtendedLifetime(daemon) {}
  }

  @Test func `done, needs you and failed sound different, and what comes again at once is silent`() throws {
    let plays = try home.render(
      example: "agent/config.toml",
      """
      0 agent=Stop
      1 agent=Stop
      2 agent=Notification "notification_type" : "permission_prompt"
      3 agent=Notification "notification_type":"elicitation_dialog"
      4 agent=StopFailure
      10 agent=Stop
      20 agent=Notification "notification_type":"auth_success"
      30 agent=Stopped
      31 agent=SubagentStop
      """)
    #expect(
      plays == [
        "0 agent-done plays success", "2 agent-needs-you plays message", "4 agent-failed plays error",
        "10 agent-done plays success",
      ])
  }

  @Test func `a request whose tool gets the members of another event is still a request`() throws {
    let input =
      #"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"hook_event_name":"Stop","type":"agent-turn-complete","notification_type":"idle_prompt","tool_name":"request_user_input"}}"#
    #expect(try plays("agent/codex-hooks.json", [input]) == ["0 agent-needs-you plays message"])
    let stop = #"{"background_tasks":[],"hook_event_name":"Stop","tool":{"notification_type":"permission_prompt"}}"#
    #expect(try plays("agent/claude-settings.json", [stop]) == ["0 agent-done plays success"])
  }

  @Test func `whatever an agent writes, a hook succeeds, says nothing, and reports its own event`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    let command = try #require(try commands("agent/claude-settings.json", event: "Stop").first)
    let long = #"{"hook_event_name":"Stop","last_assistant_message":""# + String(repeating: "\\\"x", count: 20_000)
    let inputs = [
      "", "\n\n", "not JSON", "{", "agent=Stop\nstop\n", #"{"hook_event_name":7}"#, #"{"other":"Stop"}"#,
      #"{"message":"\"notification_type\":\"Stop\" \u0000 \ud800 ' $(exit 2) \r\n"}"#, long + "\"}",
      "{\n  \"session_id\": \"a: 'b' = c\",\n  \"hook_event_name\": \"Stop\"\n}\n",
    ]
    for input in inputs { #expect(try run(command, input).wait() == .exit(0), "\(input)") }
    let verdicts = try home.verdicts("agent-done")
    #expect(verdicts == ["Stop played"] + Array(repeating: "Stop throttled", count: inputs.count - 1))
    withExtendedLifetime(daemon) {}
  }

  @Test func `a hook reads all of its input, so that the agent can write it`() throws {
    let text = String(repeating: "x", count: 300_000)
    let long = #"{"hook_event_name":"Stop","last_assistant_message":"\#(text)"}"#
    for settings in ["agent/claude-settings.json", "agent/codex-hooks.json"] {
      for command in try ["Stop", "StopFailure", "PermissionRequest"].flatMap({ try commands(settings, event: $0) }) {
        // The shell would report the writer's SIGPIPE as 141.
        try home.write("input", long)
        let pipeline = try home.start(
          program: "bash", ["-c", "set -o pipefail; cat '\(home("input"))' | { \(command); }"])
        #expect(try pipeline.wait() == .exit(0), "\(command)")
      }
    }
  }

  @Test func `an event is heard however long its texts are, and sub-agents behind them stay silent`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    // 2 MB: the daemon accepts lines of 64 KiB.
    let text = String(repeating: "é \\\"type\\\":\\\"subagent\\\",\\\"status\\\":\\\"running\\\"\\n", count: 40_000)
    func stop(_ tasks: String) -> String {
      #"{"last_assistant_message":"\#(text)","hook_event_name":"Stop","background_tasks":[\#(tasks)]}"#
    }
    try fire("agent/claude-settings.json", stop(#"{"id":"a1","type":"subagent","status":"running"}"#))
    #expect(try home.verdicts("agent-done") == [])
    try fire("agent/claude-settings.json", stop(#"{"id":"b1","type":"shell","status":"running"}"#))
    #expect(try home.verdicts("agent-done") == ["Stop played"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `without a daemon or without soundd a hook is silent, and succeeds`() throws {
    for settings in ["agent/claude-settings.json", "agent/codex-hooks.json"] {
      for input in try recorded("claude.hooks") + recorded("codex.hooks") { try fire(settings, input) }
    }
    let command = try #require(try commands("agent/claude-settings.json", event: "Stop").first)
    let alone = try home.start(program: "sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin"])
    #expect(try alone.wait() == .exit(0))
  }
}
