import Glibc

/// Reads files that a command is given.
enum InputFile {
  /// The bytes of a regular file or a pipe; more than `limit` are refused, and `purpose` is what messages call the file.
  static func contents(_ file: String, limit: Int, as purpose: String) throws(Failure) -> [UInt8] {
    let fd = open(file, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw Failure(.noInput, "cannot read \(file): \(SystemError.text(errno))") }
    defer { close(fd) }
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
}
