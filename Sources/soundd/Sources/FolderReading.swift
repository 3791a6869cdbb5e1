import Glibc

/// A folder whose entries are being counted, some at a time.
struct FolderReading: ~Copyable {
  private let stream: OpaquePointer
  /// How many entries were met so far, `.` and `..` not counted.
  private(set) var count = 0

  /// Opens the folder; never blocks on what is none.
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

  /// readdir: counts on, at most `limit` entries; returns whether those were all.
  mutating func readOn(limit: Int, path: String) throws(FileReading.Problem) -> Bool {
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
      return .unusable("\(path) is no folder, whose entries could be counted")
    }
    return FileReading.problem(path, code)
  }
}
