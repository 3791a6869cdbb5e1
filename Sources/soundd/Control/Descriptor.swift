import Glibc

/// An open file descriptor that has one owner and is closed with it.
struct Descriptor: ~Copyable {
  let raw: Int32

  /// Takes over a descriptor that somebody opened.
  init(owning raw: Int32) { self.raw = raw }

  /// Takes over what a system call returned, or throws its error.
  init(_ operation: String, _ subject: @autoclosure () -> String = "", _ body: () -> Int32) throws(SystemError) {
    raw = try retrying(operation, subject(), body)
  }

  deinit { close(raw) }
}
