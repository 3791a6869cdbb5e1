import Observation
import SoundTrigger
import SoundTriggerTesting

@Observable final class Model {
  var saves = 0
  var phase = "begin"
  var isStored = false

  func store() async throws { isStored = true }
}

/// Every kind of declaration that the library has.
func addFeedback(to player: SoundPlayer, for model: Model) -> TriggeredTask {
  player.sensoryFeedback(.success, trigger: model.saves)
  player.sensoryFeedback(.warning, trigger: model.saves) { old, new in new < old }
  player.sensoryFeedback(trigger: model.phase) { _, new in new == "failed" ? .error : nil }
  player.playSound("tick", trigger: model.phase, throttle: .seconds(1))
  player.sensoryFeedback(.stop, of: model, trigger: \.isStored) { _, isStored in !isStored }
  player.onChange(of: model.phase) { _, phase in model.isStored = phase == "end" }
  player.onProblem { problem in fatalError("\(problem)") }
  return TriggeredTask(player: player) { try await model.store() }
}

@main struct Program {
  static func main() async throws {
    let player = try RecordingPlayer()
    let model = Model()
    let store = addFeedback(to: player, for: model)
    model.saves += 1
    try await player.advance(by: .seconds(1))
    model.phase = "end"
    try await player.advance(by: .seconds(1))
    precondition(model.isStored && !store.isRunning)
    print(player.played.map(\.description).joined(separator: ", "))
    try await player.finish()
  }
}
