import Glibc
import SoundTrigger

/// Feeds how many entries a folder has, hidden ones included; counted whenever entries come or go, or on a timer.
///
/// Each count starts from 0, so the number never drifts. A missing folder has no number: after it vanishes its last one
/// counts.
final class CountSource: ValueFeeder {
  /// How many entries are counted in one turn of the event loop.
  private static let slice = 4096

  private let path: String
  private let loop: EventLoop
  private unowned let receiver: any ContentReceiver
  private var watch: PathWatch?
  private var reading: FolderReading?
  /// Whether all entries have been read.
  private var isComplete = false
  /// Whether a number was passed on.
  private var hasCounted = false
  /// Whether to count again after the present count.
  private var isOutdated = false
  /// When the first number was in doubt since the last one that was passed on.
  private var doubtedSince: Instant?
  private var sliceTimer: EventLoop.Timer?
  private var isStopped = false

  /// Prepares to count the entries of the folder at `path`; for `poll` see `PathWatch`. `receiver` has to outlive the source.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver) {
    self.path = path
    self.loop = loop
    self.receiver = receiver
    watch = PathWatch(path, .entries, poll: poll, watcher: watcher, on: loop) { [unowned self] _ in count() }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    count()
  }

  func stop() {
    isStopped = true
    watch?.stop()
    if let sliceTimer { loop.cancel(sliceTimer) }
    reading = nil
  }

  private func count() {
    if isStopped { return }
    if reading != nil {
      isOutdated = true
      return
    }
    isOutdated = false
    do throws(FileReading.Problem) {
      reading = try FolderReading(path: path)
      try readSlice()
    } catch {
      fail(error)
    }
  }

  private func readNextSlice() {
    do throws(FileReading.Problem) {
      try readSlice()
    } catch {
      fail(error)
    }
  }

  private func readSlice() throws(FileReading.Problem) {
    if isComplete { return finish() }
    guard let isAtEnd = try reading?.read(limit: Self.slice, path: path) else { return }
    isComplete = isAtEnd
    // The first number of all needs no check against events.
    if isAtEnd, !hasCounted { return finish() }
    // The events of the time in which the last slice was read arrive in the next turn.
    let timer = sliceTimer ?? EventLoop.Timer { [unowned self] in readNextSlice() }
    sliceTimer = timer
    loop.schedule(timer, at: loop.now)
  }

  private func finish() {
    let number = reading?.count ?? 0
    reading = nil
    isComplete = false
    watch?.report(nil, to: receiver)
    if !isDoubtful() {
      hasCounted = true
      let text = Array(String(number).utf8)
      receiver.receive(content: text.span, isAgain: true)
    }
    if isOutdated { count() }
  }

  /// Whether the number was outdated by arrivals and removals while it was counted, so that the folder is counted again.
  ///
  /// A file that is written beside another one and renamed over it never makes one more. If a folder never rests, its number
  /// is believed after `PathWatchState.longest` all the same.
  private func isDoubtful() -> Bool {
    guard hasCounted, isOutdated || watch?.isSettling == true else {
      doubtedSince = nil
      return false
    }
    let since = doubtedSince ?? loop.now
    let isDoubtful = since.duration(to: loop.now) < PathWatchState.longest
    doubtedSince = isDoubtful ? since : nil
    return isDoubtful
  }

  private func fail(_ problem: FileReading.Problem) {
    reading = nil
    isComplete = false
    switch problem {
    case .missing:
      watch?.report(nil, to: receiver)
      receiver.foundNothing()
    case .unusable(let text): watch?.report(text, to: receiver)
    }
    if isOutdated { count() }
  }
}

/// An open folder whose entries are counted, some at a time.
struct FolderReading: ~Copyable {
  private let stream: OpaquePointer
  /// How many entries were read so far, without `.` and `..`.
  private(set) var count = 0

  /// Opens the folder (opendir). Never blocks if something else is at the path.
  init(path: String) throws(FileReading.Problem) {
    let fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    if fd < 0 { throw Self.problem(path, errno) }
    guard let stream = fdopendir(fd) else {
      let code = errno
      close(fd)
      throw Self.problem(path, code)
    }
    self.stream = stream
  }

  deinit { closedir(stream) }

  /// Counts at most `limit` further entries (readdir); returns whether there are no more.
  mutating func read(limit: Int, path: String) throws(FileReading.Problem) -> Bool {
    for _ in 0..<limit {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return true }
        throw Self.problem(path, errno)
      }
      if !Self.isItselfOrParent(entry) { count += 1 }
    }
    return false
  }

  private static func isItselfOrParent(_ entry: UnsafeMutablePointer<dirent>) -> Bool {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return false }
    let name = UnsafeRawPointer(entry).advanced(by: offset)
    let dot = UInt8(ascii: ".")
    func byte(_ index: Int) -> UInt8 { name.load(fromByteOffset: index, as: UInt8.self) }
    return byte(0) == dot && (byte(1) == 0 || (byte(1) == dot && byte(2) == 0))
  }

  private static func problem(_ path: String, _ code: Int32) -> FileReading.Problem {
    var status = stat()
    if code == ENOTDIR, stat(path, &status) == 0 {
      return .unusable("\(path) is not a folder: its entries cannot be counted")
    }
    return FileReading.problem(path, code)
  }
}
