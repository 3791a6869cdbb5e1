import Glibc
import SoundTrigger

/// Which file it is, whatever its name.
struct FileIdentity: Hashable {
  var device: UInt
  var inode: UInt

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }
}

/// A state of a file: whatever is done to it makes it another one, as finely as the kernel keeps time.
struct FileStamp: Equatable {
  var identity: FileIdentity
  var length: Int
  /// When it was changed last (st_ctim): a rename counts.
  var changed: Instant

  init(_ status: stat) {
    identity = FileIdentity(status)
    length = Int(status.st_size)
    changed = Instant(nanoseconds: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec))
  }
}

extension FileReading {
  /// fstat: the state that the file is in.
  func stamp() -> FileStamp? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? FileStamp(status) : nil
  }

  /// fstat: which file is being read, and its length, which is 0 for those that the kernel makes up.
  func status() -> (identity: FileIdentity, length: Int)? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? (FileIdentity(status), Int(status.st_size)) : nil
  }

  /// pread: fills the buffer from `offset` on as far as the file goes; returns how many bytes there were.
  func read(at offset: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, path: String) throws(Problem) -> Int {
    var filled = 0
    while filled < buffer.count {
      let place = buffer.baseAddress.map { $0 + filled }
      let count = pread(descriptor.raw, place, buffer.count - filled, off_t(offset + filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .unusable("\(path): \(SystemError.text(errno))")
      }
    }
    return filled
  }
}
