// A task that waits, and is cancelled if its identity changes first: a message counts as read after a second on it. In
// SwiftUI this is .task(id:) with a sleep; the search below is a debounce, which each letter begins anew.
import Observation
import SoundTrigger
import Stage

@MainActor @Observable final class Mailbox {
  var selected = 0
  var read: Set<Int> = []
  var query = ""
  var searches = 0

  func select(_ message: Int, _ player: SoundPlayer) {
    selected = message
    player.task(id: self.selected, delay: .seconds(1)) { self.read.insert(message) }
  }
}

@main struct DelayedTask {
  @MainActor static func main() async throws {
    let stage = try Stage()
    let mailbox = Mailbox()
    stage.player.sensoryFeedback(.selection, trigger: mailbox.read)
    stage.player.sensoryFeedback(.start, trigger: mailbox.searches)
    stage.player.task(id: mailbox.query, debounce: .milliseconds(300)) { mailbox.searches += 1 }

    // Half a second on the first message is not enough.
    mailbox.select(1, stage.player)
    try await stage.pass(.milliseconds(500))
    mailbox.select(2, stage.player)
    try await stage.pass(.milliseconds(1500))

    for letter in "swift" {
      mailbox.query.append(letter)
      try await stage.pass(.milliseconds(100))
    }
    try await stage.pass(.seconds(1))
    try await stage.finish()
  }
}
