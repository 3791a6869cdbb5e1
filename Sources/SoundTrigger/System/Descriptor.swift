import Glibc

/// An open file descriptor that has one owner and is closed with it.
package struct Descriptor: ~Copyable {
  package let raw: Int32

  /// Owns a descriptor that the caller opened.
  package init(owning raw: Int32) { self.raw = raw }

  /// Owns what a system call returned, or throws its error.
  package init(
    _ operation: String, _ subject: @autoclosure () -> String = "", _ body: () -> Int32
  ) throws(SystemError) {
    raw = try retrying(operation, subject(), body)
  }

  deinit { close(raw) }
}

/// A system call that failed: the operation, its subject, and why.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The operation as a verb: `bind`, `read`.
  package var operation: String
  /// A path or a description; may be empty.
  package var subject: String
  /// The value of `errno`.
  package var code: Int32

  package init(_ operation: String, _ subject: String = "", code: Int32 = errno) {
    self.operation = operation
    self.subject = subject
    self.code = code
  }

  /// The system's text for the error.
  package var reason: String { Self.text(code) }

  package var description: String { subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)" }

  /// strerror_r: the system's text for an error number.
  package static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      return String(cString: start)
    }
  }
}

/// Calls `body` again while it fails with EINTR; the error of any other failure is thrown.
package func retrying<Result: SignedInteger>(
  _ operation: String, _ subject: @autoclosure () -> String = "", _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw SystemError(operation, subject(), code: code) }
  }
}

/// Makes a folder and those above it, as far as they are missing (mkdir).
package func makeFolder(_ path: String, mode: UInt32) throws(SystemError) {
  if mkdir(path, mode) == 0 || errno == EEXIST { return }
  let code = errno
  guard code == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
    throw SystemError("make the folder", path, code: code)
  }
  try makeFolder(String(path[..<slash]), mode: mode)
  if mkdir(path, mode) < 0, errno != EEXIST { throw SystemError("make the folder", path) }
}
