import Foundation
import TestSupport
import Testing

/// The manual pages agree with a running daemon, and can be read.
struct ManualTests {
  // MARK: What a daemon answers

  /// The members of an object, those inside others as `device.name` and `triggers[].name`.
  private func members(of object: [String: Any], in outer: String = "") -> Set<String> {
    var names: Set<String> = []
    for (name, value) in object {
      if let inner = value as? [String: Any] {
        names.formUnion(members(of: inner, in: "\(outer)\(name)."))
      } else if let items = value as? [[String: Any]], !items.isEmpty {
        for item in items { names.formUnion(members(of: item, in: "\(outer)\(name)[].")) }
      } else {
        names.insert(outer + name)
      }
    }
    return names
  }

  /// The members that the page describes for a reply.
  private func described(_ part: String) throws -> Set<String> {
    Set(try ManualPage("soundd-socket.7").items("REPLIES", part: part).flatMap { $0.tagged("Va") })
  }

  /// The members that the page describes for an event, with `event`.
  private func described(event: String) throws -> Set<String> {
    let item = try ManualPage("soundd-socket.7").items("EVENTS").first { $0.tagged("Cm") == [event] }
    return Set(["event"] + (item?.names("Va") ?? []))
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

    let value = try home.value("door")
    // Nothing is wrong with a command of this value.
    #expect(members(of: value).union(["problem"]) == (try described("Values")))
    let list = try JSON.array(connection.ask("list"))
    #expect(list.count == 2 && list.allSatisfy { members(of: $0) == members(of: value) })
    for content in ["off", "on", "off"] { try connection.send(line: "bell=\(content)") }
    // It says nothing.
    let explanation = members(of: try JSON.object(connection.ask("explain bell"))).subtracting(["said"])
    #expect(explanation.union(["said.text", "said.problem"]) == (try described("Verdicts")))

    let alarms = try JSON.array(connection.ask("alarms --all"))
    #expect(try members(of: #require(alarms.first)) == described("Alarms"))
    // `bell` is pending or normal, and no other trigger is an alarm.
    let status = members(of: try home.status()).filter { !$0.hasPrefix("alarms[].") }.union(["alarms[]"])
      .subtracting(["alarms"])
    let ofTriggers = status.filter { $0.hasPrefix("triggers[].latency.") }
    #expect(status.subtracting(ofTriggers).union(["triggers[].latency"]) == (try described("Status")))
    let latency = Set(status.filter { $0.hasPrefix("latency.") }).subtracting(["latency.histogram"])
    #expect(Set(ofTriggers.map { $0.dropFirst("triggers[].".count) }) == Set(latency.map { $0[...] }))
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
    var seen: [String: Set<String>] = [:]
    while seen["stop"] == nil || seen["unset"] == nil || seen["settings"] == nil || seen["alarm"] == nil {
      let line = try connection.line()
      // The replies to `unset` and `volume`.
      if line == "ok" { continue }
      let object = try JSON.object(line)
      seen[try #require(object["event"] as? String)] = Set(object.keys)
    }
    let page = try ManualPage("soundd-socket.7")
    #expect(Set(page.items("EVENTS").flatMap { $0.tagged("Cm") }) == Set(seen.keys))
    for event in ["change", "unset", "play", "stop", "ready", "settings"] {
      #expect(try described(event: event) == seen[event], "\(event)")
    }
    #expect(try seen["alarm"] == described("Alarms").union(["event", "at"]))
    #expect(seen["value"] == Set(try home.value("door").keys).union(["event"]))
    #expect(seen["trigger"] == Set(try home.trigger("door").keys).union(["event"]))
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
