import Foundation

/// A bare connection to the daemon's socket, without any of the program's own client code.
final class Connection {
  private let fd: Int32
  private var received: [UInt8] = []

  init(_ path: String) throws {
    fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard try withUnixAddress(path, { Foundation.connect(fd, $0, $1) }) == 0 else {
      // `deinit` closes it, because the object is complete. Closed twice, it would be another test's by then.
      throw TimedOut(description: "cannot connect to \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(fd) }

  /// Sends bytes as they are.
  func send(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(fd, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { throw TimedOut(description: "the daemon took no more: \(String(cString: strerror(errno)))") }
      done += count
    }
  }

  /// Sends a line with its end.
  func send(line: String) throws { try send((line + "\n").utf8) }

  /// The next line that the daemon says.
  func line() throws -> String {
    let deadline = Deadline(in: Program.patience)
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      if poll(&descriptor, 1, deadline.milliseconds) == 0 { throw TimedOut(description: "the daemon said nothing") }
      var block = [UInt8](repeating: 0, count: 65_536)
      let count = recv(fd, &block, block.count, 0)
      if count <= 0 { throw TimedOut(description: "the daemon ended the connection") }
      received += block[..<count]
    }
  }

  /// Says that nothing more will be sent.
  func finishSending() { shutdown(fd, Int32(SHUT_WR)) }

  /// Sends a line and returns what is answered.
  func ask(_ text: String) throws -> String {
    try send(line: text)
    return try line()
  }
}

/// The datagram socket of a service manager (sd_notify).
final class NotifySocket {
  let path: String
  private let fd: Int32

  init(_ path: String) throws {
    self.path = path
    fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard try withUnixAddress(path, { bind(fd, $0, $1) }) == 0 else {
      throw TimedOut(description: "cannot bind \(path)")
    }
  }

  deinit { close(fd) }

  /// The next message, as its assignments.
  func message() throws -> [String] {
    var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
    if poll(&descriptor, 1, Int32(Program.patience * 1000)) == 0 { throw TimedOut(description: "no notification came") }
    var block = [UInt8](repeating: 0, count: 4096)
    let count = recv(fd, &block, block.count, 0)
    return String(decoding: block[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

/// The address of a Unix socket.
func withUnixAddress(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
    throw TimedOut(description: "\(path) is too long for a socket")
  }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}

/// Leaves a Unix socket at a path, listening or (as after a crash) not.
final class ForeignSocket {
  private let fd: Int32

  init(_ path: String, isListening: Bool) throws {
    fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard try withUnixAddress(path, { bind(fd, $0, $1) }) == 0 else {
      throw TimedOut(description: "cannot bind \(path)")
    }
    if isListening { listen(fd, 4) }
  }

  deinit { close(fd) }
}
