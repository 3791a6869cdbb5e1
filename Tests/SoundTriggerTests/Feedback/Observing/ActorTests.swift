import Observation
import SoundTrigger
import SoundTriggerTesting
import TestSupport
import Testing

/// A model, its triggers and the log of their changes, on an actor of its own.
private actor Studio {
  let player: RecordingPlayer
  let model = Model()
  var log: [String] = []

  init(_ player: RecordingPlayer) { self.player = player }

  func observe(initial: Bool = false) {
    player.onChange(of: self.model.count, initial: initial) { old, new in
      self.assertIsolated()
      self.log.append("\(old)>\(new)")
    }
    player.sensoryFeedback(.success, trigger: self.model.count) { old, new in
      self.assertIsolated()
      return new > old
    }
  }

  func set(_ values: Int...) { for value in values { model.count = value } }

  func endTriggers() { player.core.endAll() }
}

/// A model that any thread may write.
@Observable private final class SharedModel: @unchecked Sendable {
  @ObservationIgnored private let content = Guarded(0)

  var count: Int {
    get {
      access(keyPath: \.count)
      return content.withLock { $0 }
    }
    set { withMutation(keyPath: \.count) { content.withLock { $0 = newValue } } }
  }
}

@Suite struct ActorTests {
  @Test func `a custom actor's changes are seen on that actor, one for each of its turns`() async throws {
    let player = try RecordingPlayer()
    let studio = Studio(player)
    await studio.observe(initial: true)
    await studio.set(1)
    await player.settled()
    await studio.set(2, 3)
    await player.settled()
    await studio.set(4, 3)
    await player.settled()
    #expect(await studio.log == ["0>0", "0>1", "1>3"])
    #expect(player.played == [.success, .success])
    await studio.endTriggers()
  }

  @Test func `a trigger of an actor that is gone ends with its next change`() async throws {
    let player = try RecordingPlayer()
    let model = SharedModel()
    weak var actor: Empty?
    let handle: TriggerHandle
    do {
      let empty = Empty()
      actor = empty
      handle = await empty.observe(model, player)
    }
    #expect(actor == nil)
    #expect(!handle.isEnded)
    model.count = 1
    await player.settled()
    #expect(player.played == [])
    #expect(handle.isEnded && player.core.triggerCount == 0)
  }

  @Test func `triggers of actors that are gone make room for others`() async throws {
    let player = try RecordingPlayer(limit: 10)
    let model = SharedModel()
    for _ in 0..<25 {
      let handle = await Empty().observe(model, player)
      #expect(handle.problem == nil)
    }
    #expect(player.core.triggerCount <= 10)
  }

  @Test func `a change between the first reading and its registration is not lost`() async throws {
    let player = try RecordingPlayer()
    let model = SharedModel()
    let seen = Guarded<[Int]>([])
    await onMainActor {
      var readings = 0
      func read() -> Int {
        defer {
          readings += 1
          // As another thread may, right behind the reading.
          if readings == 1 { model.count = 7 }
        }
        return model.count
      }
      player.onChange(of: read(), initial: true) { _, new in seen.withLock { $0.append(new) } }
    }
    await player.settled()
    #expect(seen.withLock { $0.last } == 7)
    player.core.endAll()
  }

  @Test func `an action that waits runs on its actor, though it does not mention that`() async throws {
    let workshop = Workshop(try RecordingPlayer())
    try await workshop.work()
  }

  @Test func `outside of an actor a trigger stays silent and says why`() async throws {
    let player = try RecordingPlayer()
    let model = SharedModel()
    let handle = player.playSound("success", trigger: model.count, isolation: nil)
    #expect(handle.problem == .notOnAnActor && handle.isEnded)
    #expect(player.problems == [.notOnAnActor])
    model.count = 1
    await player.settled()
    #expect(player.played == [])
  }

  @Test func `no last value is lost in a thousand rounds of four writing threads`() async throws {
    let player = try RecordingPlayer()
    let model = SharedModel()
    let seen = Guarded(-1)
    await onMainActor {
      player.onChange(of: model.count) { _, new in seen.withLock { $0 = new } }
    }
    for round in 1...1000 {
      await withTaskGroup { group in
        for writer in 1...4 {
          group.addTask { for step in 1...10 { model.count = round * 1000 + writer * 100 + step } }
        }
      }
      await player.settled()
      let (last, shown) = (model.count, seen.withLock { $0 })
      try #require(shown == last, "round \(round)")
    }
    player.core.endAll()
  }

  @MainActor private func onMainActor(_ body: @MainActor () -> Void) { body() }
}

@Suite struct RestlessTriggerTests {
  /// Lets two triggers set each other off without end.
  private static func agitate(_ player: SoundPlayer, _ model: Model, isolation: isolated (any Actor)? = #isolation) {
    player.onChange(of: model.count) { model.other += 1 }
    player.onChange(of: model.other) { model.count += 1 }
  }

  @Test @MainActor func `a test ends with a problem if two triggers set each other off`() async throws {
    let stage = try Stage()
    Self.agitate(stage.player, stage.model)
    await stage.turn { $0.count = 1 }
    #expect(stage.player.problems == [.restless])
    #expect(stage.model.count > 1_000)
    stage.player.core.endAll()
  }

  @Test @MainActor func `a chain of a thousand changes is no problem`() async throws {
    let stage = try Stage()
    stage.player.onChange(of: stage.model.count) { [model = stage.model] in if model.count < 1_000 { model.count += 1 }
    }
    await stage.turn { $0.count = 1 }
    #expect(stage.model.count == 1_000 && stage.player.problems == [])
  }

  @Test(arguments: [TaskPriority.background, .low, .medium, .high])
  func `a trigger that sets itself off lets other tasks of its actor run`(_ priority: TaskPriority) async throws {
    let fidget = Fidget(try RecordingPlayer())
    await fidget.begin()
    let task = Task.detached(priority: priority) { await fidget.turns }
    #expect(await task.value > 0)
    await fidget.end()
  }
}

@MainActor @Suite struct CrowdTests {
  private let player: RecordingPlayer
  private let model = Model()

  init() throws { player = try RecordingPlayer() }

  /// The median time from a change to the action of a trigger.
  private func latency() async -> Duration {
    var waiter: CheckedContinuation<Void, Never>?
    let handle = player.onChange(of: model.count) { waiter?.resume() }
    defer { handle.end() }
    var times: [Duration] = []
    for _ in 0..<101 {
      let start = ContinuousClock.now
      await withCheckedContinuation { continuation in
        waiter = continuation
        model.count += 1
      }
      times.append(ContinuousClock.now - start)
    }
    return times.sorted()[50]
  }

  @Test func `ten thousand triggers that wait for a busy actor do not delay another one`() async {
    let (shared, busy) = (SharedModel(), Busy())
    await busy.follow(shared, player, count: 10_000)
    let alone = await latency()
    busy.executor.stall()
    shared.count = 1
    let crowded = await latency()
    busy.executor.goOn()
    await player.settled()
    // A search among those that wait takes sixty times as long.
    #expect(crowded < alone * 10, "\(crowded) instead of \(alone)")
    player.core.endAll()
  }

  @Test func `a change costs the same, however many triggers of its model have ended`() async {
    let before = await latency()
    for _ in 0..<1_000 {
      player.onChange(of: model.count) {}.end()
      player.onChange(of: model, \.count) {}.end()
      player.task(id: model.count, delay: .seconds(3)) {}.end()
    }
    await player.settled()
    let after = await latency()
    // What had stayed would be looked at by each change.
    #expect(after < before * 5, "\(after) instead of \(before)")
    #expect(player.core.triggerCount == 0)
  }
}

/// An actor that can be kept from its work without blocking a thread.
private actor Busy {
  final class Executor: SerialExecutor {
    private let state = Guarded((isStalled: false, jobs: [UnownedJob]()))

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let isStalled = state.withLock { state in
        if state.isStalled { state.jobs.append(job) }
        return state.isStalled
      }
      if !isStalled { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func stall() { state.withLock { $0.isStalled = true } }

    func goOn() {
      let jobs = state.withLock { state in
        defer { state = (false, []) }
        return state.jobs
      }
      for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  nonisolated let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func follow(_ model: SharedModel, _ player: RecordingPlayer, count: Int) {
    for _ in 0..<count { player.onChange(of: model.count) {} }
  }
}

/// An actor whose trigger sets itself off without end.
private actor Fidget {
  private let player: RecordingPlayer
  private let model = Model()
  var turns: Int { model.count }

  init(_ player: RecordingPlayer) { self.player = player }

  func begin() {
    player.onChange(of: self.model.count) { self.model.count += 1 }
    model.count += 1
  }

  func end() { player.core.endAll() }
}

private actor Empty {
  func observe(_ model: SharedModel, _ player: RecordingPlayer) -> TriggerHandle {
    player.playSound("success", trigger: model.count)
  }
}

private actor Workshop {
  final class Log { var lines: [String] = [] }

  let player: RecordingPlayer
  let log = Log()

  init(_ player: RecordingPlayer) { self.player = player }

  func work() async throws {
    // Neither closure captures the actor.
    let (log, actor) = (log, Weak(self))
    let task = TriggeredTask {
      actor.reference?.preconditionIsolated()
      log.lines.append("task")
    }
    player.task(delay: .seconds(1)) {
      actor.reference?.preconditionIsolated()
      log.lines.append("delayed")
    }
    task.start()
    while task.isRunning { await Task.yield() }
    try await player.advance(by: .seconds(1))
    #expect(log.lines == ["task", "delayed"])
    player.core.endAll()
  }
}

private struct Weak: Sendable {
  weak let reference: Workshop?
  init(_ reference: Workshop) { self.reference = reference }
}
