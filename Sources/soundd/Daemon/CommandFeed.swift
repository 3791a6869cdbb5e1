import Logging
import SoundTrigger

/// A command, and the value or the feed that it sets.
final class CommandFeed {
  enum Subject: CustomStringConvertible {
    case value(ValueDeclaration, ValueID, ExternalCommand)
    case feed(FeedDeclaration)

    /// `nil` if the value has no command.
    init?(_ value: ValueDeclaration, in store: ValueStore) {
      guard case .command(let command) = value.source, let id = store.id(of: value.name) else { return nil }
      self = .value(value, id, command)
    }

    var command: ExternalCommand {
      switch self {
      case .value(_, _, let command): command
      case .feed(let feed): feed.command
      }
    }

    /// The kind, and the name.
    var key: [String] {
      switch self {
      case .value(let value, _, _): ["value", value.name.description]
      case .feed(let feed): ["feed", feed.name]
      }
    }

    var description: String { "\(key[0]) '\(key[1])'" }
  }

  private(set) var subject: Subject
  private let pipeline: Pipeline
  private let runner: CommandRunner
  private let log: Logger
  private(set) lazy var source = CommandSource(subject.command, by: runner) { [weak self] in
    self?.receive($0)
  } text: { [weak self] in
    self?.receive(text: $0)
  }
  private var hasBegun = false
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

  init(_ subject: Subject, _ pipeline: Pipeline, by runner: CommandRunner, log: Logger) {
    self.subject = subject
    self.pipeline = pipeline
    self.runner = runner
    self.log = log
  }

  /// Starts to run. After a reload it goes on; then there may be more values.
  func beginOrContinue() {
    if hasBegun {
      if source.life.isStale { pipeline.sourceChanged(of: values, works: false, at: runner.loop.now) }
    } else {
      hasBegun = true
      source.begin()
    }
  }

  /// Continues with a declaration that a reload brings. Returns false if it cannot.
  func redeclare(_ next: Subject) -> Bool {
    switch (subject, next) {
    case (.value(let old, let id, _), .value(let new, let newID, _)):
      if id != newID || !new.feedsAlike(old) { return false }
    case (.feed(let old), .feed(let new)): if old != new { return false }
    default: return false
    }
    subject = next
    return true
  }

  /// Ends for good.
  func end() {
    source.end()
    if source.life.isStale { pipeline.sourceChanged(of: values, works: true, at: runner.loop.now) }
  }

  func owns(_ value: ValueID) -> Bool {
    switch subject {
    case .value(_, let id, _): id == value
    case .feed(let feed): pipeline.store.source(of: value) == .feed(feed.name)
    }
  }

  private var feed: FeedDeclaration? { if case .feed(let feed) = subject { feed } else { nil } }

  private var values: [ValueID] {
    if case .value(_, let id, _) = subject { [id] } else { pipeline.store.ids.filter(owns) }
  }

  /// Where it is in the configuration.
  func place(in configuration: Configuration) -> (TOMLLocation?, key: String) {
    let path: ConfigurationPath
    let location: TOMLLocation?
    switch subject {
    case .value(let value, _, _):
      path = .top.key("value").key(value.name.description)
      location = configuration.pathLocations[value.name]
    case .feed(let feed):
      path = .top.key("feed").item(configuration.feeds.firstIndex(of: feed) ?? 0)
      location = configuration.feedLocations[feed.name]
    }
    return (location, path.key("command").description)
  }

  func write(to writer: inout JSONWriter) {
    writer.member("kind", subject.key[0])
    writer.member("name", subject.key[1])
    writer.member("prefix", feed?.prefix)
    writer.member("command", subject.command.line)
    writer.member("state", source.life.state.word)
    writer.member("pid", source.process.map { Int($0.pid) })
    writer.member("starts", source.life.starts)
    writer.member("failures", source.life.failures)
    writer.member("refused", feed.map { _ in refused })
    writer.member("problem", source.problem)
  }

  // MARK: What the command reports

  private func receive(_ report: CommandSource.Report) {
    switch report {
    case .started: if let feed { pipeline.started(feed) }
    case .stale(let isStale): pipeline.sourceChanged(of: values, works: !isStale, at: runner.loop.now)
    case .problem: logProblem()
    case .status(let code): update(Array("\(code)".utf8).span)
    }
  }

  private func receive(text: Span<UInt8>?) {
    guard let feed else { return update(text) }
    do {
      try pipeline.apply(text, of: feed, at: runner.loop.now)
    } catch {
      refused += 1
      if isAboutName(error) {
        if hasLoggedName { return }
        hasLoggedName = true
        log.warning("\(subject): \(error); only the first such line is logged")
      } else {
        logRefusal("\(error)")
      }
    }
  }

  private func isAboutName(_ error: any Error) -> Bool {
    switch error {
    case RequestRefusal.badName, RequestRefusal.nameTooLong, ValueStoreError.invalidName,
      AssignmentRefusal.value(.invalidName):
      true
    default: false
    }
  }

  private func update(_ content: Span<UInt8>?) {
    guard case .value(let value, let id, let command) = subject else { return }
    let now = runner.loop.now
    if value.kind == .event, command.every != nil {
      let event = content?.withUnsafeBufferPointer { Array($0) }
      if event == lastEvent { return }
      lastEvent = event
    }
    let refusal =
      if let content { pipeline.update(id, content: content, at: now) } else { pipeline.refuseTooMuch(id, at: now) }
    if let refusal { logRefusal("\(refusal); the old one stays") } else { loggedRefusal = nil }
  }

  private func logRefusal(_ text: String) {
    if text == loggedRefusal || !refusalLimit.allows(at: runner.loop.now) { return }
    loggedRefusal = text
    log.warning("\(subject): \(text)")
  }

  private func logProblem() {
    let problem = source.problem
    if problem == loggedProblem { return }
    if let problem {
      if !problemLimit.allows(at: runner.loop.now) { return }
      log.warning("\(subject): \(problem)")
    } else {
      log.notice("\(subject): its command works again")
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
    case .starting: "starting"
    case .running, .mute: "running"
    case .ending, .killed: "ending"
    case .over: "broken"
    }
  }
}
