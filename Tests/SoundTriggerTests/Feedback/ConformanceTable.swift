import Observation
import SoundTrigger
import SoundTriggerTesting

/// What SwiftUI does, and how the same is asked of the library.
///
/// The sentences are taken from the documentation of `onChange(of:initial:_:)` and `sensoryFeedback(_:trigger:)` and from how
/// views use them; each holds for both.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
  let swiftUI: String
  /// The changes as `old>new`, then the feedback.
  let expected: [String]
  let run: @Sendable (isolated any Actor, Stage) async throws -> Void

  var testDescription: String { swiftUI }

  init(
    _ swiftUI: String, _ expected: [String],
    _ run: @escaping @Sendable (isolated any Actor, Stage) async throws -> Void
  ) {
    self.swiftUI = swiftUI
    self.expected = expected
    self.run = run
  }
}

import Testing

extension ConformanceRow {
  static let onChange: [ConformanceRow] = [
    .init("the action does not run when the view appears", []) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { _ in }
    },
    .init("with initial, it runs when the view appears, with the value as both", ["0>0"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, initial: true, stage.logChanges)
    },
    .init("it gets the old and the new value", ["0>1", "1>2"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 2 }
    },
    .init("with initial, old is 0 0 1 and new is 0 1 2", ["0>0", "0>1", "1>2"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, initial: true, stage.logChanges)
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 2 }
    },
    .init("an assignment of an equal value is no change", []) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { $0.count = 0 }
    },
    .init("all changes before an update of the view are one", ["0>3"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { model in for value in 1...3 { model.count = value } }
    },
    .init("a value that is back before the update has not changed", []) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { model in
        model.count = 1
        model.count = 0
      }
    },
    .init("after that the next change still begins at the old value", ["0>2"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { model in
        model.count = 1
        model.count = 0
      }
      await stage.turn { $0.count = 2 }
    },
    .init("a change directly after the modifier counts", ["0>1"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, stage.logChanges)
      stage.model.count = 1
      await stage.player.settled()
    },
    .init("what the action reads is not followed", ["0>1"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { [model = stage.model] old, new in
        stage.logChanges(old, new)
        _ = model.other
      }
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.other = 1 }
    },
    .init("with initial, what the action reads is not followed", ["0>0"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, initial: true) { [model = stage.model] old, new in
        stage.logChanges(old, new)
        _ = model.other
      }
      await stage.turn { $0.other = 1 }
    },
    .init("the action sees the new value in the model", ["now 7"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { [model = stage.model] _, _ in
        stage.log.append("now \(model.count)")
      }
      await stage.turn { $0.count = 7 }
    },
    .init("the closure without parameters runs at each change", ["changed", "changed"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { stage.log.append("changed") }
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 2 }
    },
    .init("the closure without parameters runs at once with initial", ["changed"]) { actor, stage in
      stage.player.onChange(of: stage.model.count, initial: true) { stage.log.append("changed") }
    },
    .init("an expression of two properties follows both", ["0>1", "1>11"]) { actor, stage in
      stage.player.onChange(of: stage.model.count + stage.model.other, stage.logChanges)
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.other = 10 }
    },
    .init("two properties that change together are one change", ["0>11"]) { actor, stage in
      stage.player.onChange(of: stage.model.count + stage.model.other, stage.logChanges)
      await stage.turn { model in
        model.count = 1
        model.other = 10
      }
    },
    .init("a computed property that stays equal has not changed", ["0>1"]) { actor, stage in
      stage.player.onChange(of: stage.model.tens, stage.logChanges)
      await stage.turn { $0.count = 9 }
      await stage.turn { $0.count = 10 }
      await stage.turn { $0.count = 19 }
    },
    .init("an optional value comes and goes", ["nil>Optional(1)", "Optional(1)>nil"]) { actor, stage in
      stage.player.onChange(of: stage.model.optional, stage.logChanges)
      await stage.turn { $0.optional = 1 }
      await stage.turn { $0.optional = nil }
    },
    .init("an enumeration with a payload changes with it", ["idle>running(1)", "running(1)>running(2)"]) {
      actor, stage in
      stage.player.onChange(of: stage.model.phase, stage.logChanges)
      await stage.turn { $0.phase = .running(1) }
      await stage.turn { $0.phase = .running(2) }
    },
    .init("a collection changes with its elements", ["[]>[\"a\"]"]) { actor, stage in
      stage.player.onChange(of: stage.model.list, stage.logChanges)
      await stage.turn { $0.list.append("a") }
    },
    .init("values are compared with !=, so NaN is always a change", ["0.0>nan", "nan>nan"]) { actor, stage in
      stage.player.onChange(of: stage.model.double, stage.logChanges)
      await stage.turn { $0.double = .nan }
      await stage.turn { $0.double = .nan }
    },
    .init("a property of a nested model is followed", ["0>5"]) { actor, stage in
      stage.player.onChange(of: stage.model.child.size, stage.logChanges)
      await stage.turn { $0.child.size = 5 }
    },
    .init("a nested model that is replaced by an equal one is no change", []) { actor, stage in
      stage.player.onChange(of: stage.model.child.size, stage.logChanges)
      await stage.turn { $0.child = Model.Child() }
    },
    .init("after the replacement the new model is followed, and the old one is not", ["0>2"]) { actor, stage in
      stage.player.onChange(of: stage.model.child.size, stage.logChanges)
      let old = stage.model.child
      await stage.turn { $0.child = Model.Child() }
      old.size = 1
      await stage.player.settled()
      await stage.turn { $0.child.size = 2 }
    },
    .init("what an expression depends on may change", ["0>3", "3>4"]) { actor, stage in
      stage.player.onChange(of: stage.model.flag ? stage.model.other : stage.model.count, stage.logChanges)
      await stage.turn { $0.other = 3 }
      await stage.turn { $0.flag = true }
      await stage.turn { $0.count = 9 }
      await stage.turn { $0.other = 4 }
    },
    .init("an action may change the value again", ["0>1", "1>2", "2>3"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { [model = stage.model] old, new in
        stage.logChanges(old, new)
        if new < 3 { model.count += 1 }
      }
      await stage.turn { $0.count = 1 }
    },
    .init("several actions of one value run in the order of the modifiers", ["a", "b"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { stage.log.append("a") }
      stage.player.onChange(of: stage.model.count) { stage.log.append("b") }
      await stage.turn { $0.count = 1 }
    },
    .init("the action of one value does not hide the change of another", ["other 1"]) { actor, stage in
      stage.player.onChange(of: stage.model.count) { [model = stage.model] in model.other = 1 }
      stage.player.onChange(of: stage.model.other) { _, new in stage.log.append("other \(new)") }
      await stage.turn { $0.count = 1 }
    },
    .init("a view that is gone acts on nothing", ["0>1"]) { actor, stage in
      let handle = stage.player.onChange(of: stage.model.count, stage.logChanges)
      await stage.turn { $0.count = 1 }
      handle.end()
      await stage.turn { $0.count = 2 }
    },
    .init("a view that goes between the change and the update acts on nothing", []) { actor, stage in
      let handle = stage.player.onChange(of: stage.model.count, stage.logChanges)
      stage.model.count = 1
      handle.end()
      await stage.player.settled()
    },
    .init("a new identity is a fresh lifetime", ["0>0", "0>1", "1>1"]) { actor, stage in
      let first = stage.player.onChange(of: stage.model.count, initial: true, stage.logChanges)
      await stage.turn { $0.count = 1 }
      first.end()
      stage.player.onChange(of: stage.model.count, initial: true, stage.logChanges)
    },
    .init(
      "an action that sets the value of a later modifier does not change what that one compares in this update",
      // SwiftUI: 0>5, and 5>9 in the next update.
      ["0>9"]
    ) { actor, stage in
      stage.player.onChange(of: stage.model.count) { [model = stage.model] in model.other = 9 }
      stage.player.onChange(of: stage.model.other, stage.logChanges)
      await stage.turn { model in
        model.count = 1
        model.other = 5
      }
    },
  ]

  static let feedback: [ConformanceRow] = [
    .init("no feedback plays when the view appears", []) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count)
      await stage.player.settled()
    },
    .init("feedback plays at each change", ["success", "success"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count)
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 2 }
    },
    .init("all changes before an update play once", ["success"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count)
      await stage.turn { model in for value in 1...3 { model.count = value } }
    },
    .init("a bool plays in both directions", ["selection", "selection"]) { actor, stage in
      stage.player.sensoryFeedback(.selection, trigger: stage.model.flag)
      await stage.turn { $0.flag.toggle() }
      await stage.turn { $0.flag.toggle() }
    },
    .init("a condition that does not hold keeps the feedback silent", ["success"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count) { old, new in new > old }
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 0 }
    },
    .init("the old value advances though the condition did not hold", ["0>5", "5>3"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count) { old, new in
        stage.logChanges(old, new)
        return false
      }
      await stage.turn { $0.count = 5 }
      await stage.turn { $0.count = 3 }
    },
    .init("a closure chooses the feedback by the values", ["increase", "decrease"]) { actor, stage in
      stage.player.sensoryFeedback(trigger: stage.model.count) { old, new in new > old ? .increase : .decrease }
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.count = 0 }
    },
    .init("a closure that returns nil plays nothing", []) { actor, stage in
      stage.player.sensoryFeedback(trigger: stage.model.count) { _, _ in nil }
      await stage.turn { $0.count = 1 }
    },
    .init("a closure without parameters chooses, too", ["selection"]) { actor, stage in
      stage.player.sensoryFeedback(trigger: stage.model.count) { .selection }
      await stage.turn { $0.count = 1 }
    },
    .init("what the closure reads is not followed", ["warning"]) { actor, stage in
      stage.player.sensoryFeedback(trigger: stage.model.count) { [model = stage.model] in
        model.other > 0 ? .error : .warning
      }
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.other = 1 }
    },
    .init("the intensity belongs to the feedback", ["impact-heavy at 0.5"]) { actor, stage in
      stage.player.sensoryFeedback(.impact(weight: .heavy, intensity: 0.5), trigger: stage.model.count)
      await stage.turn { $0.count = 1 }
    },
    .init("a closure may choose the intensity", ["impact-soft at 0.25", "impact-soft at 0.75"]) { actor, stage in
      stage.player.sensoryFeedback(trigger: stage.model.double) { _, new in
        .impact(flexibility: .soft, intensity: new)
      }
      await stage.turn { $0.double = 0.25 }
      await stage.turn { $0.double = 0.75 }
    },
    .init("two modifiers of one value both play", ["success", "selection"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count)
      stage.player.sensoryFeedback(.selection, trigger: stage.model.count)
      await stage.turn { $0.count = 1 }
    },
    .init("the modifiers of two values play on their own", ["success", "selection"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count)
      stage.player.sensoryFeedback(.selection, trigger: stage.model.other)
      await stage.turn { $0.count = 1 }
      await stage.turn { $0.other = 1 }
    },
    .init("a sound of one's own plays as a feedback does", ["tick"]) { actor, stage in
      stage.player.playSound("tick", trigger: stage.model.count)
      await stage.turn { $0.count = 1 }
    },
  ]
}

extension ConformanceRow {
  static let tasks: [ConformanceRow] = [
    .init("a task starts again when its id changes", ["ran", "ran"]) { actor, stage in
      stage.player.task(id: stage.model.count, delay: .zero) { stage.log.append("ran") }
      try await stage.player.advance(by: .zero)
      await stage.turn { $0.count = 1 }
      try await stage.player.advance(by: .zero)
    },
    .init("a task ends with its view", []) { actor, stage in
      let handle = stage.player.task(id: stage.model.count, delay: .seconds(1)) { stage.log.append("ran") }
      handle.end()
      try await stage.player.advance(by: .seconds(2))
    },
    .init("a task without an id runs once", ["ran"]) { actor, stage in
      stage.player.task(delay: .zero) { stage.log.append("ran") }
      await stage.turn { $0.count = 1 }
      try await stage.player.advance(by: .seconds(2))
    },
    .init("a button is disabled while its action runs", ["ran", "cancelled"]) { actor, stage in
      let button = TriggeredTask(onFinish: { stage.log.append("\($0)") }) {
        stage.log.append("ran")
        while !Task.isCancelled { await Task.yield() }
        await Task.yield()
      }
      button.start()
      while stage.log.isEmpty { await Task.yield() }
      button.cancel()
      button.start()
      while button.isRunning { await Task.yield() }
      while stage.log.count < 2 { await Task.yield() }
    },
    .init("a value that nothing changes is accepted", ["nothingObserved"]) { actor, stage in
      // A player of its own, because this is a problem.
      let other = try Stage()
      let handle = other.player.sensoryFeedback(.success, trigger: other.model.constant)
      if handle.problem == .nothingObserved { stage.log.append("nothingObserved") }
    },
    .init(
      "delay: the play is called off when the condition ends, and waits anew when it holds again", ["success"]
    ) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count, delay: .milliseconds(300)) { $1 > 0 }
      for count in [1, 0, 2, 0, 3] {
        await stage.turn { $0.count = count }
        try await stage.player.advance(by: .milliseconds(200))
      }
      try await stage.player.advance(by: .milliseconds(100))
    },
    .init("delay: a change whose debounce has not ended calls nothing off", ["success"]) { actor, stage in
      stage.player.sensoryFeedback(
        .success, trigger: stage.model.count, debounce: .milliseconds(100), delay: .milliseconds(300)
      ) { $1 > 0 }
      await stage.turn { $0.count = 1 }
      try await stage.player.advance(by: .milliseconds(350))
      await stage.turn { $0.count = 0 }
      try await stage.player.advance(by: .milliseconds(200))
    },
    .init("overlap = \"ignore\" leaves out a change while the last sound runs", ["success"]) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count, overlap: .ignore)
      for count in 1...3 { await stage.turn { $0.count = count } }
    },
    .init(
      "stop fades out what sounds, and a trigger that ignores plays the next change", ["success", "success"]
    ) { actor, stage in
      stage.player.sensoryFeedback(.success, trigger: stage.model.count, overlap: .ignore)
      await stage.turn { $0.count = 1 }
      try await stage.player.advance(by: .milliseconds(100))
      stage.player.stopAll(fade: .seconds(1))
      await stage.turn { $0.count = 2 }
    },
    .init("an onChange of another library gives old and new", ["success", "error", "tick"]) { actor, stage in
      stage.player.feedback(.success, old: 0, new: 1)
      stage.player.feedback(.success, old: 1, new: 1)
      stage.player.feedback(.success, old: 1, new: 0) { old, new in new > old }
      stage.player.feedback(old: 0, new: 1) { old, new in new > old ? .error : nil }
      stage.player.feedback(old: 1, new: 0) { old, new in new > old ? .error : nil }
      stage.player.playSound("tick", old: "a", new: "b")
      stage.player.playSound("tick", old: "b", new: "b")
    },
  ]

  static var all: [ConformanceRow] { onChange + feedback + tasks }
}

@Suite struct ConformanceTests {
  private actor Workshop {}

  @Test("on the main actor as in SwiftUI:", arguments: ConformanceRow.all)
  func mainActor(_ row: ConformanceRow) async throws { try await check(row, on: MainActor.shared) }

  @Test("on an actor of its own as in SwiftUI:", arguments: ConformanceRow.all)
  func customActor(_ row: ConformanceRow) async throws { try await check(row, on: Workshop()) }

  private func check(_ row: ConformanceRow, on actor: isolated any Actor) async throws {
    let stage = try Stage()
    try await row.run(actor, stage)
    #expect(stage.outcome == row.expected)
    #expect(stage.player.problems == [])
    try await stage.player.finish()
  }

  @Test func `the table has at least forty rows`() {
    #expect(ConformanceRow.all.count >= 50)
  }
}
