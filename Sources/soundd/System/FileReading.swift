import CLinux
import Glibc
import SoundTrigger

/// A regular file that is read a buffer at a time.
struct FileReading: ~Copyable {
  /// Why a file has no content.
  enum Problem: Error, Equatable {
    /// It is not there. This is no problem: its last content counts.
    case missing
    /// The text says what is wrong.
    case unusable(String)
  }

  private let descriptor: Descriptor
  /// Whether the descriptor can be read. One that only names the file (O_PATH) is opened anew for each reading.
  private let staysOpen: Bool

  /// Opens the file if it is a regular one (open). Waits for no writer, and does not open named pipes and devices.
  ///
  /// Without `staysOpen` the file is open only while it is read. FUSE asks its server at each closing of a file, even at the
  /// end of the process, and a server that hangs would keep the process from ending.
  init(path: String, staysOpen: Bool = true) throws(Problem) {
    self.staysOpen = staysOpen
    // Before it is opened, because opening a named pipe or a device may have an effect.
    var status = try Self.status(of: path)
    // A path that is passed to C as it is would be copied into an array first.
    let fd = path.withCString {
      staysOpen ? open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : clinux_open_path($0)
    }
    if fd < 0 { throw Self.problem(path, errno) }
    let opened = Descriptor(owning: fd)
    // The path may name another file since then.
    if fstat(fd, &status) < 0 { throw Self.problem(path, errno) }
    try Self.check(path, status)
    descriptor = opened
  }

  /// Fills the buffer from `offset` in the file on, as far as the file goes (pread); returns the number of bytes.
  func read(at offset: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, path: String) throws(Problem) -> Int {
    if staysOpen { return try Self.read(descriptor.raw, at: offset, into: buffer, path: path) }
    // A path of the kernel, which leads to the same file whatever its name is now.
    let fd = open("/proc/self/fd/\(descriptor.raw)", O_RDONLY | O_CLOEXEC)
    if fd < 0 { throw Self.problem(path, errno) }
    defer { close(fd) }
    return try Self.read(fd, at: offset, into: buffer, path: path)
  }

  private static func read(
    _ fd: Int32, at offset: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, path: String
  ) throws(Problem) -> Int {
    var filled = 0
    while filled < buffer.count {
      let target = buffer.baseAddress.map { $0 + filled }
      let count = pread(fd, target, buffer.count - filled, off_t(offset + filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .unusable("\(path): \(SystemError.text(errno))")
      }
    }
    return filled
  }

  /// The state of the file now (fstat).
  func stamp() -> FileStamp? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? FileStamp(status) : nil
  }

  /// Whether a program may have the file open for writing; true if the kernel does not say.
  var mayHaveWriter: Bool { !staysOpen || clinux_may_have_writer(descriptor.raw) != 0 }

  /// The status of the regular file that a path names (stat).
  static func status(of path: String) throws(Problem) -> stat {
    var status = stat()
    if path.withCString({ stat($0, &status) }) < 0 { throw problem(path, errno) }
    try check(path, status)
    return status
  }

  static func problem(_ path: String, _ code: Int32) -> Problem {
    code == ENOENT || code == ENOTDIR ? .missing : .unusable("\(path): \(SystemError.text(code))")
  }

  private static func check(_ path: String, _ status: stat) throws(Problem) {
    if let (finding, remedy) = wrongKind(status, at: path) { throw .unusable("\(finding): \(remedy)") }
  }

  /// What is wrong with what a path names, and what to do; `nil` for a regular file.
  static func wrongKind(_ status: stat, at path: String) -> (finding: String, remedy: String)? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: ("\(path) is a folder", "name a file in it, or count what is in it with 'count'")
    case S_IFIFO: ("\(path) is a named pipe", "read it with 'fifo'")
    default: ("\(path) is a device or a socket", "name a regular file")
    }
  }
}

/// Which file it is, whatever its name.
struct FileIdentity: Hashable {
  var device: UInt
  var inode: UInt
}

extension FileIdentity {
  init(_ status: stat) { self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino)) }
}

/// The state of a file. Every write and rename makes it another one, as finely as the kernel keeps time.
struct FileStamp: Equatable {
  var identity: FileIdentity
  /// In bytes; 0 for files whose content the kernel generates.
  var length: Int
  /// The last change (st_ctim); a rename counts.
  var changed: Instant
  /// When the content was last written (st_mtim), by the civil clock: since 1970.
  var written: Instant

  init(_ status: stat) {
    identity = FileIdentity(status)
    length = Int(status.st_size)
    func instant(_ time: timespec) -> Instant {
      Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
    (changed, written) = (instant(status.st_ctim), instant(status.st_mtim))
  }
}
