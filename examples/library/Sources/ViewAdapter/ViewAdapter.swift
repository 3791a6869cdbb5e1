// An adapter for a view library that observes by itself, as SwiftCrossUI, adwaita-swift and OpenSwiftUI do. The first part stands for
// such a library: views that are updated, and an onChange. The second part is the adapter: SwiftUI's sensoryFeedback and playSound.
import SoundTrigger
import Stage

// MARK: What the view library has

@MainActor protocol View {
  /// Draws the view once more, because state has changed.
  func update()
}

struct Label: View {
  let text: () -> String
  func update() { precondition(!text().isEmpty) }
}

final class ChangingView<Content: View, Value: Equatable>: View {
  let content: Content
  let value: () -> Value
  let action: (Value, Value) -> Void
  private var old: Value

  init(_ content: Content, _ value: @escaping () -> Value, _ action: @escaping (Value, Value) -> Void) {
    (self.content, self.value, self.action, old) = (content, value, action, value())
  }

  func update() {
    content.update()
    let new = value()
    if new != old { action(old, new) }
    old = new
  }
}

extension View {
  func onChange<Value: Equatable>(
    of value: @autoclosure @escaping () -> Value, _ action: @escaping (Value, Value) -> Void
  ) -> some View { ChangingView(self, value, action) }
}

// MARK: The adapter

extension View {
  func sensoryFeedback<Value: Equatable>(
    _ feedback: SensoryFeedback, trigger: @autoclosure @escaping () -> Value, in player: SoundPlayer,
    condition: @escaping (Value, Value) -> Bool = { _, _ in true }
  ) -> some View {
    onChange(of: trigger()) { player.feedback(feedback, old: $0, new: $1, condition: condition) }
  }

  func sensoryFeedback<Value: Equatable>(
    trigger: @autoclosure @escaping () -> Value, in player: SoundPlayer,
    _ feedback: @escaping (Value, Value) -> SensoryFeedback?
  ) -> some View {
    onChange(of: trigger()) { player.feedback(old: $0, new: $1, feedback) }
  }

  func playSound<Value: Equatable>(
    _ sound: String, trigger: @autoclosure @escaping () -> Value, in player: SoundPlayer
  ) -> some View {
    onChange(of: trigger()) { player.playSound(sound, old: $0, new: $1) }
  }
}

// MARK: A program

/// Plain state: nothing here is observable.
@MainActor final class Basket {
  var items = 0
  var isPaid = false
}

@main struct ViewAdapter {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let basket = Basket()
    let view = Label { "\(basket.items) items" }
      .sensoryFeedback(trigger: basket.items, in: stage.player) { old, new in new > old ? .increase : .decrease }
      .sensoryFeedback(.success, trigger: basket.isPaid, in: stage.player) { _, isPaid in isPaid }
      .playSound("tick", trigger: basket.items > 1, in: stage.player)

    for (items, isPaid) in [(1, false), (1, false), (2, false), (1, false), (1, true)] {
      (basket.items, basket.isPaid) = (items, isPaid)
      view.update()
      try await stage.pass(.milliseconds(500))
    }
    try await stage.finish()
  }
}
