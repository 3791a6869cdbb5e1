import Glibc
import SoundTrigger

/// A file that is written whole or not at all.
///
/// It is written beside its place, under a name that nobody can guess, and then renamed; an unfinished one is removed, also by
/// Ctrl-C. What is no regular file, such as a pipe or /dev/null, is written in place. A process has one at most.
final class OutputFile {
  /// Where to write.
  let path: String
  /// Whether the file must be new: then it is created with O_EXCL and O_NOFOLLOW.
  let isNew: Bool
  private let destination: String
  private var isPending: Bool

  init(_ destination: String) {
    self.destination = destination
    var status = stat()
    let isOther = stat(destination, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    isNew = !isOther
    isPending = isNew
    path = isOther ? destination : "\(destination).\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
    if isPending { Self.removeAtSignals(path) }
  }

  /// What a signal removes. Written before the handler is set, which is the only reader.
  nonisolated(unsafe) private static var unfinished: UnsafeMutablePointer<CChar>?

  /// Removes the file if a signal ends the process. The handler calls only what signal-safety(7) allows.
  private static func removeAtSignals(_ path: String) {
    unfinished = strdup(path)
    for number in [SIGINT, SIGTERM, SIGHUP] where !SignalSource.isIgnored(number) {
      signal(number) { number in
        if let path = OutputFile.unfinished { unlink(path) }
        // It ends the process when the handler returns.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  deinit {
    if isPending { unlink(path) }
  }

  /// Whether a path leads to the regular file that this one would replace (stat).
  func wouldReplace(_ other: String) -> Bool {
    var (old, status) = (stat(), stat())
    guard isPending, stat(destination, &old) == 0, stat(other, &status) == 0 else { return false }
    return old.st_dev == status.st_dev && old.st_ino == status.st_ino
  }

  /// Puts the finished file in its place (rename).
  func commit() throws(Failure) {
    guard isPending else { return }
    guard rename(path, destination) == 0 else {
      throw Failure(.inputOutput, "cannot write \(destination): \(SystemError.text(errno))")
    }
    isPending = false
  }
}
