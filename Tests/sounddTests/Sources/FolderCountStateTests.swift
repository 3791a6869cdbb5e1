import SoundTrigger
import Testing

@testable import soundd

@Suite struct FolderCountStateTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `a folder at rest is not counted, and its first number is believed`() {
    var state = FolderCountState()
    #expect(state.deadline == nil)
    state.countBegan()
    let isBelieved = state.counted(at: at(0))
    #expect(isBelieved)
    #expect(state.deadline == nil)
  }

  @Test func `what comes or goes is counted after 50 ms of quiet`() {
    var state = FolderCountState()
    state.changed(at: at(0))
    #expect(state.deadline == at(50))
    state.changed(at: at(30))
    #expect(state.deadline == at(80))
    state.countBegan()
    #expect(state.deadline == nil)
    let isBelieved = state.counted(at: at(80))
    #expect(isBelieved)
    #expect(state.deadline == nil)
  }

  @Test func `a burst that does not end is counted after 500 ms`() {
    var state = FolderCountState()
    for time in stride(from: Int64(0), through: 480, by: 40) { state.changed(at: at(time)) }
    #expect(state.deadline == at(500))
  }

  @Test func `a number that was overtaken is counted again`() {
    var state = FolderCountState()
    state.changed(at: at(0))
    state.countBegan()
    state.changed(at: at(51))
    var isBelieved = state.counted(at: at(52))
    #expect(!isBelieved)
    #expect(state.deadline == at(101))
    state.countBegan()
    isBelieved = state.counted(at: at(102))
    #expect(isBelieved)
    #expect(state.deadline == nil)
  }

  @Test func `of a folder that is never at rest a number is told every 500 ms`() {
    var state = FolderCountState()
    var told: [Int64] = []
    for time in Int64(0)...1200 {
      state.changed(at: at(time))
      guard let deadline = state.deadline, deadline <= at(time) else { continue }
      state.countBegan()
      // It takes no time, and something comes all the same.
      state.changed(at: at(time))
      if state.counted(at: at(time)) { told.append(time) }
    }
    #expect(told == [500, 1000])
  }
}
