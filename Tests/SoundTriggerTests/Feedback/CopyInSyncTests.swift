import SoundTrigger
import SoundTriggerTesting
import Testing

/// A copy that two triggers keep in sync with its source, as the guide shows it.
@MainActor @Suite struct CopyInSyncTests {
  private func keepInSync(_ stage: Stage) {
    let model = stage.model
    stage.player.onChange(of: model.count, initial: true) { _, new in model.other = new }
    stage.player.onChange(of: model.other) { old, new in
      stage.logChanges(old, new)
      model.count = new
    }
  }

  @Test func `at the beginning the copy gets the source's value, and nothing is written back`() async throws {
    let stage = try Stage()
    stage.model.count = 5
    keepInSync(stage)
    await stage.player.settled()
    #expect(stage.model.other == 5 && stage.log == [])
  }

  @Test func `a change of either reaches the other one and comes to rest`() async throws {
    let stage = try Stage()
    keepInSync(stage)
    await stage.turn { $0.count = 1 }
    #expect(stage.model.other == 1)
    await stage.turn { $0.other = 2 }
    #expect(stage.model.count == 2)
    #expect(stage.log == ["0>1", "1>2"])
  }

  @Test func `if both change in one turn, the source wins`() async throws {
    let stage = try Stage()
    keepInSync(stage)
    await stage.turn { model in
      model.other = 7
      model.count = 3
    }
    #expect(stage.model.count == 3 && stage.model.other == 3)
  }
}
