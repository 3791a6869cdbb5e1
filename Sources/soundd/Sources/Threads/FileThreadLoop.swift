import SoundTrigger

/// What runs on a file thread: a loop, a watcher, and the files that they watch.
///
/// Belongs to its thread, except before that starts.
final class FileThreadLoop {
  let loop: EventLoop
  let watcher: FolderWatcher
  private let exchange: FileExchange
  private var files: [Int: WatchedFile] = [:]
  /// What was found out in this turn. The event loop is woken once for all of it.
  private var reports: [FileExchange.Parcel] = []
  private var size = 0

  /// How much may wait before it is passed on in the middle of a turn.
  private static let largestBatch = 1 << 16

  init(_ exchange: FileExchange, scope: MountScope) throws(SystemError) {
    self.exchange = exchange
    loop = try EventLoop()
    watcher = FolderWatcher(on: loop, scope: scope)
    _ = try loop.add(exchange.wake.raw, .readable) { [unowned self] _ in
      for job in self.exchange.takeJobs() {
        self.exchange.works()
        job(self)
      }
    }
    loop.willHandle = { [exchange] in exchange.works() }
    watcher.willTouch = { [exchange] in exchange.works(at: $0) }
  }

  /// Runs until `FileExchange.end`.
  func run() {
    while !exchange.isEnding {
      flush()
      exchange.rests()
      // If it fails it is not at rest, so the event loop sees that it does not answer.
      do throws(SystemError) { try loop.runOnce() } catch { return exchange.works() }
    }
  }

  func add(_ file: WatchedFile) {
    files[file.number] = file
    file.enter(self)
  }

  func remove(_ number: Int) { files.removeValue(forKey: number)?.stop() }

  /// Gives a file, which has left, to another thread.
  func pass(on file: WatchedFile, to mounts: Set<String>) {
    files[file.number] = nil
    // The report is sent at the end of the turn. Until then this thread may use the file.
    reports.append((file.number, .leaves(file, to: mounts)))
  }

  func post(_ number: Int, _ report: FileReport) {
    reports.append((number, report))
    size += report.size
    if size > Self.largestBatch { flush() }
  }

  private func flush() {
    if reports.isEmpty { return }
    exchange.deliver(reports, size: size)
    reports.removeAll()
    size = 0
  }
}
