import SoundTrigger
import SoundTriggerTesting
import Testing

@MainActor @Suite struct FeedbackTimingTests {
  @Test func `a debounce plays once the value has been still`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, debounce: .milliseconds(250))
    for value in 1...3 {
      await stage.turn { $0.count = value }
      try await stage.player.advance(by: .milliseconds(200))
    }
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .milliseconds(49))
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.player.played == [.success])
  }

  @Test func `a debounced burst that ends where it began is no change`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, debounce: .milliseconds(250))
    await stage.turn { $0.count = 1 }
    await stage.turn { $0.count = 2 }
    await stage.turn { $0.count = 0 }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.player.played == [])
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.player.played == [.success])
  }

  @Test func `after everything was stopped, a trigger that ignores plays the next change while the last sound fades`()
    async throws
  {
    let stage = try Stage()
    stage.player.playSound("alarm", trigger: stage.model.count, overlap: .ignore)
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(100))
    await stage.turn { $0.count = 2 }
    #expect(stage.player.played == [.sound("alarm")])
    stage.player.stopAll(fade: .seconds(60))
    await stage.turn { $0.count = 3 }
    #expect(stage.player.played == [.sound("alarm"), .sound("alarm")])
  }

  @Test func `everything that is stopped fades in the time that was asked for`() async throws {
    let stage = try Stage()
    stage.player.playSound("alarm", trigger: stage.model.count)
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(100))
    stage.player.stopAll(fade: .milliseconds(300))
    try await stage.player.advance(by: .milliseconds(299))
    #expect(!stage.player.core.isSilent)
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.player.core.isSilent)
    #expect(stage.player.played == [.sound("alarm")])
  }

  @Test func `a condition gets the value before the burst and the last one`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, debounce: .milliseconds(250)) { old, new in
      stage.logChanges(old, new)
      return new == old + 3
    }
    await stage.turn { $0.count = 2 }
    await stage.turn { $0.count = 3 }
    try await stage.player.advance(by: .seconds(1))
    await stage.turn { $0.count = 4 }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.log == ["0>2", "0>3", "3>4"])
    #expect(stage.player.played == [.success])
  }

  @Test func `a delay plays later, with what the last change chose`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(trigger: stage.model.count, delay: .seconds(1)) { _, new in
      new > 1 ? .success : .warning
    }
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(500))
    await stage.turn { $0.count = 2 }
    try await stage.player.advance(by: .milliseconds(499))
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.player.played == [.success])
  }

  @Test func `a condition that ends calls off the delay, and begins it anew when it holds again`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.warning, trigger: stage.model.count, delay: .milliseconds(300)) { _, new in new > 10 }
    await stage.turn { $0.count = 11 }
    try await stage.player.advance(by: .milliseconds(280))
    await stage.turn { $0.count = 5 }
    try await stage.player.advance(by: .milliseconds(10))
    await stage.turn { $0.count = 12 }
    try await stage.player.advance(by: .milliseconds(299))
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .milliseconds(1))
    #expect(stage.player.played == [.warning])
  }

  @Test func `a closure that returns nil calls off the delay, too`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(trigger: stage.model.count, delay: .milliseconds(300)) { _, new in
      new > 10 ? .warning : nil
    }
    for value in [11, 5, 12] {
      await stage.turn { $0.count = value }
      try await stage.player.advance(by: .milliseconds(200))
    }
    #expect(stage.player.played == [])
    try await stage.player.advance(by: .milliseconds(100))
    #expect(stage.player.played == [.warning])
  }

  @Test func `a change whose debounce has not ended calls off no delayed play`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(
      .warning, trigger: stage.model.count, debounce: .milliseconds(100), delay: .milliseconds(300)
    ) { _, new in new > 10 }
    await stage.turn { $0.count = 11 }
    // It plays at 400 ms.
    try await stage.player.advance(by: .milliseconds(350))
    await stage.turn { $0.count = 5 }
    try await stage.player.advance(by: .milliseconds(50))
    #expect(stage.player.played == [.warning])
  }

  @Test func `a throttle lets the first through`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.selection, trigger: stage.model.count, throttle: .seconds(1))
    for value in 1...4 {
      await stage.turn { $0.count = value }
      try await stage.player.advance(by: .milliseconds(500))
    }
    #expect(stage.player.played == [.selection, .selection])
  }

  @Test(arguments: [(SoundPlayer.Overlap.mix, 3), (.ignore, 1), (.restart, 3), (.queue, 1)])
  func `an overlap is handled as asked`(_ overlap: SoundPlayer.Overlap, heardAtOnce: Int) async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, overlap: overlap)
    for value in 1...3 {
      await stage.turn { $0.count = value }
      try await stage.player.advance(by: .milliseconds(50))
    }
    #expect(stage.player.played.count == heardAtOnce)
    // The sound lasts 650 ms.
    try await stage.player.advance(by: .seconds(3))
    #expect(stage.player.played.count == (overlap == .ignore ? 1 : 3))
  }

  @Test func `a play in the queue keeps the intensity that was chosen for it`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(trigger: stage.model.double, overlap: .queue) { _, new in
      .impact(weight: .light, intensity: new)
    }
    for intensity in [0.25, 0.5, 0.75] { await stage.turn { $0.double = intensity } }
    try await stage.player.advance(by: .seconds(1))
    #expect(stage.player.played.map(\.intensity) == [0.25, 0.5, 0.75])
  }

  @Test func `a cancellation drops what waits`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(
      .success, trigger: stage.model.count, delay: .seconds(1), cancellation: stage.model.cancelled)
    await stage.turn { $0.count = 1 }
    await stage.turn { $0.cancelled += 1 }
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.player.played == [])
    await stage.turn { $0.count = 2 }
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.player.played == [.success])
  }

  @Test func `a cancellation fades out what runs`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(.success, trigger: stage.model.count, cancellation: stage.model.cancelled)
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(100))
    #expect(!stage.player.core.isSilent)
    await stage.turn { $0.cancelled += 1 }
    try await stage.player.advance(by: .milliseconds(20))
    #expect(stage.player.core.isSilent)
  }

  @Test func `in one turn the cancellation acts before the trigger`() async throws {
    let stage = try Stage()
    stage.player.sensoryFeedback(
      .success, trigger: stage.model.count, delay: .seconds(1), cancellation: stage.model.cancelled)
    await stage.turn { model in
      model.count = 1
      model.cancelled = 1
    }
    try await stage.player.advance(by: .seconds(2))
    #expect(stage.player.played == [.success])
  }

  @Test func `many deadlines of many triggers keep their times`() async throws {
    let stage = try Stage()
    for index in 1...50 {
      stage.player.sensoryFeedback(
        .impact(weight: .light, intensity: Double(index) / 100), trigger: stage.model.count,
        delay: .milliseconds(100 * index))
    }
    await stage.turn { $0.count = 1 }
    try await stage.player.advance(by: .milliseconds(2_500))
    #expect(stage.player.played.map(\.intensity) == (1...25).map { Double($0) / 100 })
  }
}
