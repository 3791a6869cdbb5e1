import CFuzz
import Glibc
import Harness

/// A file that lies in memory and has no name, so that nothing is left on a disk.
struct MemoryFile: ~Copyable {
  private let fd: Int32

  init(_ bytes: UnsafeRawBufferPointer) {
    fd = cfuzz_memory_file()
    Finding.unless(fd >= 0, "memfd_create: \(String(cString: strerror(errno)))")
    Finding.unless(write(fd, bytes.baseAddress, bytes.count) == bytes.count, "the memory file takes no more")
  }

  deinit { close(fd) }

  /// Where it can be opened, each time from its beginning.
  var path: String { "/proc/self/fd/\(fd)" }
}
