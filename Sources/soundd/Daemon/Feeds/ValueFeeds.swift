import Logging
import SoundTrigger
import SoundWire

/// Feeds the values of a configuration from files, folders, pipes, commands and standard input.
final class ValueFeeds {
  private let pipeline: Pipeline
  private let loop: EventLoop
  private let log: Logger
  let files: FileFeeds
  let commands: CommandFeeds
  private var input: StdinSource?

  init(
    _ pipeline: Pipeline, files: FileThreads, commands: CommandRunner.Setting, on loop: EventLoop, log: Logger
  ) {
    self.pipeline = pipeline
    self.commands = CommandFeeds(pipeline, commands, on: loop, log: log)
    self.files = FileFeeds(pipeline, files: files, on: loop, log: log)
    self.loop = loop
    self.log = log
  }

  /// Whether any value has a source of its own.
  var hasSource: Bool { !files.isEmpty || !commands.isEmpty }

  /// Feeds the values of a configuration, and no others. A feed whose declaration stayed alike continues. `done` is called when each
  /// new path was looked at, but at the latest after a second: a mount may hang. It does not wait for commands.
  func follow(_ configuration: Configuration, then done: @escaping () -> Void) {
    commands.follow(configuration)
    files.follow(configuration.values, then: done)
  }

  // MARK: Standard input

  /// Reads standard input. `ended` is called at its end, with why it could not be read to the end, if it could not.
  func read(_ input: DaemonPlan.Input, ended: @escaping (String?) -> Void) throws(ValueStoreError) {
    switch input {
    case .none: break
    case .lines:
      self.input = StdinSource(on: loop, onLine: { [unowned self] in applyLine($0, $1) }, onEnd: ended)
    case .value(let name):
      let id = try pipeline.store.idDeclaringIfNeeded(Array(name.utf8).span)
      self.input = StdinSource(on: loop, onLine: { [unowned self] in applyValue(id, $0, $1) }, onEnd: ended)
    }
  }

  func stopInput() { input?.stop() }

  /// Applies a line; `nil`: it was too long.
  private func applyLine(_ line: Span<UInt8>?, _ number: Int) {
    guard let line else { return logProblem(number, "\(RequestRefusal.lineTooLong)") }
    do {
      let request = try Request(line)
      if try request == .blank || pipeline.apply(request, of: line, at: loop.now) { return }
      logProblem(number, "expected NAME=VALUE or a JSON object; commands go through the socket")
    } catch {
      logProblem(number, "\(error)")
    }
  }

  /// Applies a line that is itself the content of a value.
  private func applyValue(_ value: ValueID, _ line: Span<UInt8>?, _ number: Int) {
    guard let line else { return logProblem(number, "\(RequestRefusal.lineTooLong)") }
    if let refusal = pipeline.update(value, content: line, at: loop.now) { logProblem(number, "\(refusal)") }
  }

  private func logProblem(_ number: Int, _ text: String) { log.error("standard input: line \(number): \(text)") }
}
