import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// soundd-socket(7) has every request and every verdict, and nothing else. `ManualTests` compares it with a daemon's replies.
struct SocketPageTests {
  private let page: ManualPage

  init() throws { page = try ManualPage("soundd-socket.7") }

  @Test func `the page has each command of the socket, and no other`() throws {
    let parsed = try Repository.text("Sources/soundd/Control/Protocol/Request.swift")
      .matches(of: /\n    case "([a-z]+)":/).map { String($0.1) }
    #expect(!parsed.isEmpty)
    #expect(Set(page.items("REQUESTS").flatMap { $0.tagged("Ic") }) == Set(parsed))
  }

  @Test func `the page has each code of an error, and no other`() throws {
    let written = page.items("REPLIES", part: "Errors").flatMap { $0.tagged("Cm") }
    #expect(written.sorted() == ReplyCode.allCases.map(\.rawValue).sorted())
  }

  @Test func `the page has each code of a warning, and no other`() throws {
    let written = page.items("REPLIES", part: "Warnings").flatMap { $0.tagged("Cm") }
    #expect(written.sorted() == WarningCode.allCases.map(\.rawValue).sorted())
  }

  @Test func `the page has each verdict, and no other`() throws {
    let words = try Repository.text("Sources/SoundTrigger/Triggers/Verdict/Verdict.swift")
      .matches(of: /"([a-z_]+)",/).map { String($0.1) }
    #expect(words.contains("as_before") && words.contains("ending"))
    let written = page.items("REPLIES", part: "Verdicts").flatMap { $0.tagged("Cm") }
    #expect(Set(written) == Set(words))
    #expect(written.count == words.count)
  }

  @Test func `the page has each cause of a stop, and no other`() throws {
    let words = try Repository.text("Sources/SoundTrigger/Triggers/Verdict/StopCause.swift")
      .matches(of: /\n  case ([a-z]+)\n/).map { String($0.1) }
    #expect(words.contains("condition") && words.contains("cancel"))
    #expect(page.items("REPLIES", part: "Stops").flatMap { $0.tagged("Cm") } == words)
  }
}
