import Foundation
import Testing

/// The hooks of coding agents, run as the agents run them, with inputs that the real programs sent.
///
/// The inputs `UserPromptSubmit`, `PostToolUse` and `SessionEnd` were not recorded: they are as the documents of the agents have
/// them.
struct AgentExampleTests {
  private static let settings = ["agent/claude-settings.json", "agent/codex-hooks.json"]

  private let home: Home

  init() throws {
    home = try Home()
    try home.install("agent/soundd-agent", at: ".local/share/soundd/bin/soundd-agent")
  }

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

  private func hooks(_ settings: String) throws -> [String: [Hooks.Group]] {
    let text = try Data(contentsOf: URL(fileURLWithPath: "\(Home.examples)/\(settings)"))
    return try JSONDecoder().decode(Hooks.self, from: text).hooks
  }

  /// The commands that an agent's settings have for an event.
  private func commands(_ settings: String, event: String) throws -> [String] {
    try hooks(settings)[event]?.flatMap(\.hooks).map(\.command) ?? []
  }

  private func recorded(_ name: String) throws -> [String] {
    try String(contentsOfFile: "\(Home.checkout)/Tests/IntegrationTests/recorded/\(name)", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// An event with what all events have.
  private static func event(_ name: String, session: String = "s1", _ more: String = "") -> String {
    #"{"session_id":"\#(session)","cwd":"/home/user/project","hook_event_name":"\#(name)"\#(more)}"#
  }

  /// What the hooks for an event send to a soundd that only prints it, at this second.
  private func lines(_ settings: String, _ input: String, at second: Int = 0) throws -> [String] {
    // Written once, because a program that is open for writing cannot be run.
    if !FileManager.default.fileExists(atPath: home("bin/soundd")) {
      try home.writeProgram("bin/soundd", "#!/bin/sh\n[ \"$*\" = 'set --if-running -' ] && cat\n")
      try home.writeProgram("bin/date", "#!/bin/sh\ncat '\(home("clock"))'\n")
    }
    try home.write("clock", "\(1_000_000 + second)\n")
    let event = try #require(try JSON.object(input)["hook_event_name"] as? String)
    // The last command of a hook throws away what comes out of it.
    return try commands(settings, event: event).flatMap { command in
      let hook = try run(command.replacingOccurrences(of: "; cat >/dev/null", with: ""), input)
      return hook.text.split(separator: "\n").map(String.init)
    }
  }

  /// What is heard if the hooks get these inputs at these seconds, until the last one.
  private func plays(_ settings: String, _ inputs: [(second: Int, input: String)]) throws -> [String] {
    let timeline = try inputs.flatMap { second, input in
      try lines(settings, input, at: second).map { "\(second) \($0)\n" }
    }
    // What waits goes on after the last input.
    let end = Double(inputs.last?.second ?? 0)
    return try home.render(example: "agent/config.toml", timeline.joined())
      .filter { Double($0.prefix { $0 != " " }) ?? 0 <= end }
      .map { $0.replacing(#/\[agent/[^\]]*(..)\]/#) { "[\($0.1)]" } }
  }

  /// Inputs 50 s apart. Each turn begins with a prompt, 30 s before its first input.
  private func turns(_ inputs: [String], _ turn: String) throws -> [(second: Int, input: String)] {
    var known: Set<String> = []
    return try inputs.enumerated().flatMap { index, input in
      let object = try JSON.object(input)
      let (session, second) = (try #require(object["session_id"] as? String), index * 50 + 50)
      let isNew = known.insert(try #require(object[turn] as? String)).inserted
      return (isNew ? [(second - 30, Self.event("UserPromptSubmit", session: session))] : []) + [(second, input)]
    }
  }

  /// Runs a hook as the agents do: by a shell, with the event as its standard input.
  private func run(_ command: String, _ input: String, environment extra: [String: String] = [:]) throws -> Program {
    let hook = try home.start(
      program: "sh", ["-c", command], input: .text(input),
      environment: try home.scriptEnvironment().merging(extra) { $1 })
    try hook.wait()
    return hook
  }

  /// Runs all hooks for an event; none may fail or say anything, because the agent would read it.
  private func fire(_ settings: String, _ input: String, environment extra: [String: String] = [:]) throws {
    let event = try #require(try JSON.object(input)["hook_event_name"] as? String)
    for command in try commands(settings, event: event) {
      let hook = try run(command, input, environment: extra)
      #expect(try hook.wait() == .exit(0))
      #expect(hook.text + hook.errors == "", "\(event)")
    }
  }

  /// The words of all sessions.
  private func words() throws -> [String: String] {
    let values = try JSON.array(try home.connect().ask("list"))
    return Dictionary(
      uniqueKeysWithValues: values.compactMap { value in
        (value["name"] as? String).flatMap { name in (value["value"] as? String).map { (name, $0) } }
      })
  }

  @Test func `Claude Code is heard when it needs you, is done or fails, and not its sub-agents`() throws {
    #expect(
      try plays("agent/claude-settings.json", turns(recorded("claude.hooks"), "prompt_id")) == [
        "50 agent-needs-you[6a] plays message", "100 agent-done[6a] plays success",
        // At 150 a sub-agent ends. At 200 the session waits for another one, which ends at 250.
        "300 agent-done[6a] plays success",
        // A server that keeps running is no sub-agent.
        "350 agent-done[6a] plays success",
        // You answer at 450.
        "400 agent-needs-you[6a] plays message",
        "500 agent-failed[6a] plays error",
        // The text of this answer has the words of another event.
        "550 agent-done[6a] plays success",
      ])
  }

  @Test func `Codex is heard when it needs you or is done, and not its sub-agents`() throws {
    #expect(
      try plays("agent/codex-hooks.json", turns(recorded("codex.hooks"), "turn_id")) == [
        "100 agent-done[d1] plays success", "150 agent-needs-you[d1] plays message",
        // Another session needs you, too.
        "200 agent-needs-you[62] plays message", "210 agent-needs-you[d1] plays message",
        "250 agent-done[d1] plays success",
      ])
  }

  @Test func `one that needs you says so every minute until it goes on, and two do so apart`() throws {
    let settings = "agent/claude-settings.json"
    let asks = #","message":"Claude needs your permission","notification_type":"permission_prompt""#
    #expect(
      try plays(
        settings,
        [
          (0, Self.event("Notification", session: "a1", asks)), (30, Self.event("Notification", session: "b1", asks)),
          (70, Self.event("PostToolUse", session: "a1", #","tool_name":"Bash","tool_input":{},"tool_response":{}"#)),
          (100, Self.event("SessionEnd", session: "b1", #","reason":"logout""#)),
        ]) == [
          "0 agent-needs-you[a1] plays message", "30 agent-needs-you[b1] plays message",
          "60 agent-needs-you[a1] plays message", "90 agent-needs-you[b1] plays message",
        ])
  }

  @Test func `work of less than 20 s ends without a sound, and what ends twice is heard once`() throws {
    let settings = "agent/claude-settings.json"
    let (prompt, stop) = (Self.event("UserPromptSubmit", #","prompt":"go""#), Self.event("Stop"))
    #expect(try lines(settings, prompt, at: 100) == ["agent/s1=working"])
    #expect(try lines(settings, stop, at: 119) == ["agent/s1=idle"])
    #expect(try lines(settings, stop, at: 120) == ["agent/s1=done"])
    // Another session, whose beginning no hook has seen.
    #expect(try lines(settings, Self.event("Stop", session: "s2"), at: 120) == ["agent/s2=done"])
    #expect(
      try plays(settings, [(0, prompt), (19, stop), (200, prompt), (220, stop), (221, stop)]) == [
        "220 agent-done[s1] plays success"
      ])
  }

  @Test func `the hooks bring every event to soundd`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    let claude = try recorded("claude.hooks")
    try fire(Self.settings[0], claude[0])
    let session = "agent/f7fa98f7-bcee-4ad6-a0c9-ffc96d268a6a"
    try home.expect("agent-needs-you[\(session)]", ["waiting played"])
    for input in claude.dropFirst() { try fire(Self.settings[0], input) }
    for input in try recorded("codex.hooks") { try fire(Self.settings[1], input) }
    #expect(
      try words() == [
        session: "done", "agent/01a20449-7cf6-7712-b091-7289b41131d1": "done",
        "agent/01a2045f-927e-7830-b2a0-fce6bfa42b62": "waiting",
      ])
    #expect(try home.value(session)["refused"] as? Int == 0)
    withExtendedLifetime(daemon) {}
  }

  @Test func `no hook runs in the background, because claude -p would end it before soundd has the event`() throws {
    for settings in Self.settings {
      let hooks = try hooks(settings).values.joined().flatMap(\.hooks)
      #expect(!hooks.isEmpty && hooks.allSatisfy { $0.async != true && $0.timeout <= 2 })
    }
  }

  @Test func `an older Codex is heard through notify, and both ways together only once`() throws {
    // As the configuration's head has it; Codex appends the event as one more argument.
    let text = try String(contentsOfFile: "\(Home.examples)/agent/config.toml", encoding: .utf8)
    let command = try #require(text.firstMatch(of: /\n#   notify = \["sh", "-c", '([^']+)', "codex"\]\n/)?.1)
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
    let thread = try #require(try JSON.object(event)["thread-id"] as? String)
    try fire("agent/codex-hooks.json", Self.event("Stop", session: thread))
    #expect(try words() == ["agent/\(thread)": "done"])
    try home.expect("agent-done[agent/\(thread)]", ["done played"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `only members of the event itself count`() throws {
    let inner = #"{"hook_event_name":"Stop","session_id":"s2","type":"agent-turn-complete","status":"running"}"#
    let request = Self.event("PermissionRequest", #","tool_input":\#(inner),"list":[\#(inner)]"#)
    #expect(try lines("agent/codex-hooks.json", request) == ["agent/s1=waiting"])
    let first = #"{"tool_input":\#(inner),"hook_event_name":"PermissionRequest","session_id":"s1"}"#
    #expect(try lines("agent/codex-hooks.json", first) == ["agent/s1=waiting"])
    let task = #"{"id":"a","more":{"status":"done"},"type":"subagent","status":"running"}"#
    #expect(
      try lines("agent/claude-settings.json", Self.event("Stop", #","background_tasks":[{"type":"shell"},\#(task)]"#))
        == [])
    let other = #","tasks":[\#(task)],"background_tasks":[{"type":"subagent","status":"completed"}],"x":[[\#(task)]]"#
    #expect(try lines("agent/claude-settings.json", Self.event("Stop", other)) == ["agent/s1=done"])
  }

  @Test(arguments: [
    (#"$(touch run/made)`touch run/made`;'"#, "agent/--touch-run-made--touch-run-made---"),
    (#"x\nother=1\r\n{\"other\":1}"#, "agent/x-nother-1-r-n---other--:1-"),
    ("../../etc/passwd", "agent/..-..-etc-passwd"), ("x=1 other=1", "agent/x-1-other-1"),
    (#"\u001b]0;title\u0007é"#, "agent/-u001b-0-title-u0007--"), ("", "agent/unknown"),
    (String(repeating: "y", count: 3000), "agent/" + String(repeating: "y", count: 100)),
  ])
  func `a session's name reaches no shell and sets nothing else`(id: String, name: String) throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    for event in ["UserPromptSubmit", "Notification"] {
      let texts = #","message":"\#(id)","prompt":"\#(id)","notification_type":"permission_prompt","\#(id)":"\#(id)""#
      try fire("agent/claude-settings.json", Self.event(event, session: id, texts))
    }
    // A kind of notification that is made up sets nothing.
    try fire("agent/claude-settings.json", Self.event("Notification", #","notification_type":"\#(id)""#))
    #expect(try words() == [name: "waiting"])
    #expect(!FileManager.default.fileExists(atPath: home("run/made")))
    let files = try FileManager.default.contentsOfDirectory(atPath: home("run/soundd-agent"))
    #expect(files == ["session-" + name.dropFirst("agent/".count)])
    withExtendedLifetime(daemon) {}
  }

  @Test func `whatever an agent writes, a hook succeeds and says nothing`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    let command = try #require(try commands("agent/claude-settings.json", event: "Stop").first)
    let long = #"{"hook_event_name":"Other","last_assistant_message":""# + String(repeating: "\\\"x", count: 20_000)
    let inputs = [
      "", "\n\n", "not JSON", "{", "agent/x=done\nstop\n", #"{"hook_event_name":7,"session_id":"x"}"#,
      #"{"other":"Stop"}"#,
      #"{"message":"\"notification_type\":\"Stop\" \u0000 \ud800 ' $(exit 2) \r\n"}"#, long + "\"}", "]]}}{[\"Stop\"]",
    ]
    for input in inputs { #expect(try run(command, input).wait() == .exit(0), "\(input)") }
    #expect(try words() == [:])
    let pretty = "{\n  \"session_id\": \"a\",\n  \"hook_event_name\": \"Stop\"\n}\n"
    #expect(try run(command, pretty).wait() == .exit(0))
    #expect(try words() == ["agent/a": "done"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `a hook reads all of its input, even without its script, so that the agent can write it`() throws {
    let text = String(repeating: "x", count: 300_000)
    try home.write("input", #"{"hook_event_name":"Stop","last_assistant_message":"\#(text)"}"#)
    for _ in 1...2 {
      for command in Set(try Self.settings.flatMap { try commands($0, event: "Stop") }) {
        // The shell would report the writer's SIGPIPE as 141.
        let pipeline = try home.start(
          program: "bash", ["-c", "set -o pipefail; cat '\(home("input"))' | { \(command); }"])
        #expect(try pipeline.wait() == .exit(0), "\(command)")
        #expect(pipeline.text + pipeline.errors == "")
      }
      try? FileManager.default.removeItem(atPath: home(".local/share/soundd/bin/soundd-agent"))
    }
  }

  @Test func `an event is heard however long its texts are, and sub-agents behind them stay silent`() throws {
    let daemon = try home.daemon(example: "agent/config.toml")
    // 2 MB: the daemon accepts lines of 64 KiB.
    let text = String(repeating: "é \\\"type\\\":\\\"subagent\\\",\\\"status\\\":\\\"running\\\"\\n", count: 40_000)
    func stop(_ tasks: String) -> String {
      #"{"session_id":"s1","last_assistant_message":"\#(text)","hook_event_name":"Stop","background_tasks":[\#(tasks)]}"#
    }
    try fire("agent/claude-settings.json", stop(#"{"id":"a1","type":"subagent","status":"running"}"#))
    #expect(try words() == [:])
    try fire("agent/claude-settings.json", stop(#"{"id":"b1","type":"shell","status":"running"}"#))
    #expect(try words() == ["agent/s1": "done"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `without a daemon or without soundd a hook is silent, and succeeds`() throws {
    for settings in Self.settings {
      for input in try recorded("claude.hooks") + recorded("codex.hooks") { try fire(settings, input) }
    }
    let command = try #require(try commands("agent/claude-settings.json", event: "Stop").first)
    let alone = try home.start(program: "sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin"])
    #expect(try alone.wait() == .exit(0))
    #expect(alone.text + alone.errors == "")
  }

  // MARK: Elsewhere

  @Test(arguments: [false, true])
  func `agents elsewhere are heard through the forwarded socket`(hasProgram: Bool) throws {
    let remote = "agent/remote"
    let text = try String(contentsOfFile: "\(Home.examples)/\(remote)", encoding: .utf8)
      .replacingOccurrences(of: "\\\n", with: "")
    let docker = try #require(text.split(separator: "\n").first { $0.contains("docker run") })
    let there = try #require(docker.firstMatch(of: /-e SOUNDD_SOCKET=(\S+)/)?.1)
    #expect(docker.contains("-v \"$XDG_RUNTIME_DIR/soundd.sock\":\(there) "))
    #expect(text.contains(" -R /run/user/1000/soundd.sock:\"$XDG_RUNTIME_DIR/soundd.sock\" "))

    let daemon = try home.daemon(example: "agent/config.toml")
    // ssh forwards a socket byte by byte, as socat does here.
    let socket = home("there")
    let tunnel = try home.start(
      program: "socat", ["UNIX-LISTEN:\(socket),fork,mode=600", "UNIX-CONNECT:\(home.socket)"])
    try eventually("it listens") { FileManager.default.fileExists(atPath: socket) }
    var environment = ["SOUNDD_SOCKET": socket, "XDG_RUNTIME_DIR": home("elsewhere")]
    if !hasProgram { environment["PATH"] = "/usr/bin:/bin" }
    let asks = #","notification_type":"permission_prompt""#
    try fire("agent/claude-settings.json", Self.event("Notification", asks), environment: environment)
    // Without soundd's program nothing waits until the daemon has it.
    try eventually("it is here") { try words()["agent/s1"] == "waiting" }
    try home.expect("agent-needs-you[agent/s1]", ["waiting played"])
    try fire("agent/claude-settings.json", Self.event("Stop"), environment: environment)
    try home.expect("agent-done[agent/s1]", ["waiting not_to", "done played"])
    tunnel.send(signal: SIGTERM)
    try tunnel.wait()
    try fire("agent/claude-settings.json", Self.event("Stop"), environment: environment)
    withExtendedLifetime(daemon) {}
  }
}
