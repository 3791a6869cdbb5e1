import Logging
import SoundTrigger
import SoundWire

/// Passes what a command reports on to the value or the feed that it sets.
final class CommandFeed: CommandSource.Owner {
  private(set) var declaration: CommandDeclaration
  private let pipeline: Pipeline
  private let runner: CommandRunner
  private let log: Logger
  private(set) lazy var source = CommandSource(declaration.command, by: runner, owner: self)
  /// The lines of a feed that were refused.
  private var refused = RefusedLines()
  private var refusalLimit = RateLimit(.seconds(10))
  private var feedRefusalLimit = RateLimit(.seconds(60))
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
    if let feed = declaration.feed { return pipeline.values(of: feed) }
    return declaration.value.flatMap { pipeline.store.id(of: $0.name) }.map { [$0] } ?? []
  }

  /// What is wrong with the command, or that its feed is silent; `nil` if it works.
  var problem: String? {
    source.problem
      ?? declaration.feed.flatMap { pipeline.silences.silence(of: $0.name) }.map { since, every in
        "no accepted line since \(Timestamp(of: since).localTime(at: .now())), and expect_every is "
          + DurationText.text(every) + (source.lastErrorLine.map { ": \($0)" } ?? "")
      }
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

  /// As `status` has it.
  var message: CommandMessage {
    var message = CommandMessage()
    (message.kind, message.name) = (Word(text: declaration.kind), declaration.name)
    (message.prefix, message.command) = (declaration.feed?.prefix, declaration.command.line)
    (message.state, message.pid) = (source.life.state.word, source.process.map { Int($0.pid) })
    (message.starts, message.failures) = (source.life.starts, source.life.failures)
    message.refusals = RefusalMembers(
      count: declaration.feed.map { _ in refused.count }, time: refused.lastTime.map(Timestamp.init(of:)),
      last: refused.last)
    message.problem = problem
    return message
  }

  // MARK: What the command reports

  func started() { if let feed = declaration.feed { pipeline.started(feed) } }

  func staleChanged(_ isStale: Bool) {
    // A silent feed is stale until a line is accepted, whether its program runs or not.
    if !isStale, let feed = declaration.feed, pipeline.silences.isSilent(feed.name) { return }
    pipeline.sourceChanged(of: values, works: !isStale, at: now)
  }

  func received(_ content: Span<UInt8>?) {
    if let feed = declaration.feed {
      do {
        try pipeline.apply(content, of: feed, at: now)
      } catch {
        refuse(content, error)
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

  /// A line of a feed was refused; `nil`: it was too long. A program may write thousands of them in a second.
  private func refuse(_ line: Span<UInt8>?, _ error: any Error) {
    refused.note(line, error, at: now)
    guard feedRefusalLimit.allows(at: now), let last = refused.last else { return }
    log.warning("\(declaration): lines refused so far: \(refused.count), the last one: \(last)")
  }

  private func logRefusal(_ text: String) {
    if text == loggedRefusal || !refusalLimit.allows(at: now) { return }
    loggedRefusal = text
    log.warning("\(declaration): \(text)")
  }

  func problemChanged() {
    let problem = problem
    if problem == loggedProblem { return }
    if let problem {
      if !problemLimit.allows(at: now) { return }
      log.warning("\(declaration): \(problem)")
    } else {
      log.notice("\(declaration): \(declaration.feed == nil ? "its command" : "it") works again")
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

/// The lines of a feed that were refused.
struct RefusedLines {
  /// How many scalars of a line are shown, of at most four bytes each.
  private static let shown = 4 * (Excerpt.maximumLength + 1)

  private(set) var count = 0
  private(set) var lastTime: Instant?
  /// The beginning of the last one, or `nil` if it was too long to be read.
  private var line: [UInt8]?
  private var error: (any Error)?

  /// Copies no more than is shown, and describes nothing yet.
  mutating func note(_ line: Span<UInt8>?, _ error: any Error, at now: Instant) {
    count += 1
    lastTime = now
    self.line = nil
    if let line { self.line = line.extracting(first: Self.shown).withUnsafeBufferPointer { Array($0) } }
    self.error = error
  }

  /// The last one and why it was refused; `nil` if there is none.
  var last: String? {
    error.map { error in (line.map { "\(Excerpt.quoting($0.span)): " } ?? "") + "\(error)" }
  }
}
