// A control with events: SwiftUI's Stepper takes onIncrement and onDecrement. The closure that is the core of a thing is called
// `action`; a closure for an event that goes with it begins with `on` and has a default.
import Observation
import SoundTrigger
import Stage

@MainActor struct Stepper {
  let range: ClosedRange<Int>
  var onIncrement: () -> Void = {}
  var onDecrement: () -> Void = {}

  func increment(_ value: inout Int) {
    if value == range.upperBound { return }
    value += 1
    onIncrement()
  }

  func decrement(_ value: inout Int) {
    if value == range.lowerBound { return }
    value -= 1
    onDecrement()
  }
}

@MainActor @Observable final class Order {
  var pieces = 1
}

@main struct StepperProgram {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let order = Order()
    stage.player.sensoryFeedback(.selection(.maximum), trigger: order.pieces) { _, pieces in pieces == 3 }
    let stepper = Stepper(
      range: 1...3, onIncrement: { stage.player.play(.increase) }, onDecrement: { stage.player.play(.decrease) })

    for _ in 0..<3 {
      stepper.increment(&order.pieces)
      try await stage.pass(.milliseconds(400))
    }
    stepper.decrement(&order.pieces)
    try await stage.finish()
  }
}
