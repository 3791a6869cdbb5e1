import SoundTrigger

@testable import Harness
@testable import soundd

/// A pipeline with a value of each kind and source, of which some have a content.
final class Rig: PipelineObserver {
  /// What is known of a value, without what was refused.
  struct Content: Equatable {
    var value: Value?
    var text: String?
    var updates: Int
    var changedAt: Instant?
  }

  let pipeline: Pipeline
  /// The triggers that played, by their places.
  private(set) var notes: [Int] = []
  /// The place of the trigger on the event.
  let eventTrigger = 1

  static let start = Instant(nanoseconds: 0)
  static let later = Instant(nanoseconds: 1_000_000)

  init() {
    do {
      pipeline = try Pipeline(Self.configuration, player: Player(OfflineOutput(writer: nil, rate: 48_000)))
      pipeline.observer = self
      try pipeline.assign(object: Array(#"{"n": 1, "j": {"a": 1}, "t": "old", "m": "x1"}"#.utf8).span, at: Self.start)
    } catch {
      Finding.report("the beginning of the target itself: \(error)")
    }
  }

  /// All values by name.
  var contents: [ValueName: Content] {
    var contents: [ValueName: Content] = [:]
    for id in pipeline.store.ids {
      let snapshot = pipeline.store.snapshot(of: id)
      contents[snapshot.name] = Content(
        value: pipeline.store.value(of: id), text: snapshot.text, updates: snapshot.updates,
        changedAt: snapshot.changedAt)
    }
    return contents
  }

  func happened(_ happening: Happening, at now: Instant) {
    // No sound is loaded.
    guard case .refused(let play, .broken) = happening, let name = play.trigger else { return }
    if let trigger = pipeline.conductor.engine.trigger(named: name) { notes.append(trigger.index) }
  }
  func refused(_ value: ValueID, _ refusal: ValueRefusal) {}

  func forgetNotes() { notes = [] }

  /// Sets one value, as `NAME=VALUE` does.
  func set(_ member: PlainJSON.Member) {
    do throws(ValueStoreError) {
      try pipeline.assign(member.name.span, member.content.span, at: Self.later)
    } catch {
      Finding.report("taken among others, and refused alone: \(error)")
    }
  }

  private static let configuration = TargetConfiguration.read(text)

  private static let text = """
    [limits]
    values = 16
    [value.n]
    type = "number"
    [value.b]
    type = "bool"
    [value.j]
    type = "json"
    [value.e]
    type = "event"
    [value.raw]
    trim = false
    [value.file]
    file = "/nowhere/file"
    [value.above]
    of = "n"
    above = 5
    [value.p]
    of = "j"
    json = "/a"
    [value.q]
    json = "/a/0/b~1c"
    type = "number"
    [value.m]
    match = 'x(.*)'
    [value.expected]
    expect_every = "1 h"
    [[trigger]]
    value = ["n", "b", "j", "raw", "above", "p", "q", "m", "expected", "t"]
    sound = "success"
    [[trigger]]
    value = "e"
    sound = "start"
    """
}
