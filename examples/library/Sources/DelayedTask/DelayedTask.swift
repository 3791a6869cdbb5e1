// A task that waits, and begins anew if its identity changes first: a message counts as read after a second on it. In
// SwiftUI this is .task(id:) with a sleep. The search below is a debounce, which each letter begins anew.
import Observation
import SoundTrigger
import Stage

@MainActor @Observable final class Mailbox {
  var selected = 1
  var read: Set<Int> = []
  var query = ""
  var searches = 0
}

@main struct DelayedTask {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let mailbox = Mailbox()
    stage.player.sensoryFeedback(.selection, trigger: mailbox.read)
    stage.player.sensoryFeedback(.start, trigger: mailbox.searches)
    stage.player.task(id: mailbox.selected, delay: .seconds(1)) { mailbox.read.insert(mailbox.selected) }
    stage.player.task(id: mailbox.query, debounce: .milliseconds(300)) { mailbox.searches += 1 }

    // Half a second on the first message is not enough.
    try await stage.pass(.milliseconds(500))
    mailbox.selected = 2
    try await stage.pass(.milliseconds(1500))

    for letter in "swift" {
      mailbox.query.append(letter)
      try await stage.pass(.milliseconds(100))
    }
    try await stage.pass(.seconds(1))
    try await stage.finish()
  }
}
