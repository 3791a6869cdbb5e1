import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd reload`: read the configuration again.
struct ReloadCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the running daemon read its configuration again.",
    discussion: """
      The command returns when the daemon uses the new configuration
      and has loaded its sounds.
      A configuration with errors changes nothing; then the exit code is 77.
      It lists on standard error the sounds that it cannot load.
      They do not make it fail: each plays again once its file is good.
      """)

  @OptionGroup var daemon: HookOptions

  func run() throws {
    let client = try daemon.connect()
    _ = try client.ask("reload", loadsSounds: true)
    for trigger in try client.status().triggers {
      guard let problem = trigger.problem else { continue }
      StandardStreams.show("trigger '\(trigger.name.shownName)': \(Excerpt.escaping(problem))", priority: 4)
    }
  }
}
