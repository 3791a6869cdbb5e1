import Testing

@testable import SoundTrigger

/// Whether a card is taken in the place of a sound server.
struct ServerLossTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  /// What is opened when, and whether it is taken.
  struct Step: Sendable {
    var isServers: Bool
    var time: Double
    var isTaken: Bool

    static func server(_ time: Double) -> Step { Step(isServers: true, time: time, isTaken: true) }
    static func card(_ time: Double, _ isTaken: Bool) -> Step { Step(isServers: false, time: time, isTaken: isTaken) }
  }

  @Test(
    arguments: [
      // Without a server before, at once.
      [.card(0, true), .card(1, true), .server(2)],
      // After a server two seconds later, and then it has the place.
      [.server(0), .card(10, false), .card(11.9, false), .card(12, true), .card(12.1, true)],
      // A server that is back in that time is taken, and its next loss counts again.
      [.server(0), .card(10, false), .server(11), .card(20, false), .card(21.9, false), .card(22, true)],
    ] as [[Step]])
  func `after a server another device is taken only if the server is not back within two seconds`(steps: [Step]) {
    var loss = ServerLoss()
    let taken = steps.map { loss.takes(isServers: $0.isServers, at: at($0.time)) }
    #expect(taken == steps.map(\.isTaken))
  }

  @Test func `a refused device is not opened by sounds until the time is over or the server appears`() throws {
    let output = try Output(OutputSettings(device: "x"), opened: .unanswered(OutputSettings(device: "x")))
    var upkeep = DeviceUpkeep(OutputSettings(device: "x"))
    upkeep.opened(at: at(0))
    upkeep.lost(at: at(10))
    var action = upkeep.update(output, at: at(10))
    #expect(action == .open)
    upkeep.refused(until: at(12), at: at(10.01))
    #expect(upkeep.deadline == at(12))
    action = upkeep.soundBegins(on: output, at: at(11))
    #expect(action == nil)
    action = upkeep.update(output, at: at(11))
    #expect(action == nil)
    upkeep.serverAppeared(at: at(11.5))
    action = upkeep.update(output, at: at(11.5))
    #expect(action == .open)
    // The server does not answer yet, so ALSA has opened a card again.
    upkeep.refused(until: nil, at: at(11.51))
    #expect(try #require(upkeep.deadline) < at(11.8))
    action = upkeep.soundBegins(on: output, at: at(11.8))
    #expect(action == .open)
  }
}
