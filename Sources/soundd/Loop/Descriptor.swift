import Glibc

/// An open file descriptor that has one owner and is closed with it.
struct Descriptor: ~Copyable {
  let raw: Int32

  /// Owns a descriptor that the caller opened.
  init(owning raw: Int32) { self.raw = raw }

  /// Owns what a system call returned, or throws its error.
  init(_ operation: String, _ subject: @autoclosure () -> String = "", _ body: () -> Int32) throws(SystemError) {
    raw = try retrying(operation, subject(), body)
  }

  deinit { close(raw) }
}

/// A system call that failed: the operation, its subject, and why.
struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The operation as a verb: `bind`, `read`.
  var operation: String
  /// A path or a description; may be empty.
  var subject: String
  /// The value of `errno`.
  var code: Int32

  init(_ operation: String, _ subject: String = "", code: Int32 = errno) {
    self.operation = operation
    self.subject = subject
    self.code = code
  }

  /// The system's text for the error.
  var reason: String { Self.text(code) }

  var description: String { subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)" }

  /// strerror_r: the system's text for an error number.
  static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      return String(cString: start)
    }
  }
}

/// Calls `body` again while it fails with EINTR; the error of any other failure is thrown.
func retrying<Result: SignedInteger>(
  _ operation: String, _ subject: @autoclosure () -> String = "", _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw SystemError(operation, subject(), code: code) }
  }
}
