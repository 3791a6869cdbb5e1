import Foundation
import TestSupport
import Testing

/// The manual pages agree with a running daemon, and can be read.
struct ManualTests {
  // MARK: What a daemon answers

  /// Expects that an object has the members of its table, and no others; optional ones may be missing.
  private func expect(
    _ object: [String: Any], isLike name: String, in section: String = "REPLIES", and more: Set<String> = []
  ) throws {
    let members = try ManualPage("soundd-socket.7").members(of: name, in: section)
    #expect(!members.isEmpty, "no table of \(name)")
    let names = Set(object.keys).subtracting(more)
    let missing = Set(members.filter { !$0.isOptional }.map(\.name)).subtracting(names)
    let unknown = names.subtracting(members.map(\.name))
    #expect(missing.isEmpty && unknown.isEmpty, "\(name): not sent: \(missing), not in the page: \(unknown)")
  }

  /// The same for a member that is an object, or an array of them which is not empty.
  private func expect(_ member: String, of object: [String: Any], isLike name: String) throws {
    if let inner = object[member] as? [String: Any] { return try expect(inner, isLike: name) }
    let elements = try #require(
      object[member] as? [[String: Any]], "\(member) is neither an object nor an array of them")
    #expect(!elements.isEmpty, "no \(member)")
    for element in elements { try expect(element, isLike: name) }
  }

  private static let configuration = """
    [value.door]
    expect_every = "1 h"
    [value.bell]
    expect_every = "1 h"
    [[feed]]
    name = "quiet"
    prefix = "quiet/"
    command = "exec sleep 1000"
    [[trigger]]
    value = "room/*"
    sound = "press"
    [[trigger]]
    value = "door"
    sound = "press"
    # A warning: it plays the same.
    [[trigger]]
    value = "door"
    sound = "press"
    [[trigger]]
    value = "bell"
    to = "on"
    sound = "alarm"
    loop = true
    """

  @Test func `the page describes each member of the replies, and no other`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    let connection = try home.connect()
    try connection.send(line: "door=open")
    try connection.send(line: "door=shut")
    #expect(try connection.ask("sync") == "ok")

    let list = try JSON.array(connection.ask("list"))
    #expect(list.count == 2)
    for value in list { try expect(value, isLike: "value") }
    for content in ["off", "on", "off"] { try connection.send(line: "bell=\(content)") }
    let explanation = try JSON.object(connection.ask("explain bell"))
    try expect(explanation, isLike: "explain")
    try expect("verdicts", of: explanation, isLike: "verdict")
    try expect("sounds", of: explanation, isLike: "sound")
    try expect("stopped", of: explanation, isLike: "stopped")

    let alarm = try #require(JSON.array(connection.ask("alarms --all")).first)
    try expect(alarm, isLike: "alarm")
    let status = try home.status()
    try expect(status, isLike: "status")
    for (member, name) in [
      ("device", "device"), ("latency", "latency"), ("memory_use", "memory_use"), ("commands", "command"),
      ("triggers", "trigger"), ("warnings", "warning"),
    ] {
      try expect(member, of: status, isLike: name)
    }
    _ = daemon
  }

  @Test func `the page describes each event and its members, and no other`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    let connection = try home.connect()
    #expect(try connection.ask("events --state --why") == "ok")
    try connection.send(line: "door=open")
    try connection.send(line: "door=shut")
    try connection.send(line: "passing=1")
    try connection.send(line: "unset passing")
    try connection.send(line: "volume 0.5")
    for content in ["off", "on", "off"] { try connection.send(line: "bell=\(content)") }
    var seen: [String: [String: Any]] = [:]
    while seen["stop"] == nil || seen["unset"] == nil || seen["settings"] == nil || seen["alarm"] == nil {
      let line = try connection.line()
      // The replies to `unset` and `volume`.
      if line == "ok" { continue }
      let object = try JSON.object(line)
      seen[try #require(object["event"] as? String)] = object
    }
    let state: Set = ["value", "trigger", "ready"]
    for (event, object) in seen where event != "ready" {
      try expect(object, isLike: event, in: "EVENTS", and: state.contains(event) ? ["event"] : ["event", "at"])
    }
    #expect(seen["ready"]?.count == 1)
    for (event, object) in seen where !state.contains(event) { #expect(object["at"] != nil, "\(event)") }
    // Each event that the page names; `SocketPageTests` knows that these are all.
    #expect(seen.count == 10)
    _ = daemon
  }

  // MARK: Reading them

  @Test(arguments: ManualPage.names)
  func `a page has no errors and fits 78 columns`(name: String) throws {
    let home = try Home()
    let path = "\(ManualPage.folder)/\(name)"
    let lint = try home.start(program: "mandoc", ["-T", "lint", "-W", "warning", path])
    #expect(try lint.wait() == .exit(0))
    #expect(lint.text == "" && lint.errors == "")

    let reading = try home.start(program: "mandoc", ["-T", "utf8", "-O", "width=78", path])
    #expect(try reading.wait() == .exit(0))
    let lines = reading.text.split(separator: "\n")
    #expect(lines.count > 100)
    for line in lines {
      // Bold and underlined letters are overstruck.
      let shown = line.replacing(/.\u{8}/, with: "")
      #expect(shown.count <= 78, "\(shown)")
    }
  }

  @Test(arguments: ManualPage.names)
  func `what can be copied from a page is what is written, also under groff`(name: String) throws {
    for display in try ManualPage(name).rawDisplays {
      let wrong = display.replacing(/\\(-|\(aq|\(ti|\(ha|\(dq|\(->|\(mc|e)/, with: "").filter { "-'`~^\\".contains($0) }
      #expect(wrong == "", "groff prints other signs for these: \(display)")
    }
  }

  /// Only the words are compared, because another version of mandoc may break lines in another way.
  @Test func `the Markdown of the pages is that of docs man render`() throws {
    let home = try Home()
    let rendering = try home.start(program: "\(ManualPage.folder)/render", [home.path])
    #expect(try rendering.wait() == .exit(0), "\(rendering.errors)")
    for name in ManualPage.names {
      func words(_ file: String) throws -> [Substring] {
        try String(contentsOfFile: file, encoding: .utf8).split { !$0.isLetter && !$0.isNumber }
      }
      let isCurrent = try words("\(ManualPage.folder)/../\(name).md") == words(home("\(name).md"))
      #expect(isCurrent, "docs/\(name).md is not what docs/man/\(name) says now: run 'make man'")
    }
  }
}
