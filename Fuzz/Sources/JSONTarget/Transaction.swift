import Harness
import SoundTrigger

@testable import soundd

/// An object of values, as the socket takes it from a line.
enum Transaction {
  static func check(_ object: [UInt8], _ plain: PlainJSON?) {
    let rig = Rig()
    let before = rig.contents
    let begun = rig.notes
    do throws(AssignmentRefusal) {
      try rig.pipeline.assign(object: object.span, at: Rig.later)
    } catch {
      ShownText.check(error.description)
      checkReason(error, plain)
      Finding.unless(rig.contents == before, "a refused object changed \(before) to \(rig.contents)")
      Finding.unless(rig.notes == begun, "a refused object did \(rig.notes)")
      return
    }
    guard let plain, case .object = plain.tree else { Finding.report("taken was what is no object") }
    Finding.unless(!lastMembers(of: plain).contains { $0.tree == .null }, "null was taken for a content")
    let single = Rig()
    for member in lastMembers(of: plain) { single.set(member) }
    Finding.unless(rig.contents == single.contents, "all at once \(rig.contents), one by one \(single.contents)")
    setAgain(object, rig)
  }

  /// The last member of each name, in their order: what is set in the end.
  private static func lastMembers(of plain: PlainJSON) -> [PlainJSON.Member] {
    plain.members.indices.filter { index in
      !plain.members[(index + 1)...].contains { $0.name == plain.members[index].name }
    }.map { plain.members[$0] }
  }

  private static func checkReason(_ problem: AssignmentRefusal, _ plain: PlainJSON?) {
    var isObject = false
    if case .object = plain?.tree { isObject = true }
    let hasNull = plain.map { lastMembers(of: $0).contains { $0.tree == .null } } ?? false
    switch problem {
    case .json(let error): Finding.unless(!isObject, "refused was a good object: \(error)")
    case .null: Finding.unless(isObject && hasNull, "there is no null")
    case .name: Finding.report("only the names of feeds have another form")
    case .value: Finding.unless(isObject && !hasNull, "the document should have been refused itself")
    }
  }

  /// The same once more is no change, save of events.
  private static func setAgain(_ object: [UInt8], _ rig: Rig) {
    let before = rig.contents
    rig.forgetNotes()
    do throws(AssignmentRefusal) {
      try rig.pipeline.assign(object: object.span, at: Rig.later)
    } catch {
      Finding.report("taken once, and then refused: \(error)")
    }
    Finding.unless(rig.contents.mapValues(\.value) == before.mapValues(\.value), "the same again changed a content")
    Finding.unless(rig.notes.allSatisfy { $0 == rig.eventTrigger }, "the same again did \(rig.notes)")
  }
}
