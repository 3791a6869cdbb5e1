import SoundTrigger

/// Feeds a value from a path: what is there at the start, and from then on whenever that changes, until it is stopped.
class ValueFeeder {
  /// What about the path is watched.
  class var subject: PathWatch.Subject { .content }

  let path: String
  private(set) var loop: EventLoop
  let watch: PathWatch
  unowned let receiver: any ContentReceiver
  private(set) var isStopped = false
  /// Whether a reading goes on in the next turn of the event loop.
  final var isReading = false
  /// Whether to read again after it.
  final private(set) var isOutdated = false
  /// What `send` passed on last.
  private var lastSent: String?
  private lazy var timer = EventLoop.Timer { [weak self] in self?.continueReading() }
  /// Whether files may stay open: not on a foreign mount, where closing one may hang, also at the end of the process.
  final var keepsFilesOpen: Bool { watch.isOnLocalMount }

  /// Prepares to read `path`; for `poll` see `PathWatch`. `receiver` has to outlive the feeder.
  required init(
    path: String, poll: Duration? = nil, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver
  ) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, Self.subject, poll: poll, watcher: watcher, on: loop)
  }

  deinit { watch.stop() }

  /// Reads the path, and again whenever it is time to.
  final func start() {
    watch.start { [unowned self] in if isReading { isOutdated = true } else { read(onlyIfOther: $0) } }
    if !watch.isStopped { read(onlyIfOther: false) }
  }

  /// Stops what runs on this thread, and keeps what was read, so that another thread can continue after `move`.
  func suspend() {
    watch.stop()
    loop.cancel(timer)
    isReading = false
    isOutdated = false
  }

  /// Prepares a suspended feeder to be started on another thread.
  final func move(to watcher: FolderWatcher, on loop: EventLoop) {
    self.loop = loop
    watch.move(to: watcher, on: loop)
  }

  /// Reports nothing more.
  func stop() {
    isStopped = true
    watch.stop()
    loop.cancel(timer)
  }

  /// Reads the path. `onlyIfOther`: only if it names another file than the one that was read last.
  func read(onlyIfOther: Bool) {}

  /// Receives that a reading in slices has ended.
  final func endReading() {
    isReading = false
    let isOutdated = isOutdated
    self.isOutdated = false
    if isOutdated, !isStopped { read(onlyIfOther: false) }
  }

  /// Reads what is left, when the time of `schedule` has come.
  func continueReading() {}

  /// Calls `continueReading` at a time; by default in the next turn of the event loop.
  final func schedule(at time: Instant? = nil) { loop.schedule(timer, at: time ?? loop.now) }

  /// Passes on why nothing can be read.
  final func fail(_ problem: FileReading.Problem) {
    switch problem {
    case .missing:
      report(nil)
      receiver.foundNothing()
    case .unusable(let text): report(text)
    }
  }

  /// Passes on why the path cannot be read; `nil`: it can be read, or is missing.
  final func report(_ problem: String?) { watch.report(problem, to: receiver) }

  /// Passes on a text that was found by looking, not because it was written. `onlyIfOther`: unless it is the last one.
  final func send(_ text: String, onlyIfOther: Bool) {
    report(nil)
    defer { lastSent = text }
    if onlyIfOther, text == lastSent { return }
    let bytes = Array(text.utf8)
    receiver.receive(content: bytes.span, isAgain: true)
  }
}

/// Receives what a feeder reads; called on the feeder's thread.
protocol ContentReceiver: AnyObject {
  /// The path names nothing: the file or folder is missing. Called each time this is found.
  ///
  /// A path that cannot be read is a `fileProblem` instead.
  func foundNothing()
  /// When the content that was found at the first look was written (st_mtim), by the civil clock: since 1970. The content follows.
  func found(writtenAt time: Instant)
  /// The whole content, of at most `FileSource.shortLimit` bytes. It may equal the last one.
  ///
  /// `isAgain`: as far as the feeder can tell, nothing was written since this content was received before.
  func receive(content: Span<UInt8>, isAgain: Bool)
  /// Longer content begins; its chunks follow. An earlier one that has not ended is void. `isAgain` is as above.
  func beginLongContent(isAgain: Bool)
  func receive(chunk: Span<UInt8>)
  /// All chunks of the longer content were received.
  func endLongContent()
  /// The path cannot be read, and why; `nil` if it can be read again. A missing file is no problem.
  func fileProblem(_ text: String?)
  /// All lines from now on are new; `line` is the last one that was there before, `nil` if there was none.
  func linesBegin(after line: Span<UInt8>?)
  /// A line of more than `LineReader.limit` bytes was skipped.
  func skippedLine()
  /// Reports something that is no problem but worth knowing.
  func remark(_ text: String)
  /// What is only watched may have changed; a writer may have the file open.
  func changed(isBeingWritten: Bool)
}

extension ContentReceiver {
  func changed(isBeingWritten: Bool) {}

  func found(writtenAt time: Instant) {}

  /// Receives a line as `LineReader` returns it; `nil` stands for one that is too long.
  func receive(line: Span<UInt8>?) {
    if let line { receive(content: line, isAgain: false) } else { skippedLine() }
  }
}
