import Observation
import SoundTrigger
import SoundTriggerTesting
import Testing

@Observable final class Model {
  var count = 0
  var other = 0
  var flag = false
  var optional: Int?
  var double = 0.0
  var list: [String] = []
  var phase = Phase.idle
  var cancelled = 0
  var child = Child()
  var tens: Int { count / 10 }
  let constant = 1
  @ObservationIgnored var ignored = 0

  enum Phase: Equatable { case idle, running(Int), failed }

  @Observable final class Child { var size = 0 }
}

/// A model, a player that follows it, and what happened. Belongs to the actor that makes it.
final class Stage {
  let player: RecordingPlayer
  let model = Model()
  var log: [String] = []

  init() throws { player = try RecordingPlayer() }

  /// Sets the model in one turn, and waits for what follows.
  func turn(isolation: isolated (any Actor)? = #isolation, _ change: (Model) -> Void) async {
    change(model)
    await player.settled()
  }

  func logChanges<Value: Equatable>(_ old: Value, _ new: Value) { log.append("\(old)>\(new)") }

  /// What happened: the log, then what was played.
  var outcome: [String] { log + player.played.map(\.description) }
}
