// A button whose action is asynchronous. In SwiftUI a view keeps the task and the progress in @State and cancels it with
// .onChange; here TriggeredTask is that button without the view.
import Observation
import SoundTrigger
import Stage

@MainActor @Observable final class Document {
  /// Whether the server has answered.
  var isStored = false
  /// Changes when the user closes the document.
  var closed = 0

  func store() async throws {
    isStored = false
    while !isStored {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}

@main struct AsyncButton {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let document = Document()
    let save = TriggeredTask(player: stage.player, cancellation: document.closed) { try await document.store() }

    save.start()
    // The second tap does nothing, because the action still runs.
    save.start()
    try await stage.pass(.milliseconds(400))
    document.isStored = true
    while save.isRunning { await Task.yield() }
    try await stage.pass(.milliseconds(600))

    save.start()
    try await stage.pass(.milliseconds(200))
    document.closed += 1
    while save.isRunning { await Task.yield() }
    try await stage.finish()
  }
}
