import Glibc

/// The time at which a program that has the library CommitStamp preloaded first committed frames.
struct CommitTime {
  /// What $COMMIT_STAMP must be for the program.
  let path: String
  private let time: UnsafeMutablePointer<Int64>

  /// Makes the file at `path`, or takes the one that is there.
  init(path: String) throws(Problem) {
    self.path = path
    let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard fd >= 0, ftruncate(fd, 8) == 0 else { throw Problem("\(path) cannot be made") }
    defer { close(fd) }
    guard let page = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), page != MAP_FAILED else {
      throw Problem("\(path) cannot be mapped")
    }
    time = page.assumingMemoryBound(to: Int64.self)
  }

  /// From now on, the next commit is the first.
  func arm() { time.pointee = 0 }

  /// When the first frames since `arm` were committed, if they were. Nanoseconds of CLOCK_MONOTONIC.
  var committed: Int64? { time.pointee == 0 ? nil : time.pointee }
}
