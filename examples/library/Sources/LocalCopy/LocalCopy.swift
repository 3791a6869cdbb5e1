// A local copy that is kept in sync with its source, such as the text of a field that is edited and then taken over. Two
// onChange are enough. The source comes first, with `initial`, so the copy never begins empty.
import Observation
import SoundTrigger
import Stage

@MainActor @Observable final class Profile {
  var name = "Ada"
}

@MainActor @Observable final class Field {
  /// The copy that is edited.
  var text = ""
  var isEditing = false
}

@main struct LocalCopy {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let (profile, field) = (Profile(), Field())
    stage.player.onChange(of: profile.name, initial: true) { _, name in field.text = name }
    stage.player.onChange(of: field.isEditing) { _, isEditing in
      if !isEditing { profile.name = field.text }
    }
    stage.player.sensoryFeedback(.success, trigger: profile.name)

    precondition(field.text == "Ada", "the copy does not begin at its source")
    field.isEditing = true
    field.text = "Grace"
    try await stage.pass(.milliseconds(300))
    field.isEditing = false
    try await stage.pass(.milliseconds(300))
    profile.name = "Barbara"
    try await stage.pass(.milliseconds(300))
    precondition(field.text == "Barbara", "the copy does not follow its source")
    try await stage.finish()
  }
}
