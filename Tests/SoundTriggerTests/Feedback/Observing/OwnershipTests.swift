import Observation
import SoundTrigger
import SoundTriggerTesting
import Testing

/// An observable model whose registrar is in another object.
private final class Wrapped: Observable {
  private let inner = Inner()
  var count: Int { inner.count }

  @Observable final class Inner { var count = 0 }
}

@MainActor @Suite struct OwnershipTests {
  @Test func `the player owns its triggers, and a handle may be thrown away`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count)
    #expect(stage.player.core.triggerCount == 1)
    await stage.turn { $0.count = 1 }
    #expect(stage.player.played == [.success])
  }

  @Test func `a handle ends its trigger alone`() async throws {
    let stage = try Stage()
    let first = stage.player.sensoryFeedback(.success, trigger: stage.model.count)
    let second = stage.player.sensoryFeedback(.selection, trigger: stage.model.count)
    first.end()
    first.end()
    #expect(first.isEnded && !second.isEnded)
    await stage.turn { $0.count = 1 }
    #expect(stage.player.played == [.selection])
  }

  @Test func `the end of a trigger drops what waits, and leaves what sounds`() async throws {
    let stage = try Stage()
    let waiting = stage.player.sensoryFeedback(.success, trigger: stage.model.count, delay: .seconds(1))
    let sounding = stage.player.sensoryFeedback(.selection, trigger: stage.model.count)
    await stage.turn { $0.count = 1 }
    waiting.end()
    sounding.end()
    #expect(!stage.player.core.isSilent)
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.player.played == [.selection])
  }

  @Test func `the place of a trigger that ended serves another one`() async throws {
    let stage = try Stage()
    for value in 1...3 {
      let handle = stage.player.sensoryFeedback(.success, trigger: stage.model.count, debounce: .seconds(1))
      await stage.turn { $0.count = value }
      handle.end()
    }
    stage.player.sensoryFeedback(.selection, trigger: stage.model.count)
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.player.played == [])
    await stage.turn { $0.count = 9 }
    #expect(stage.player.played == [.selection])
    #expect(stage.player.core.perform { triggers, _ in triggers.engine.placeCount } == 1)
  }

  @Test func `after the last trigger no place is kept`() async throws {
    let stage = try Stage()
    let handles = (0..<3).map { _ in stage.player.sensoryFeedback(.success, trigger: stage.model.count) }
    await stage.turn { $0.count = 1 }
    for handle in handles { handle.end() }
    #expect(stage.player.core.perform { triggers, _ in triggers.engine.placeCount } == 0)
    try await stage.player.advance(by: .seconds(2))
    stage.player.sensoryFeedback(.selection, trigger: stage.model.count, debounce: .seconds(1))
    await stage.turn { $0.count = 2 }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.player.played == [.success, .success, .success, .selection])
  }

  @Test func `the expression keeps its model alive, until the trigger ends`() async throws {
    let player = try RecordingPlayer()
    weak var weakModel: Model?
    var handle: TriggerHandle?
    do {
      let model = Model()
      weakModel = model
      handle = player.sensoryFeedback(.success, trigger: model.count)
    }
    #expect(weakModel != nil)
    handle?.end()
    #expect(weakModel == nil)
  }

  @Test func `a model held weakly goes, and its triggers with it`() async throws {
    let player = try RecordingPlayer()
    weak var weakModel: Model?
    var handles: [TriggerHandle] = []
    do {
      let model = Model()
      weakModel = model
      handles = [
        player.playSound("tick", of: model, trigger: \.count),
        player.sensoryFeedback(.success, of: model, trigger: \.count),
        player.sensoryFeedback(.success, of: model, trigger: \.count) { old, new in new > old },
        player.sensoryFeedback(of: model, trigger: \.count) { _, _ in .selection },
        player.onChange(of: model, \.child.size) { _, _ in },
      ]
      model.count = 1
      await player.settled()
      #expect(player.played == [.sound("tick"), .success, .success, .selection])
    }
    await player.settled()
    #expect(weakModel == nil)
    #expect(handles.map(\.isEnded) == Array(repeating: true, count: 5))
    #expect(player.core.triggerCount == 0)
  }

  @Test func `a trigger on a nested model ends with its model, though the nested one stays`() async throws {
    let player = try RecordingPlayer()
    let child = Model.Child()
    var model: Model? = Model()
    model?.child = child
    let handle = try player.onChange(of: #require(model), \.child.size) { _, _ in }
    model?.count = 1
    await player.settled()
    #expect(!handle.isEnded)
    model = nil
    await player.settled()
    #expect(handle.isEnded && player.core.triggerCount == 0)
    child.size = 1
  }

  @Test func `a model that stores no registrar of its own ends its triggers, too`() async throws {
    let player = try RecordingPlayer()
    var model: Wrapped? = Wrapped()
    let handle = try player.onChange(of: #require(model), \.count) {}
    await player.settled()
    #expect(handle.problem == nil && !handle.isEnded)
    model = nil
    await player.settled()
    #expect(handle.isEnded)
  }

  @Test func `an expression that reads nothing observable is a problem, and its trigger ends`() async throws {
    let stage = try Stage()
    let (player, model, local) = (stage.player, stage.model, 1)
    let handles = [
      player.playSound("tick", trigger: local),
      player.sensoryFeedback(.success, trigger: model.constant),
      player.sensoryFeedback(.success, trigger: model.ignored, cancellation: model.cancelled),
      player.sensoryFeedback(.success, of: model, trigger: \.constant),
      player.onChange(of: model.ignored) {},
      player.onChange(of: model, \.ignored) {},
      player.task(id: local, delay: .seconds(1)) {},
      player.task(id: local, debounce: .seconds(1)) {},
    ]
    #expect(handles.map(\.problem) == Array(repeating: .nothingObserved, count: handles.count))
    #expect(player.problems == handles.map(\.problem))
    #expect(handles.allSatisfy(\.isEnded) && player.core.triggerCount == 0)
    try await player.advance(by: .seconds(2))
    #expect(player.played == [])
  }

  @Test func `an expression that reads something observable once is no problem`() async throws {
    let stage = try Stage()
    let model = stage.model
    for handle in [
      stage.player.onChange(of: model.tens) {}, stage.player.onChange(of: model.child.size) {},
      stage.player.onChange(of: model.constant + model.count) {}, stage.player.onChange(of: model, \.tens) {},
      stage.player.onChange(of: Derived(of: model.count) { $0 > 3 }.value) {},
      stage.player.onChange(of: TriggeredTask {}.isRunning) {},
    ] {
      #expect(handle.problem == nil && !handle.isEnded)
    }
  }

  @Test func `a player that goes away ends everything, and nothing keeps it`() async throws {
    let model = Model()
    weak var weakPlayer: RecordingPlayer?
    weak var weakCore: PlayerCore?
    var handle: TriggerHandle?
    var changes = 0
    do {
      let player = try RecordingPlayer()
      weakPlayer = player
      weakCore = player.core
      handle = player.sensoryFeedback(.success, trigger: model.count)
      player.onChange(of: model.count) { changes += 1 }
      player.task(id: model.count, delay: .seconds(1)) { changes += 1 }
      await player.settled()
    }
    #expect(weakPlayer == nil && weakCore == nil)
    #expect(handle?.isEnded == true)
    model.count = 1
    for _ in 0..<10 { await Task.yield() }
    #expect(changes == 0)
  }

  @Test func `what a closure captures is freed with its trigger`() async throws {
    let stage = try Stage()
    weak var weakCapture: Model?
    var handle: TriggerHandle?
    do {
      let capture = Model()
      weakCapture = capture
      handle = stage.player.onChange(of: stage.model.count) { capture.count += 1 }
    }
    await stage.turn { $0.count = 1 }
    #expect(weakCapture?.count == 1)
    handle?.end()
    #expect(weakCapture == nil)
  }

  @Test func `a trigger too many is refused, and the others stay`() throws {
    let player = try RecordingPlayer(limit: 10)
    let model = Model()
    let handles = (0..<10).map { _ in player.onChange(of: model.count) {} }
    #expect(player.onChange(of: model.count) {}.problem == .tooManyTriggers(limit: 10))
    #expect(player.core.triggerCount == 10)
    handles[3].end()
    #expect(player.onChange(of: model.count) {}.problem == nil)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(400 * 86_400)])
  func `a time that cannot be waited for is a problem of the trigger`(_ time: Duration) throws {
    let stage = try Stage()
    for handle in [
      stage.player.playSound("tick", trigger: stage.model.count, debounce: time),
      stage.player.sensoryFeedback(.success, trigger: stage.model.count, delay: time),
      stage.player.sensoryFeedback(trigger: stage.model.count, throttle: time) { .success },
    ] {
      let problem = try #require(handle.problem)
      #expect(problem.kind == .timing)
      #expect(["debounce: ", "delay: ", "throttle: "].map { problem.description.hasPrefix($0) }.contains(true))
      #expect(handle.isEnded)
    }
    #expect(stage.player.core.triggerCount == 0)
  }

  @Test func `an unknown sound is a problem when the trigger is declared`() async throws {
    let player = try RecordingPlayer(folders: ["/nowhere", "/elsewhere"])
    let model = Model()
    let problem = SoundProblem.sound("no sound is called 'success'\n  searched: /nowhere, /elsewhere")
    #expect(player.sensoryFeedback(.success, trigger: model.count).problem == problem)
    #expect(player.problems == [problem])
  }

  @Test func `an unknown sound that a closure chooses is a problem until it chooses another`() async throws {
    let stage = try Stage()
    let handle = stage.player.sensoryFeedback(trigger: stage.model.count) { _, new in
      new < 3 ? .sound("ding") : .success
    }
    #expect(handle.problem == nil)
    await stage.turn { $0.count = 1 }
    await stage.turn { $0.count = 2 }
    #expect(stage.player.problems.count == 1)
    #expect(handle.problem == stage.player.problems.first)
    await stage.turn { $0.count = 3 }
    #expect(handle.problem == nil)
    #expect(stage.player.played == [.success])
  }
}
