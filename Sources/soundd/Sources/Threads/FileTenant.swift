import SoundTrigger

/// A path that a file thread reads or watches for the event loop.
///
/// Safety of `@unchecked Sendable`: one thread at a time uses it. The event loop makes it and passes it to a file thread in a
/// job. A thread that may not follow its path suspends it, forgets it, and passes it back in a report.
final class FileTenant: @unchecked Sendable, ContentReceiver {
  /// What is done with the path.
  enum Task: Sendable {
    /// Its content is read. `poll` is as in `PathWatch`; `trim`: white space around a long content is dropped.
    case feed(ValueFeeder.Type, poll: Duration?, trim: Bool)
    /// Its changes are reported. `isWanted` is asked once whether to watch what is there; `concerns`: as in `PathWatch`.
    case watch(
      PathWatch.Subject, isWanted: @Sendable (_ path: String) -> Bool, concerns: @Sendable (_ entry: String) -> Bool)
  }

  /// Which tenant it is, for reports.
  let number: Int
  let path: String
  private let task: Task
  /// Where it is now. The room owns it.
  private weak var room: FileRoom?
  private var feeder: ValueFeeder?
  private var watch: PathWatch?
  private var long: (content: ContentAccumulator, isAgain: Bool)?
  /// Whether its first look is over.
  private var hasBegun = false

  init(_ number: Int, _ path: String, _ task: Task) {
    self.number = number
    self.path = path
    self.task = task
  }

  /// Begins on a thread, or continues there what another one has suspended.
  func enter(_ room: FileRoom) {
    self.room = room
    switch task {
    case .feed(let kind, let poll, _): feed(kind, poll, room)
    case .watch(let subject, let isWanted, let concerns): watch(subject, isWanted, concerns, room)
    }
    // It may have left again.
    if self.room == nil || hasBegun { return }
    hasBegun = true
    post(.begun(polledBecause: (feeder?.watch ?? watch)?.problem))
  }

  private func feed(_ kind: ValueFeeder.Type, _ poll: Duration?, _ room: FileRoom) {
    if let feeder {
      feeder.move(to: room.watcher, on: room.loop)
      feeder.start()
      return
    }
    let feeder = kind.init(path: path, poll: poll, watcher: room.watcher, on: room.loop, receiver: self)
    self.feeder = feeder
    feeder.watch.leave = { [unowned self] in leave(to: $0) }
    feeder.start()
  }

  private func watch(
    _ subject: PathWatch.Subject, _ isWanted: (String) -> Bool, _ concerns: @escaping (String) -> Bool, _ room: FileRoom
  ) {
    let watch = self.watch ?? PathWatch(path, subject, watcher: room.watcher, on: room.loop)
    if self.watch != nil { watch.move(to: room.watcher, on: room.loop) }
    self.watch = watch
    watch.concerns = concerns
    watch.leave = { [unowned self] in leave(to: $0) }
    watch.start { [unowned self, unowned watch] _ in
      post(.changed(isBeingWritten: watch.isBeingWritten))
      if subject == .files, let problem = watch.problem {
        watch.stop()
        post(.begun(polledBecause: problem))
      }
    }
    // On another thread it may name another file.
    if hasBegun, !watch.isStopped { post(.changed(isBeingWritten: false)) }
    // It is not polled.
    if watch.problem != nil && subject == .files || !watch.isStopped && !isWanted(path) { watch.stop() }
  }

  /// Ends.
  func stop() {
    feeder?.stop()
    watch?.stop()
    room = nil
  }

  private func leave(to mounts: Set<String>) {
    feeder?.suspend()
    watch?.stop()
    long = nil
    let room = room
    self.room = nil
    room?.pass(on: self, to: mounts)
  }

  private func post(_ report: FileReport) { room?.post(number, report) }

  // MARK: What the feeder reads

  func foundNothing() { post(.nothing) }

  func receive(content: Span<UInt8>, isAgain: Bool) {
    post(.content(content.withUnsafeBufferPointer { Array($0) }, isAgain: isAgain))
  }

  func beginLongContent(isAgain: Bool) {
    guard case .feed(_, _, let trim) = task else { return }
    long = (ContentAccumulator(trim: trim), isAgain)
  }

  func receive(chunk: Span<UInt8>) { long?.content.append(chunk) }

  func endLongContent() {
    if let (content, isAgain) = long { post(.long(content, isAgain: isAgain)) }
    long = nil
  }

  func fileProblem(_ text: String?) { post(.problem(text)) }

  func linesBegin(after line: Span<UInt8>?) {
    if let line {
      post(.linesBegin(after: line.withUnsafeBufferPointer { Array($0) }))
    } else {
      post(.linesBegin(after: nil))
    }
  }

  func skippedLine() { post(.skippedLine) }

  func remark(_ text: String) { post(.remark(text)) }
}
