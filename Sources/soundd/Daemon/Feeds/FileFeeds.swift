import Logging
import SoundTrigger

/// Feeds the values of a configuration from files, folders and pipes.
final class FileFeeds {
  /// How many values that cannot be watched are named in the log, one by one.
  private static let longestList = 5

  private let pipeline: Pipeline
  private let files: FileThreads
  private let loop: EventLoop
  private let log: Logger
  private var feeds: [FileFeed] = []
  /// Why paths that should be watched are polled, by the names of the values; not logged yet.
  private var polled: [(name: ValueName, path: String, reason: String)] = []

  init(_ pipeline: Pipeline, files: FileThreads, on loop: EventLoop, log: Logger) {
    self.pipeline = pipeline
    self.files = files
    self.loop = loop
    self.log = log
  }

  var isEmpty: Bool { feeds.isEmpty }

  /// The values whose paths were looked at and may explain why they have no content. Last come those of which that says little: `exists` has one
  /// even if its folder is missing, and a pipe has none before its first line.
  var unread: [ValueName] {
    var (first, last): ([ValueName], [ValueName]) = ([], [])
    for feed in feeds where feed.hasBegun {
      switch feed.declaration.source {
      case .file(_, _, .exists): last.append(feed.name)
      case .file(_, _, .fifo) where feed.isUnread: last.append(feed.name)
      default: if feed.isUnread { first.append(feed.name) }
      }
    }
    return first + last
  }

  /// Feeds these values, and no others, as `ValueFeeds.follow` says.
  func follow(_ values: [ValueDeclaration], then done: @escaping () -> Void) {
    let declared = Dictionary(values.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    feeds.removeAll { feed in
      if let declaration = declared[feed.name], declaration.feedsAlike(feed.declaration) {
        feed.redeclare(declaration)
        return false
      }
      files.close(feed.number)
      return true
    }
    let kept = Set(feeds.map(\.name))
    for value in values where !kept.contains(value.name) { start(value) }
    files.afterFirstLooks { [unowned self] in
      logPolled()
      done()
    }
  }

  private func start(_ value: ValueDeclaration) {
    guard case .file(let path, let poll, let aspect) = value.source, let id = pipeline.store.id(of: value.name) else {
      return
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
    feed.number = files.open(path, kind, poll: poll, trims: value.trim) { [unowned self, unowned feed] report in
      if case .begun(let reason) = report {
        feed.hasBegun = true
        if let reason { polled.append((feed.name, path, reason)) }
      } else {
        feed.receive(report)
      }
    }
  }

  /// Logs why paths are polled that should be watched. If the reason is the same for all paths it is logged once.
  private func logPolled() {
    let wide = polled.count { $0.reason == FolderWatcher.noInstance }
    if wide > 0 {
      log.warning("\(FolderWatcher.noInstance); polling \(wide) \(wide == 1 ? "path" : "paths") every second")
    }
    let others = polled.filter { $0.reason != FolderWatcher.noInstance }
    for (name, path, reason) in others.prefix(Self.longestList) {
      log.warning("value '\(name)': \(reason); polling \(path) every second")
    }
    let more = others.count - Self.longestList
    if more > 0 { log.warning("\(more) more values cannot be watched and are polled every second") }
    polled = []
  }

  // MARK: Problems

  /// Why values are unavailable, because a mount does not answer: a line for each reason.
  var unavailable: [String] {
    var names: [String: [String]] = [:]
    for feed in feeds {
      if let reason = files.problem(of: feed.number) { names[reason, default: []].append(feed.name.description) }
    }
    return names.sorted { $0.key < $1.key }.map { reason, names in
      let list = Excerpt.listing(names, atMost: Self.longestList)
      let isOne = names.count == 1
      return reason + (isOne ? ": the value \(list) keeps its" : ": the values \(list) keep their") + " last content"
    }
  }

  /// Finds out why values have no content (access), at no more than `limit` paths and on `reader`'s thread. Calls `found` at the latest
  /// after `patience`.
  func findProblems(
    by reader: BoundedWorker, limit: Int, patience: Duration,
    then found: @escaping (_ problems: [ValueName: PathProblem], _ unseen: Int) -> Void
  ) {
    let unread = unread
    let seen = Set(unread.prefix(limit))
    var paths: [(name: ValueName, path: String, aspect: FileAspect)] = []
    for feed in feeds where seen.contains(feed.name) && files.problem(of: feed.number) == nil {
      if case .file(let path, _, let aspect) = feed.declaration.source { paths.append((feed.name, path, aspect)) }
    }
    var isOver = false
    let end = { (problems: [ValueName: PathProblem]) in
      if isOver { return }
      isOver = true
      found(problems, unread.count - seen.count)
    }
    if paths.isEmpty { return end([:]) }
    reader.perform { [paths] in
      let mounts = AnsweringMounts()
      var check = PathCheck()
      return paths.reduce(into: [:]) { found, value in
        found[value.name] = mounts.pathProblem(of: value.path) ?? check.problem(of: value.path, value.aspect)
      }
    } then: {
      end($0 ?? [:])
    }
    loop.schedule(EventLoop.Timer { end([:]) }, at: loop.now.advanced(by: patience))
  }
}
