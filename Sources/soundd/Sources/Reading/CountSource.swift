import Glibc
import SoundTrigger

/// Feeds how many entries a folder has, hidden ones included; counted whenever entries come or go, or on a timer.
///
/// Each count starts from 0, so the number never drifts. A missing folder has no number: after it vanishes its last one
/// counts.
final class CountSource: ValueFeeder {
  /// How many entries are counted in one turn of the loop.
  private static let slice = 4096

  private var reading: FolderReading?
  /// Whether all entries have been read.
  private var isComplete = false
  /// Whether the number is passed on only if it is another one.
  private var isLook = false
  /// Whether a number was passed on.
  private var hasCounted = false
  /// When the first number was in doubt since the last one that was passed on.
  private var doubtedSince: Instant?

  override class var subject: PathWatch.Subject { .entries }

  override func stop() {
    super.stop()
    reading = nil
  }

  override func suspend() {
    super.suspend()
    reading = nil
  }

  override func read(onlyIfOther: Bool) {
    isReading = true
    isComplete = false
    isLook = onlyIfOther
    do throws(FileReading.Problem) {
      reading = try FolderReading(path: path)
      continueReading()
    } catch {
      failed(error)
    }
  }

  override func continueReading() {
    if isComplete { return finish() }
    do throws(FileReading.Problem) {
      guard let isAtEnd = try reading?.read(limit: Self.slice, path: path) else { return }
      isComplete = isAtEnd
    } catch {
      return failed(error)
    }
    // The events of the time in which the last slice was read arrive in the next turn. The first number of all needs no
    // check against events.
    if isComplete, !hasCounted { finish() } else { schedule() }
  }

  private func finish() {
    let number = reading?.count ?? 0
    reading = nil
    report(nil)
    if !isDoubtful() {
      hasCounted = true
      send("\(number)", onlyIfOther: isLook)
    }
    endReading()
  }

  private func failed(_ problem: FileReading.Problem) {
    reading = nil
    fail(problem)
    endReading()
  }

  /// Whether the number was outdated by arrivals and removals while it was counted, so that the folder is counted again.
  ///
  /// A file that is written beside another one and renamed over it never makes one more. If a folder never rests, its number
  /// is believed after `PathWatchState.longest` all the same.
  private func isDoubtful() -> Bool {
    guard hasCounted, isOutdated || watch.awaitsReading else {
      doubtedSince = nil
      return false
    }
    let since = doubtedSince ?? loop.now
    let isDoubtful = since.duration(to: loop.now) < PathWatchState.longest
    doubtedSince = isDoubtful ? since : nil
    return isDoubtful
  }
}

/// An open folder whose entries are counted, some at a time.
struct FolderReading: ~Copyable {
  private let stream: OpaquePointer
  /// How many entries were read so far, without `.` and `..`.
  private(set) var count = 0

  /// Opens the folder. Never blocks if something else is at the path (opendir).
  init(path: String) throws(FileReading.Problem) {
    guard let stream = opendir(path) else { throw Self.problem(path, errno) }
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
      let isItselfOrParent = withUnsafePointer(to: &entry.pointee.d_name.0) {
        strcmp($0, ".") == 0 || strcmp($0, "..") == 0
      }
      if !isItselfOrParent { count += 1 }
    }
    return false
  }

  private static func problem(_ path: String, _ code: Int32) -> FileReading.Problem {
    var status = stat()
    if code == ENOTDIR, stat(path, &status) == 0 {
      return .unusable("\(path) is no folder: correct the path")
    }
    return FileReading.problem(path, code)
  }
}
