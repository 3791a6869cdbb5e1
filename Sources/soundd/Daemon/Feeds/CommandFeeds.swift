import Logging
import SoundTrigger
import SoundWire

/// Runs the commands of a configuration: those of single values, and the feeds.
final class CommandFeeds {
  private let pipeline: Pipeline
  private let log: Logger
  private let runner: CommandRunner
  private var commands: [CommandFeed] = []

  init(_ pipeline: Pipeline, _ setting: CommandRunner.Setting, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.log = log
    runner = CommandRunner(setting, on: loop)
  }

  var isEmpty: Bool { commands.isEmpty }

  /// Whether no process is left.
  var isIdle: Bool { runner.isIdle }

  /// Runs the commands of a configuration, and no others. One that stayed the same runs on.
  func follow(_ configuration: Configuration) {
    var old = Dictionary(commands.map { ($0.declaration.description, $0) }) { first, _ in first }
    commands = configuration.commands.map { declaration in
      if let command = old[declaration.description], command.declaration.runsOn(as: declaration) {
        old[declaration.description] = nil
        command.redeclare(declaration)
        return command
      }
      let command = CommandFeed(declaration, pipeline, by: runner, log: log)
      command.source.begin()
      return command
    }
    for command in old.values { command.end() }
  }

  /// Asks all processes to end, because soundd leaves. What is stale stays so.
  func end() { for command in commands { command.source.end() } }

  /// Kills what has not ended. Returns whether a start is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool { runner.stop() }

  func slept(for duration: Duration) { for command in commands { command.source.slept(for: duration) } }

  // MARK: What does not work

  /// A feed has become silent, or is silent no more.
  func silenceChanged(of feed: String) {
    commands.first { $0.declaration.feed?.name == feed }?.problemChanged()
  }

  /// Why the command or feed of a value does not work; `nil` if it does, or if the value has none.
  func problem(of value: ValueID) -> String? {
    switch pipeline.store.source(of: value) {
    case .command, .feed:
      let name = pipeline.store.name(of: value)
      return commands.first { $0.declaration.owns(name) }?.problem
    case .client, .file, .derived: return nil
    }
  }

  /// The commands that do not work.
  func warnings(file: String) -> [Warning] {
    commands.compactMap { command in command.problem.flatMap { command.declaration.warning($0, file: file) } }
  }

  var messages: [CommandMessage] { commands.map(\.message) }
}
