import Foundation
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// soundd-socket(7) has every request, every member and every word, and nothing else. `ManualTests` compares it with a daemon.
struct SocketPageTests {
  private let page: ManualPage

  init() throws { page = try ManualPage("soundd-socket.7") }

  @Test func `the page has each command of the socket, and no other`() throws {
    let parsed = try Repository.text("Sources/SoundWire/Requests/Request.swift")
      .matches(of: /\n    case "([a-z]+)":/).map { String($0.1) }
    #expect(!parsed.isEmpty)
    #expect(Set(page.items("REQUESTS").flatMap { $0.tagged("Ic") }) == Set(parsed))
  }

  @Test func `the page has each code of an error, and no other`() throws {
    let written = page.items("REQUESTS", part: "Errors").flatMap { $0.tagged("Cm") }
    #expect(written.sorted() == ReplyCode.allCases.map(\.rawValue).sorted())
  }

  @Test func `the page has each code of a warning, and no other`() throws {
    let written = page.items("REPLIES", part: "Warnings").flatMap { $0.tagged("Cm") }
    #expect(written.sorted() == WarningCode.allCases.map(\.rawValue).sorted())
  }

  @Test func `the page has each verdict, and no other`() throws {
    let written = page.items("REPLIES", part: "Verdicts").flatMap { $0.tagged("Cm") }
    #expect(written.sorted() == VerdictWord.allCases.map(\.rawValue).sorted())
  }

  @Test func `the page has each cause of a stop, and no other`() throws {
    let words = try Repository.text("Sources/SoundTrigger/Triggers/Verdict/StopCause.swift")
      .matches(of: /\n  case ([a-z]+)\n/).map { String($0.1) }
    #expect(words.contains("condition") && words.contains("cancel"))
    #expect(page.items("REPLIES", part: "Stops").flatMap { $0.tagged("Cm") } == words)
  }

  // MARK: Members

  /// An object of the page with the message that has its members.
  struct Object: CustomTestStringConvertible, Sendable {
    var name: String
    var section: String
    var members: [MemberList.Entry]

    init(_ name: String, _ message: (some Message).Type, in section: String = "REPLIES") {
      (self.name, self.section, members) = (name, section, MemberList(of: message).entries)
    }

    var testDescription: String { "\(name) in \(section)" }
  }

  private static let objects = [
    Object("value", ValueMessage.self), Object("status", StatusMessage.self), Object("device", DeviceMessage.self),
    Object("latency", LatencyMessage.self), Object("realtime", RealTimeMessage.self),
    Object("memory", LockedMemoryMessage.self), Object("memory_use", MemoryUseMessage.self),
    Object("command", CommandMessage.self), Object("trigger", TriggerMessage.self),
    Object("warning", WarningMessage.self), Object("alarm", AlarmMessage.self), Object("explain", ExplainMessage.self),
    Object("verdict", VerdictMessage.self), Object("sound", FoundSoundMessage.self),
    Object("said", SpeechMessage.self), Object("stopped", StoppedMessage.self),
    Object("report", ActivityMessage.self), Object("count", ActivityLine.self),
    Object("standing", StandingMessage.self),
    Object("event", EventHead.self, in: "EVENTS"), Object("change", ChangeMessage.self, in: "EVENTS"),
    Object("unset", UnsetMessage.self, in: "EVENTS"), Object("play", PlayMessage.self, in: "EVENTS"),
    Object("stop", StopMessage.self, in: "EVENTS"), Object("verdict", VerdictEvent.self, in: "EVENTS"),
    Object("settings", SettingsMessage.self, in: "EVENTS"),
  ]

  @Test(arguments: objects)
  func `a table has the members of its message with their kinds, in their order`(object: Object) {
    let members = page.members(of: object.name, in: object.section)
    let isCurrent = members.map { [$0.name, $0.kind] } == object.members.map { [$0.name, $0.kind] }
    let rows = object.members.map { entry in
      ".It Va \(entry.name) Ta \(entry.kind) Ta \(members.first { $0.name == entry.name }?.meaning ?? "MEANING")"
    }
    #expect(
      isCurrent,
      """
      The table of \(object.name) in \(object.section) should have these members (rows of shared tables included):
      \(rows.joined(separator: "\n"))
      """)
  }

  /// Of these objects others have all members.
  private static let shared = ["refusals", "profile", "level", "judged", "cause"]

  @Test func `each table of members is that of a message, or shared by several`() {
    let tables = page.tables.compactMap { table in table.object.map { "\(table.section) \($0)" } }
    #expect(
      tables.sorted()
        == (Self.objects.map { "\($0.section) \($0.name)" } + Self.shared.map { "REPLIES \($0)" }).sorted())
  }

  @Test func `the page has each event, and no other`() {
    let tables = page.items("EVENTS").flatMap { $0.tagged("Sy") }.filter { !Self.shared.contains($0) && $0 != "event" }
    #expect(tables.sorted() == EventHead.Kind.allCases.map(\.rawValue).sorted())
  }

  /// A longer text would touch the next column under groff.
  @Test func `the columns of the tables are wide enough`() {
    for table in page.tables {
      for row in table.rows where row.count == table.widths.count + 1 {
        for (cell, width) in zip(row, table.widths) {
          let shown = cell.filter { !["Va", "Sy", "Cm", "Ar"].contains($0) }.joined(separator: " ")
          #expect(shown.count <= width.count + 3, "\(shown) in the table of \(table.object ?? table.part)")
        }
      }
    }
  }
}
