import CFuzz
import Glibc
import Harness

/// A file that lies in memory and has no name, so that nothing is left on a disk.
struct MemoryFile: ~Copyable {
  let descriptor: Int32

  init(_ bytes: UnsafeRawBufferPointer) {
    descriptor = cfuzz_memory_file()
    Finding.unless(descriptor >= 0, "memfd_create: \(String(cString: strerror(errno)))")
    Finding.unless(write(descriptor, bytes.baseAddress, bytes.count) == bytes.count, "the memory file takes no more")
  }

  deinit { close(descriptor) }

  /// Where it can be opened, each time from its beginning.
  var path: String { "/proc/self/fd/\(descriptor)" }
}
