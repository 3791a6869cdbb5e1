import Glibc

/// Reads files that a command is given.
enum InputFile {
  /// The bytes of a regular file or a pipe; more than `limit` are refused, and `purpose` is what messages call the file.
  ///
  /// With `again` the file is one that will be read again: a pipe is refused, and waited for by nobody.
  static func contents(
    _ file: String, limit: Int, as purpose: String, again: Bool = false
  ) throws(Failure) -> [UInt8] {
    // A named pipe would not even be opened before somebody writes to it.
    let fd = open(file, O_RDONLY | O_CLOEXEC | (again ? O_NONBLOCK : 0))
    guard fd >= 0 else { throw Failure(.noInput, "cannot read \(file): \(SystemError.text(errno))") }
    defer { close(fd) }
    if again, let kind = unlasting(fd) {
      throw Failure(
        .noInput,
        "cannot read \(file): it is \(kind), but \(purpose) must be a regular file, for it is read again on a reload; "
          + "no pipe will do, be it /dev/stdin or <(…)")
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(fd, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(.noInput, "cannot read \(file): \(SystemError.text(errno))") }
      if count == 0 { return bytes }
      bytes += block[..<count]
      if bytes.count > limit {
        throw Failure(.badData, "\(file) has more than \(limit >> 20) MiB, which is too much for \(purpose)")
      }
    }
  }

  /// What a descriptor is that does not give the same bytes twice; `nil`: a regular file, or /dev/null (fstat).
  private static func unlasting(_ fd: Int32) -> String? {
    var (status, null) = (stat(), stat())
    guard fstat(fd, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFIFO: return "a pipe"
    case S_IFDIR: return "a folder"
    case S_IFCHR where stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev: return nil
    default: return "a device"
    }
  }
}
