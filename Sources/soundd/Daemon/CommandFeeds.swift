import Logging
import SoundTrigger

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
    let subjects =
      configuration.values.compactMap { CommandFeed.Subject($0, in: pipeline.store) }
      + configuration.feeds.map { .feed($0) }
    var old = Dictionary(commands.map { ($0.subject.key, $0) }) { first, _ in first }
    commands = subjects.map { subject in
      if let command = old[subject.key], command.redeclare(subject) {
        old[subject.key] = nil
        return command
      }
      return CommandFeed(subject, pipeline, by: runner, log: log)
    }
    for command in old.values { command.end() }
    for command in commands { command.beginOrContinue() }
  }

  /// Asks all processes to end, because soundd leaves. What is stale stays so.
  func end() { for command in commands { command.source.end() } }

  /// Kills what has not ended. Returns whether a start is left behind, see `BackgroundWorker.stop`.
  func stop() -> Bool {
    runner.killAll()
    return runner.stop()
  }

  func slept(for duration: Duration) { for command in commands { command.source.slept(for: duration) } }

  // MARK: What does not work

  /// Why the command or feed of a value does not work; `nil` if it does, or if the value has none.
  func problem(of value: ValueID) -> String? {
    if commands.isEmpty { return nil }
    switch pipeline.store.source(of: value) {
    case .command, .feed: return commands.lazy.first { $0.owns(value) }?.source.problem
    case .client, .file, .derived: return nil
    }
  }

  /// The commands that do not work.
  func warnings(_ configuration: Configuration, file: String) -> [Warning] {
    commands.compactMap { command in
      guard let problem = command.source.problem else { return nil }
      let (location, key) = command.place(in: configuration)
      guard let location else { return Warning(.command, "\(command.subject): \(problem)") }
      return Warning(.command, ConfigurationMessage(file: file, location: location, key: key, message: problem))
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.array(commands) { command, writer in writer.object { command.write(to: &$0) } }
  }
}
