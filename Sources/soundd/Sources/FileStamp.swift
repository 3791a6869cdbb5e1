import Glibc
import SoundTrigger

/// A state of a file: whatever is done to it makes it another one, as finely as the kernel keeps time.
struct FileStamp: Equatable {
  var identity: FileIdentity
  /// In bytes; 0 of those that the kernel makes up.
  var length: Int
  /// When it was changed last (st_ctim): a rename counts.
  var changed: Instant

  init(_ status: stat) {
    identity = FileIdentity(status)
    length = Int(status.st_size)
    changed = Instant(nanoseconds: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec))
  }
}
