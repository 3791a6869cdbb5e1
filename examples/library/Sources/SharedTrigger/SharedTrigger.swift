// A trigger value that many places share. In SwiftUI an @Observable service in the environment holds it, and one view has
// .sensoryFeedback(.success, trigger: service.saved). Here one line declares the feedback for the whole program.
import Observation
import SoundTrigger
import Stage

@MainActor @Observable final class FeedbackService {
  /// Counts the saves. Its value means nothing, its change does.
  private(set) var saved = 0

  func noteSave() { saved += 1 }
}

@MainActor struct Editor {
  let feedback: FeedbackService

  func save() { feedback.noteSave() }
}

@main struct SharedTrigger {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let feedback = FeedbackService()
    stage.player.sensoryFeedback(.success, trigger: feedback.saved)

    let editors = [Editor(feedback: feedback), Editor(feedback: feedback)]
    for editor in editors {
      editor.save()
      try await stage.pass(.milliseconds(500))
    }
    try await stage.finish()
  }
}
