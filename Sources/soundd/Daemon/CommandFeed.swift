import Logging
import SoundTrigger

/// Passes what a command reports on to the value or the feed that it sets.
final class CommandFeed: CommandSource.Owner {
  private(set) var declaration: CommandDeclaration
  private let pipeline: Pipeline
  private let runner: CommandRunner
  private let log: Logger
  private(set) lazy var source = CommandSource(declaration.command, by: runner, owner: self)
  /// How many lines of a feed were refused, and whether one for its name was logged.
  private var refused = 0
  private var hasLoggedName = false
  private var refusalLimit = RateLimit(.seconds(10))
  private var problemLimit = RateLimit(.seconds(10))
  /// The last output of a polled event: a run that gives the same is no arrival.
  private var lastEvent: [UInt8]?
  /// What the log has of its problems and of refusals.
  private var loggedProblem: String?
  private var loggedRefusal: String?

  init(_ declaration: CommandDeclaration, _ pipeline: Pipeline, by runner: CommandRunner, log: Logger) {
    self.declaration = declaration
    self.pipeline = pipeline
    self.runner = runner
    self.log = log
  }

  private var now: Instant { runner.loop.now }

  private var values: [ValueID] {
    if let value = declaration.value { return pipeline.store.id(of: value.name).map { [$0] } ?? [] }
    return pipeline.store.ids.filter { declaration.owns(pipeline.store.name(of: $0)) }
  }

  /// Continues with a declaration that a reload brings. There may be more values.
  func redeclare(_ declaration: CommandDeclaration) {
    self.declaration = declaration
    if source.life.isStale { staleChanged(true) }
  }

  /// Ends for good.
  func end() {
    source.end()
    if source.life.isStale { staleChanged(false) }
  }

  func write(to writer: inout JSONWriter) {
    writer.member("kind", declaration.kind)
    writer.member("name", declaration.name)
    writer.member("prefix", declaration.feed?.prefix)
    writer.member("command", declaration.command.line)
    writer.member("state", source.life.state.word)
    writer.member("pid", source.process.map { Int($0.pid) })
    writer.member("starts", source.life.starts)
    writer.member("failures", source.life.failures)
    writer.member("refused", declaration.feed.map { _ in refused })
    writer.member("problem", source.problem)
  }

  // MARK: What the command reports

  func started() { if let feed = declaration.feed { pipeline.started(feed) } }

  func staleChanged(_ isStale: Bool) { pipeline.sourceChanged(of: values, works: !isStale, at: now) }

  func received(_ content: Span<UInt8>?) {
    if let feed = declaration.feed {
      do {
        try pipeline.apply(content, of: feed, at: now)
      } catch {
        refuse(error)
      }
    } else if let value = declaration.value, let id = pipeline.store.id(of: value.name) {
      update(id, value.kind, content)
    }
  }

  private func update(_ id: ValueID, _ kind: ValueKind, _ content: Span<UInt8>?) {
    if kind == .event, declaration.command.every != nil {
      let event = content?.withUnsafeBufferPointer { Array($0) }
      if event == lastEvent { return }
      lastEvent = event
    }
    let refusal =
      if let content { pipeline.update(id, content: content, at: now) } else { pipeline.refuseTooMuch(id, at: now) }
    if let refusal { logRefusal("\(refusal); the old one stays") } else { loggedRefusal = nil }
  }

  /// A line of a feed was refused.
  private func refuse(_ error: any Error) {
    refused += 1
    switch error {
    case RequestRefusal.badName, RequestRefusal.nameTooLong, ValueStoreError.invalidName,
      AssignmentRefusal.value(.invalidName):
      if hasLoggedName { return }
      hasLoggedName = true
      log.warning("\(declaration): \(error); only the first such line is logged")
    default: logRefusal("\(error)")
    }
  }

  private func logRefusal(_ text: String) {
    if text == loggedRefusal || !refusalLimit.allows(at: now) { return }
    loggedRefusal = text
    log.warning("\(declaration): \(text)")
  }

  func problemChanged() {
    let problem = source.problem
    if problem == loggedProblem { return }
    if let problem {
      if !problemLimit.allows(at: now) { return }
      log.warning("\(declaration): \(problem)")
    } else {
      log.notice("\(declaration): its command works again")
    }
    loggedProblem = problem
  }
}

extension CommandLife.State {
  /// What `status` calls it.
  fileprivate var word: String {
    switch self {
    case .waiting: "waiting"
    case .due: "queued"
    case .starting, .hung: "starting"
    case .running: "running"
    case .ending, .killed: "ending"
    case .over: "broken"
    }
  }
}
