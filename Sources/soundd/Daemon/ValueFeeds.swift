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

  init(_ pipeline: Pipeline, watcher: FolderWatcher, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.watcher = watcher
    self.loop = loop
    self.log = log
  }

  /// Whether any value has a source of its own.
  var hasSource: Bool { !feeds.isEmpty }

  /// The values whose paths may explain why they have no content. Last come those of which that says little: `exists` has one
  /// even if its folder is missing, and a pipe has none before its first line.
  var unread: [ValueName] {
    var (first, last): ([ValueName], [ValueName]) = ([], [])
    for feed in feeds {
      switch feed.declaration.source {
      case .file(_, _, .exists): last.append(feed.name)
      case .file(_, _, .fifo) where feed.isUnread: last.append(feed.name)
      default: if feed.isUnread { first.append(feed.name) }
      }
    }
    return first + last
  }

  /// Feeds these values, and no others. A feed whose declaration stayed alike continues.
  func follow(_ next: [ValueDeclaration]) {
    let declared = Dictionary(next.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    feeds.removeAll { feed in
      if let declaration = declared[feed.name], declaration.feedsAlike(feed.declaration) {
        feed.declaration = declaration
        return false
      }
      feed.source?.stop()
      return true
    }
    let kept = Set(feeds.map(\.name))
    let problems = next.filter { !kept.contains($0.name) }.compactMap(start)
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
    let kind: ValueFeeder.Type =
      switch aspect {
      case .content: FileSource.self
      case .lines: LinesSource.self
      case .count: CountSource.self
      case .exists: ExistsSource.self
      case .fifo: FifoSource.self
      }
    let source = kind.init(path: path, poll: poll, watcher: watcher, on: loop, receiver: feed)
    feed.source = source
    source.start()
    return source.watch.problem.map { "value '\(value.name)': \($0); polling \(path) every second" }
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
