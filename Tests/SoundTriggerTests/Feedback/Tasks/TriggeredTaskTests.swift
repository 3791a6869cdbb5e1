import SoundTrigger
import SoundTriggerTesting
import Testing

/// A door that an action waits at.
private actor Door {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for waiter in waiting { waiter.resume() }
    waiting = []
  }
}

private struct UploadError: Error {}

@MainActor @Suite struct TriggeredTaskTests {
  private func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `it runs while the action runs, and then has finished`() async throws {
    let stage = try Stage()
    let door = Door()
    let task = TriggeredTask(player: stage.player) { await door.pass() }
    #expect(!task.isRunning)
    task.start()
    #expect(task.isRunning && task.outcome == nil)
    #expect(stage.player.played == [.start])
    await door.open()
    await until { !task.isRunning }
    guard case .finished? = task.outcome else { throw UploadError() }
    await until { stage.player.played == [.start, .success] }
  }

  @Test func `further starts are ignored while it runs`() async throws {
    let door = Door()
    var runs = 0
    let task = TriggeredTask {
      runs += 1
      await door.pass()
    }
    task.start()
    task.start()
    await door.open()
    await until { !task.isRunning }
    #expect(runs == 1)
    task.start()
    await until { !task.isRunning }
    #expect(runs == 2)
  }

  @Test func `an error is its outcome, and plays the failure`() async throws {
    let stage = try Stage()
    var outcomes: [String] = []
    let task = TriggeredTask(player: stage.player, onFinish: { outcomes.append("\($0)") }) { throw UploadError() }
    task.start()
    await until { !outcomes.isEmpty }
    #expect(outcomes.count == 1 && outcomes[0].hasPrefix("failed("))
    #expect(stage.player.played == [.start, .error])
  }

  @Test func `after a change of its cancellation value it runs until the action has returned`() async throws {
    let stage = try Stage()
    let door = Door()
    var outcomes: [String] = []
    var (runs, wasCancelled) = (0, false)
    let task = TriggeredTask(
      player: stage.player, cancellation: stage.model.cancelled, onFinish: { outcomes.append("\($0)") }
    ) {
      runs += 1
      await door.pass()
      wasCancelled = Task.isCancelled
    }
    task.start()
    await until { runs == 1 }
    await stage.turn { $0.cancelled += 1 }
    #expect(task.isRunning && task.outcome == nil)
    // The button is still disabled.
    task.start()
    await Task.yield()
    #expect(runs == 1 && outcomes == [])
    await door.open()
    await until { !outcomes.isEmpty }
    #expect(outcomes == ["cancelled"] && wasCancelled && !task.isRunning)
    task.start()
    await until { outcomes.count == 2 }
    #expect(outcomes == ["cancelled", "finished"] && runs == 2)
    #expect(stage.player.played == [.start, .start, .success])
  }

  @Test func `an action that throws after its cancellation was cancelled and has not failed`() async throws {
    let stage = try Stage()
    let door = Door()
    var outcomes: [String] = []
    let task = TriggeredTask(player: stage.player, onFinish: { outcomes.append("\($0)") }) {
      await door.pass()
      throw UploadError()
    }
    task.start()
    task.cancel()
    task.cancel()
    await door.open()
    await until { !outcomes.isEmpty }
    #expect(outcomes == ["cancelled"] && stage.player.played == [.start])
  }

  @Test func `two actions never overlap, whoever starts and cancels them`() async throws {
    let running = Guarded((now: 0, most: 0))
    let task = TriggeredTask {
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      await Task.yield()
      running.withLock { $0.now -= 1 }
    }
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            task.start()
            await Task.yield()
            task.cancel()
          }
        }
      }
    }
    await until { !task.isRunning }
    #expect(running.withLock { $0.most } == 1)
  }

  @Test func `a cancellation value may begin as nil`() async throws {
    let stage = try Stage()
    let door = Door()
    let task = TriggeredTask(cancellation: stage.model.optional) { await door.pass() }
    task.start()
    await stage.turn { $0.optional = 5 }
    await door.open()
    await until { !task.isRunning }
    guard case .cancelled? = task.outcome else { throw UploadError() }
  }

  @Test func `outside of an actor it never runs, and says why`() async throws {
    let player = try RecordingPlayer()
    let task = TriggeredTask(player: player, isolation: nil) {}
    #expect(task.problem == .notOnAnActor && player.problems == [.notOnAnActor])
    task.start()
    #expect(!task.isRunning && player.played == [])
  }

  @Test func `a cancellation while nothing runs does nothing`() async throws {
    let stage = try Stage()
    let task = TriggeredTask(cancellation: stage.model.cancelled) {}
    await stage.turn { $0.cancelled += 1 }
    task.cancel()
    #expect(task.outcome == nil)
    task.start()
    await until { !task.isRunning }
    guard case .finished? = task.outcome else { throw UploadError() }
  }

  @Test func `whether it runs can be observed`() async throws {
    let stage = try Stage()
    let door = Door()
    let task = TriggeredTask { await door.pass() }
    stage.player.onChange(of: task.isRunning, stage.logChanges)
    task.start()
    await stage.player.settled()
    await door.open()
    await until { stage.log.count == 2 }
    #expect(stage.log == ["false>true", "true>false"])
  }

  @Test func `it frees what it captured, and is not kept by its value`() async throws {
    let model = Model()
    weak var weakTask: TriggeredTask?
    do {
      let task = TriggeredTask(cancellation: model.cancelled) {}
      weakTask = task
      task.start()
      await until { !task.isRunning }
    }
    await until { weakTask == nil }
    model.cancelled += 1
  }

  @Test func `its action runs on the actor that made it`() async throws {
    let task = TriggeredTask { MainActor.assertIsolated() }
    await Task.detached { task.start() }.value
    await until { !task.isRunning }
  }
}

@MainActor @Suite struct DelayedTaskTests {
  @Test func `a task runs after its delay`() async throws {
    let stage = try Stage()
    stage.player.task(id: stage.model.count, delay: .seconds(1)) { stage.log.append("ran") }
    try await stage.player.advance(by: .milliseconds(999))
    #expect(stage.log == [])
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.log == ["ran"])
  }

  @Test func `its delay begins at once, whatever other threads do`() async throws {
    let stage = try Stage()
    for _ in 0..<500 {
      let handle = stage.player.task(id: stage.model.count, delay: .seconds(1)) { stage.log.append("ran") }
      try await stage.player.advance(by: .seconds(1))
      handle.end()
    }
    #expect(stage.log.count == 500)
  }

  @Test func `a change of its id begins the delay anew`() async throws {
    let stage = try Stage()
    stage.player.task(id: stage.model.count, delay: .seconds(3)) { [model = stage.model] in
      stage.log.append("read \(model.count)")
    }
    try await stage.player.advance(by: .seconds(2))
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(2_999))
    #expect(stage.log == [])
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.log == ["read 1"])
    // After the action, too.
    await stage.turn { $0.count = 2 }
    try await stage.player.advance(by: .seconds(3))
    #expect(stage.log == ["read 1", "read 2"])
  }

  @Test func `a change of its id cancels the action that runs, and begins the next delay`() async throws {
    let stage = try Stage()
    stage.player.task(id: stage.model.count, delay: .seconds(1)) { [model = stage.model] in
      stage.log.append("began \(model.count)")
      if model.count > 0 { return }
      while !Task.isCancelled { await Task.yield() }
      stage.log.append("cancelled")
    }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.log == ["began 0"])
    await stage.turn { $0.count = 1 }
    while stage.log.count < 2 { await Task.yield() }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.log == ["began 0", "cancelled", "began 1"])
  }

  @Test func `a task without an id runs once, and its handle cancels it`() async throws {
    let stage = try Stage()
    let first = stage.player.task(delay: .seconds(1)) { stage.log.append("first") }
    let second = stage.player.task(delay: .seconds(1)) { stage.log.append("second") }
    second.end()
    try await stage.player.advance(by: .seconds(5))
    #expect(stage.log == ["first"])
    #expect(first.isEnded && stage.player.core.triggerCount == 0)
  }

  @Test func `a task without an id that has run keeps nothing alive`() async throws {
    let player = try RecordingPlayer()
    weak var weakModel: Model?
    do {
      let model = Model()
      weakModel = model
      player.task(delay: .seconds(1)) { model.count = 1 }
    }
    #expect(weakModel != nil)
    try await player.advance(by: .seconds(1))
    for _ in 0..<100 where weakModel != nil { await Task.yield() }
    #expect(weakModel == nil)
  }

  @Test func `a task whose action returns at once is forgotten, whatever its delay`() async throws {
    let stage = try Stage()
    stage.player.task(delay: .zero) { stage.log.append("ran") }
    try await stage.player.advance(by: .zero)
    #expect(stage.log == ["ran"] && stage.player.core.triggerCount == 0)
  }

  @Test func `more tasks than a player may have triggers run one after the other`() async throws {
    let stage = try Stage()
    var ran = 0
    for batch in 0..<66 {
      for _ in 0..<1_000 { stage.player.task(delay: .milliseconds(1)) { ran += 1 } }
      try await stage.player.advance(by: .milliseconds(1))
      try #require(stage.player.core.triggerCount == 0, "batch \(batch)")
    }
    #expect(ran == 66_000 && stage.player.problems == [])
  }

  @Test(arguments: [TaskPriority.background, .low, .high])
  func `the priority reaches the action`(_ priority: TaskPriority) async throws {
    let stage = try Stage()
    var seen: [TaskPriority] = []
    stage.player.task(delay: .seconds(1), priority: priority) { seen.append(Task.currentPriority) }
    stage.player.task(id: stage.model.count, delay: .seconds(1), priority: priority) {
      seen.append(Task.currentPriority)
    }
    stage.player.task(id: stage.model.count, debounce: .seconds(1), priority: priority) {
      seen.append(Task.currentPriority)
    }
    try await stage.player.advance(by: .seconds(1))
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .seconds(1))
    #expect(seen == Array(repeating: priority, count: 4))
  }

  @Test func `without a priority the action has that of the caller, also after a change of the id`() async throws {
    let stage = try Stage()
    var seen: [TaskPriority] = []
    stage.player.task(id: stage.model.count, debounce: .seconds(1)) { seen.append(Task.currentPriority) }
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .seconds(1))
    #expect(seen == [Task.currentPriority])
  }

  @Test func `its handle cancels it`() async throws {
    let stage = try Stage()
    let handle = stage.player.task(id: stage.model.count, delay: .seconds(1)) { stage.log.append("ran") }
    handle.end()
    try await stage.player.advance(by: .seconds(5))
    #expect(stage.log == [])
  }

  @Test func `its handle cancels the action that runs, and so does the end of the player`() async throws {
    let model = Model()
    var log: [String] = []
    var player: RecordingPlayer? = try RecordingPlayer()
    let handle = player?.task(id: model.count, delay: .seconds(1)) {
      while !Task.isCancelled { await Task.yield() }
      log.append("ended by the handle")
    }
    player?.task(id: model.count, delay: .seconds(1)) {
      while !Task.isCancelled { await Task.yield() }
      log.append("ended with the player")
    }
    try await player?.advance(by: .seconds(1))
    handle?.end()
    while log.count < 1 { await Task.yield() }
    player = nil
    while log.count < 2 { await Task.yield() }
    #expect(log == ["ended by the handle", "ended with the player"])
  }

  @Test func `a debounce is begun anew by each change`() async throws {
    let stage = try Stage()
    stage.player.task(id: stage.model.count, debounce: .seconds(1)) { [model = stage.model] in
      stage.log.append("ran \(model.count)")
    }
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.log == [])
    for value in 1...3 {
      await stage.turn { $0.count = value }
      try await stage.player.advance(by: .milliseconds(900))
    }
    #expect(stage.log == [])
    try await stage.player.advance(by: .milliseconds(100))
    #expect(stage.log == ["ran 3"])
  }

  @Test func `a debounced action that runs is not cancelled by the next change`() async throws {
    let stage = try Stage()
    stage.player.task(id: stage.model.count, debounce: .seconds(1)) { [model = stage.model] in
      while model.other == 0 { await Task.yield() }
      stage.log.append(Task.isCancelled ? "cancelled" : "done")
    }
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .seconds(1))
    await stage.turn { $0.count = 2 }
    stage.model.other = 1
    while stage.log.isEmpty { await Task.yield() }
    #expect(stage.log == ["done"])
  }

  @Test func `a derived value is followed and never stored`() async throws {
    let stage = try Stage()
    let failed = Derived(of: stage.model.phase) { $0 == .failed }
    stage.player.sensoryFeedback(.error, trigger: failed.value) { _, isFailed in isFailed }
    await stage.turn { $0.phase = .running(1) }
    await stage.turn { $0.phase = .failed }
    await stage.turn { $0.phase = .idle }
    #expect(stage.player.played == [.error])
    #expect(!failed.value)
  }
}
