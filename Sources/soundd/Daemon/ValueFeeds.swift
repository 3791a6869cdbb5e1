import Logging
import SoundTrigger

/// Feeds the values of a configuration from files, folders, pipes and standard input.
final class ValueFeeds {
  /// How many values that cannot be watched are named in the log, one by one.
  private static let longestList = 5

  private let pipeline: Pipeline
  private let watcher: FolderWatcher
  private let loop: EventLoop
  private let log: Logger
  private var feeds: [FileFeed] = []
  private var input: StdinSource?
  private var declarations: [ValueDeclaration] = []

  init(_ pipeline: Pipeline, watcher: FolderWatcher, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.watcher = watcher
    self.loop = loop
    self.log = log
  }

  /// Whether any value has a source of its own.
  var hasSource: Bool { declarations.contains(where: \.hasOwnSource) }

  /// Feeds these values, and no others. A feed whose declaration stayed alike continues.
  func follow(_ next: [ValueDeclaration]) {
    let before = Dictionary(declarations.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    declarations = next
    let kept = Set(next.filter { before[$0.name]?.feedsAlike($0) ?? false }.map(\.name))
    for feed in feeds where !kept.contains(feed.name) { feed.source?.stop() }
    feeds.removeAll { !kept.contains($0.name) }
    let declared = Dictionary(next.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for feed in feeds { feed.declaration = declared[feed.name] ?? feed.declaration }
    var problems: [String] = []
    for value in next where !kept.contains(value.name) {
      if let problem = start(value) { problems.append(problem) }
    }
    for problem in problems.prefix(Self.longestList) { log.warning("\(problem)") }
    let more = problems.count - Self.longestList
    if more > 0 { log.warning("\(more) more values cannot be watched and are polled every second") }
  }

  /// Starts a feed. Returns why its path cannot be watched, if it cannot.
  private func start(_ value: ValueDeclaration) -> String? {
    guard case .file(let path, let poll, let aspect) = value.source, let id = pipeline.store.id(of: value.name) else {
      return nil
    }
    let feed = FileFeed(pipeline, id, value, on: loop, log: log)
    feeds.append(feed)
    let source: any ValueFeeder =
      switch aspect {
      case .content: FileSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .lines: LinesSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .count: CountSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .exists: ExistsSource(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
      case .fifo: FifoSource(path: path, watcher: watcher, on: loop, receiver: feed)
      }
    feed.source = source
    source.start()
    return source.watchProblem.map { "value '\(value.name)': \($0); polling \(path) every second" }
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
    guard let line else { return complain(number, "\(RequestError.lineTooLong)") }
    do {
      let request = try Request(line)
      if try request == .blank || pipeline.apply(request, of: line, at: loop.now) { return }
      complain(number, "expected NAME=VALUE or a JSON object; commands go through the socket")
    } catch {
      complain(number, "\(error)")
    }
  }

  /// Applies a line that is itself the content of a value.
  private func applyValue(_ value: ValueID, _ line: Span<UInt8>?, _ number: Int) {
    guard let line else { return complain(number, "\(RequestError.lineTooLong)") }
    if let refusal = pipeline.update(value, content: line, at: loop.now) { complain(number, "\(refusal)") }
  }

  private func complain(_ number: Int, _ text: String) { log.error("standard input: line \(number): \(text)") }
}
