import Foundation
import Testing

@testable import SoundTrigger

/// The tables of the documentation say what the code does.
@Suite struct CatalogueTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../..").standardized

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The rows of all tables of a page, without their heads.
  private func rows(ofPage page: String) throws -> [[String]] {
    var rows: [[String]] = []
    for line in try text("Sources/SoundTrigger/SoundTrigger.docc/\(page).md").split(separator: "\n") {
      if line.hasPrefix("|---") {
        rows.removeLast()
      } else if line.hasPrefix("|") {
        let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        rows.append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
      }
    }
    return rows
  }

  @Test func `the page of the conformance has the rows of the table, in their order`() throws {
    let rows = try rows(ofPage: "Conformance")
    #expect(rows.map(\.first) == ConformanceRow.all.map(\.swiftUI))
    #expect(rows.allSatisfy { $0.count == 2 && !$0[1].isEmpty })
  }

  // MARK: The kinds of feedback

  private static let kinds: [(expression: String, feedback: SensoryFeedback)] = [
    (".success", .success), (".warning", .warning), (".error", .error),
    (".start", .start), (".stop", .stop), (".increase", .increase), (".decrease", .decrease),
    (".levelChange", .levelChange), (".alignment", .alignment), (".pathComplete", .pathComplete),
    (".selection", .selection), (".selection(.on)", .selection(.on)), (".selection(.off)", .selection(.off)),
    (".selection(.minimum)", .selection(.minimum)), (".selection(.maximum)", .selection(.maximum)),
    (".impact", .impact), (".impact(weight: .light)", .impact(weight: .light)),
    (".impact(weight: .medium)", .impact(weight: .medium)), (".impact(weight: .heavy)", .impact(weight: .heavy)),
    (".impact(flexibility: .rigid)", .impact(flexibility: .rigid)),
    (".impact(flexibility: .solid)", .impact(flexibility: .solid)),
    (".impact(flexibility: .soft)", .impact(flexibility: .soft)),
    (".press(.button)", .press(.button)), (".press(.buttonIconOnly)", .press(.buttonIconOnly)),
    (".press(.slider)", .press(.slider)), (".press(.tab)", .press(.tab)), (".press(.toggle)", .press(.toggle)),
    (".release(.slider)", .release(.slider)),
    (".sound(\"message\")", .sound("message")), (".sound(\"alarm\")", .sound("alarm")),
    (".sound(\"tick\")", .sound("tick")),
  ]

  @Test func `the page of the kinds has the name, the shipped sound and the aliases of each`() throws {
    let shipped = SoundLocator(folders: [Self.root.appendingPathComponent("sounds").path])
    let expected = try Self.kinds.map { kind in
      let name = kind.feedback.sound
      let sound = try #require(SoundLocator.name(of: try shipped.locate(name)))
      let aliases = SoundAliases.names(for: name).filter { $0 != sound }
      return ["`\(kind.expression)`", "`\(name)`", "`\(sound)`"]
        + [aliases.isEmpty ? "–" : aliases.map { "`\($0)`" }.joined(separator: ", ")]
    }
    #expect(try rows(ofPage: "FeedbackKinds") == expected)
  }

  @Test func `the page of the kinds leaves out no kind and no shipped sound`() throws {
    let source = try text("Sources/SoundTrigger/Feedback/SensoryFeedback.swift")
    let declared = source.matches(of: /public static (?:let|func) (\w+)/).map { String($0.1) }
    let shown = Self.kinds.flatMap { $0.expression.matches(of: /\.(\w+)/).map { String($0.1) } }
    #expect(Set(shown) == Set(declared))
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("sounds").path)
    let sounds = try rows(ofPage: "FeedbackKinds").map { $0[2] }
    #expect(Set(sounds) == Set(files.compactMap { SoundLocator.name(of: "/\($0)") }.map { "`\($0)`" }))
  }
}
