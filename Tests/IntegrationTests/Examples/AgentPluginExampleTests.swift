import Foundation
import Testing

/// opencode's plugin, with events as the documents of opencode have them.
@Suite(.enabled(if: hasNode, "needs node"))
struct AgentPluginExampleTests {
  private static let plugin = "agent/opencode.js"

  private let home: Home

  init() throws { home = try Home() }

  /// Runs the plugin as opencode does, with these events and their milliseconds; returns what it sets.
  private func sets(_ events: [(Int, String)], exits status: Int = 0) throws -> [String] {
    try home.writeProgram(
      "bin/soundd", "#!/bin/sh\nprintf '%s|' \"$@\" >>'\(home("sets"))'\nexit \(status)\n")
    // With this ending, node knows what opencode knows.
    let plugin = try home.install(Self.plugin, at: "plugin.mjs")
    let script = """
      import { Soundd } from "\(plugin)"
      let now = 0
      Date.now = () => now
      const { event } = await Soundd({ client: {}, directory: "/" })
      for (const [at, one] of [\(events.map { "[\($0),\($1)]" }.joined(separator: ","))]) {
        now = at
        await event({ event: one })
      }
      """
    let node = try home.start(
      program: "node", ["--input-type=module", "-e", script], environment: try home.scriptEnvironment())
    #expect(try node.wait() == .exit(0), "\(node.errors)")
    #expect(node.text + node.errors == "")
    let text = (try? String(contentsOfFile: home("sets"), encoding: .utf8)) ?? ""
    return text.components(separatedBy: "set|--if-running|").dropFirst().map { String($0.dropLast()) }
  }

  private static func event(_ type: String, _ session: String = "ses_1", _ more: String = "") -> String {
    #"{"type":"\#(type)","properties":{"sessionID":"\#(session)"\#(more)}}"#
  }

  @Test func `opencode's plugin tells the words of each session, and only the questions of sub-agents`() throws {
    let (busy, idle) = (#","status":{"type":"busy"}"#, #","status":{"type":"idle"}"#)
    let child = #"{"type":"session.created","properties":{"info":{"id":"ses_2","parentID":"ses_1"}}}"#
    #expect(
      try sets([
        (0, Self.event("session.status", "ses_1", busy)), (1, child),
        (2, Self.event("session.status", "ses_2", busy)), (9_000, Self.event("permission.asked", "ses_2")),
        (9_001, Self.event("permission.replied", "ses_2", #","reply":"once""#)),
        (15_000, Self.event("session.idle", "ses_2")), (20_000, Self.event("session.status", "ses_1", idle)),
        // opencode sends both.
        (20_000, Self.event("session.idle")), (30_000, Self.event("session.status", "ses_1", busy)),
        (49_999, Self.event("session.idle")), (50_000, Self.event("session.status", "ses_1", busy)),
        (90_000, Self.event("session.error", "ses_1", #","error":{"name":"APIError"}"#)),
        (90_001, Self.event("session.idle")), (91_000, Self.event("session.status", "ses_1", busy)),
        (191_000, Self.event("session.error", "ses_1", #","error":{"name":"MessageAbortedError"}"#)),
        (191_001, Self.event("session.idle")), (192_000, Self.event("question.asked")),
        (193_000, Self.event("question.rejected")),
        (194_000, #"{"type":"session.deleted","properties":{"info":{"id":"ses_1"}}}"#),
        (195_000, #"{"type":"server.connected","properties":{}}"#), (195_000, #"{"type":"file.edited"}"#),
      ])
        == ["working", "waiting", "working", "done", "working", "idle", "working", "failed", "working", "idle"]
        .map { "agent/ses_1=\($0)" } + ["waiting", "working", "ended"].map { "agent/ses_1=\($0)" })
  }

  @Test func `a session's name in opencode reaches no shell, and a soundd that fails disturbs nothing`() throws {
    let events = [#"$(touch made)\n\"'`=x"#, "--help", "../x"].map { (0, Self.event("question.asked", $0)) }
    #expect(
      try sets(events, exits: 69)
        == ["--touch-made------x", "--help", "..-x"].map { "agent/\($0)=waiting" })
  }

  @Test func `opencode's plugin needs nothing but what opencode has`() throws {
    let text = try String(contentsOfFile: "\(Home.examples)/\(Self.plugin)", encoding: .utf8)
    #expect(text.matches(of: /(?m)^import .* from (.*)$/).map { String($0.1) } == ["\"node:child_process\""])
    // Each export must be a plugin.
    #expect(text.matches(of: /(?m)^export (.*) =>/).map { String($0.1) } == ["const Soundd = async ()"])
  }
}

private let hasNode = ["/usr/bin/node", "/usr/local/bin/node"]
  .contains { FileManager.default.isExecutableFile(atPath: $0) }
