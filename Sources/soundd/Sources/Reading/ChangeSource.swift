import Glibc
import SoundTrigger

/// Reports that a file, or anything in a folder, may have changed, without reading it. What cannot be watched is not polled.
final class ChangeSource: ValueFeeder {
  override class var subject: PathWatch.Subject { .files }

  private var hasBegun = false

  override func read(onlyIfOther: Bool) {
    // What was there at the start is no change.
    if hasBegun { receiver.changed(isBeingWritten: watch.isBeingWritten) } else if !isWatchable { stop() }
    // On another thread the path may name another file, so the next first look is one.
    hasBegun = true
    if watch.problem != nil { stop() }
  }

  /// Whether the path names a regular file, a folder, a socket, or nothing yet. Every program writes to /dev/null, and each write would
  /// be an event.
  private var isWatchable: Bool {
    var status = stat()
    let isOther = stat(path, &status) == 0 && ![S_IFREG, S_IFDIR, S_IFSOCK].contains(status.st_mode & S_IFMT)
    return !isOther && FolderWatcher.muteTree(of: path) == nil
  }
}
