import SoundTrigger
import Testing

/// What SwiftUI promises of its modifiers, row by row, held against the store and the engine together.
///
/// The sources are Apple's pages in https://developer.apple.com/documentation/swiftui/view/:
/// `onChange(of:initial:_:)-4psgg` and `sensoryFeedback(_:trigger:)`, `…trigger:condition:)`, `…trigger:_:)`.
@Suite struct SwiftUIConformanceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// What holds.
    var rule: String
    /// Where SwiftUI says so, in its words; where it does not, what follows from them.
    var source: String
    /// Lines of the socket, one after the other; more than one assignment in a line is one transaction.
    var lines: [String]
    /// The `old→new` that the trigger sees, in order; its appearance is the first.
    var pairs: [String]
    /// Which of the pairs play.
    var plays: [Int]
    var initial = false
    var to: Double?

    var testDescription: String { rule }
  }

  static let rows: [Row] = [
    Row(
      rule: "appearing is not a change",
      source:
        "onChange: \"initial: Whether the action should be run when this view initially appears\", false if not given",
      lines: ["n=0"], pairs: ["0→0"], plays: []),
    Row(
      rule: "with initial the appearance fires, with old and new the same",
      source:
        "onChange: \"oldValue: The old value that failed the comparison check (or the initial value when requested)\"",
      lines: ["n=7"], pairs: ["7→7"], plays: [0], initial: true),
    Row(
      rule: "with initial it fires once, and then like any other",
      source: "onChange: \"when this view initially appears\"",
      lines: ["n=7", "n=7", "n=8"], pairs: ["7→7", "7→8"], plays: [0, 1], initial: true),
    Row(
      rule: "a change fires with the value before it and the one after it",
      source:
        "onChange: \"fires an action when a specific value changes\"; oldValue and newValue \"failed the comparison check\"",
      lines: ["n=0", "n=1", "n=2"], pairs: ["0→0", "0→1", "1→2"], plays: [1, 2]),
    Row(
      rule: "an equal value is no change",
      source:
        "onChange: \"value: The value to check against when determining whether to run the closure\", an Equatable",
      lines: ["n=1", "n=1", "n=1.0", "n=2"], pairs: ["1→1", "1→2"], plays: [1]),
    Row(
      rule: "there and back are two changes",
      source: "sensoryFeedback(_:trigger:): plays \"when the provided trigger value changes\"",
      lines: ["n=0", "n=1", "n=0"], pairs: ["0→0", "0→1", "1→0"], plays: [1, 2]),
    Row(
      rule: "old is the value before, whether or not the change before fired",
      source:
        "sensoryFeedback(_:trigger:condition:): the condition is asked \"when trigger changes\", and only decides about playing",
      lines: ["n=0", "n=1", "n=2", "n=3"], pairs: ["0→0", "0→1", "1→2", "2→3"], plays: [2], to: 2),
    Row(
      rule: "what was set between two looks is seen as one change: 1, 2 and then 3, 4 are 0→2 and 2→4",
      source:
        "onChange: the value is checked when the view is updated, not when it is set; a transaction is such an update",
      lines: ["n=0", "n=1 n=2", "n=3 n=4"], pairs: ["0→0", "0→2", "2→4"], plays: [1, 2]),
    Row(
      rule: "writes by themselves are seen by themselves, a transaction after them as one",
      source: "as above",
      lines: ["n=0", "n=1", "n=2", "n=3 n=4"], pairs: ["0→0", "0→1", "1→2", "2→4"], plays: [1, 2, 3]),
    Row(
      rule: "A→B→A between two looks is silence",
      source: "onChange: what is checked is equal to what was there before",
      lines: ["n=0", "n=1 n=0", "n=2"], pairs: ["0→0", "0→2"], plays: [1]),
    Row(
      rule: "with initial a value that appears in a transaction appears with its last content",
      source: "onChange: \"the initial value\" is the one at the first update",
      lines: ["n=1 n=2"], pairs: ["2→2"], plays: [0], initial: true),
    Row(
      rule: "NaN, which differs from itself and would always be a change, is refused; the value stays",
      source: "Equatable alone: in SwiftUI the check of a NaN always fails. Here we differ, on purpose",
      lines: ["n=1", "n=nan", "n=nan", "n=2"], pairs: ["1→1", "1→2"], plays: [1]),
    Row(
      rule: "no feedback for a value is silence, and the next change is compared with that value",
      source: "sensoryFeedback(trigger:_:): \"Plays feedback when returned from the feedback closure\"",
      lines: ["n=0", "n=5", "n=2"], pairs: ["0→0", "0→5", "5→2"], plays: [2], to: 2),
  ]

  @Test(arguments: rows)
  func `a trigger does as SwiftUI does`(row: Row) throws {
    let store = ValueStore()
    let id = try store.declare(.name("n"), kind: .number, source: .client)
    let definition = TriggerDefinition(
      name: "t", values: [.name("n")], sound: .sound("s"), to: row.to.map { [.number($0)] } ?? [],
      initial: row.initial ? .yes : .no)
    var engine = TriggerEngine(definitions: [definition], resolve: { _ in id })
    var transaction = ValueTransaction()
    for (time, line) in row.lines.enumerated() {
      transaction.removeAll()
      for assignment in line.split(separator: " ") {
        let parts = assignment.split(separator: "=").map { Array($0.utf8) }
        let (name, content) = (parts[0], parts[1])
        transaction.set(name.span, to: content.span)
      }
      // What is refused changes nothing.
      let changes = try? store.commit(transaction, at: Instant(Int64(time))).changes
      engine.receive(changes ?? [], at: Instant(Int64(time)))
      for decision in engine.decisions {
        if case .play(let play) = decision { engine.receive(.heard(play, isMuted: false), at: Instant(Int64(time))) }
      }
      engine.removeDecisions()
    }
    let judged = engine.judgedChanges(of: TriggerID(index: 0))
    #expect(judged.map { "\(text($0.old))→\(text($0.new))" } == row.pairs, "\(row.source)")
    #expect(judged.indices.filter { judged[$0].verdict == .played } == row.plays, "\(row.source)")
  }

  private func text(_ value: Value?) -> String {
    if case .number(let number) = value { "\(Int(number))" } else { "?" }
  }
}
