import CLinux
import Glibc

/// A regular file that is being read, a buffer at a time.
struct FileReading: ~Copyable {
  /// Why a file gives no content.
  enum Problem: Error, Equatable {
    /// It is not there: no problem, its last content counts.
    case missing
    /// The text says what is wrong.
    case unusable(String)
  }

  let descriptor: Descriptor

  /// Opens the file if it is a regular one.
  ///
  /// Never blocks, and leaves named pipes and devices untouched.
  init(path: String) throws(Problem) {
    var status = stat()
    if stat(path, &status) < 0 { throw Self.problem(path, errno) }
    // Before it is opened: to open a named pipe or a device is an act of its own.
    try Self.check(path, status)
    let fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    if fd < 0 { throw Self.problem(path, errno) }
    let opened = Descriptor(owning: fd)
    // The path may have changed hands meanwhile.
    if fstat(fd, &status) < 0 { throw Self.problem(path, errno) }
    try Self.check(path, status)
    descriptor = opened
  }

  /// Fills the buffer as far as the file goes; returns how many bytes there were.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>, path: String) throws(Problem) -> Int {
    let fd = descriptor.raw
    return try Self.fill(buffer, path) { place, count, _ in Glibc.read(fd, place, count) }
  }

  /// pread: fills the buffer from `offset` on as far as the file goes; returns how many bytes there were.
  func read(at offset: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, path: String) throws(Problem) -> Int {
    let fd = descriptor.raw
    return try Self.fill(buffer, path) { place, count, filled in pread(fd, place, count, off_t(offset + filled)) }
  }

  /// fstat: the state that the file is in.
  func stamp() -> FileStamp? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? FileStamp(status) : nil
  }

  /// Whether anybody has it open for writing (F_SETLEASE); `nil`: it cannot be told, of a file of somebody else for example.
  var hasWriter: Bool? {
    let answer = clinux_has_writer(descriptor.raw)
    return answer < 0 ? nil : answer == 1
  }

  /// Has `read` read on until the buffer is full or it returns 0.
  private static func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>, _ path: String,
    _ read: (_ place: UnsafeMutablePointer<UInt8>?, _ count: Int, _ filled: Int) -> Int
  ) throws(Problem) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = read(buffer.baseAddress.map { $0 + filled }, buffer.count - filled, filled)
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .unusable("\(path): \(SystemError.text(errno))")
      }
    }
    return filled
  }

  static func problem(_ path: String, _ code: Int32) -> Problem {
    code == ENOENT || code == ENOTDIR ? .missing : .unusable("\(path): \(SystemError.text(code))")
  }

  static func check(_ path: String, _ status: stat) throws(Problem) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .unusable("\(path) is a folder: name a file in it")
    case S_IFIFO: throw .unusable("\(path) is a named pipe: read it with 'fifo'")
    default: throw .unusable("\(path) is a device or a socket, not a regular file")
    }
  }
}
