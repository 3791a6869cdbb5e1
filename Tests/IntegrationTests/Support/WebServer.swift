import Foundation

/// A web server for one test, on a free port of the loopback device: one request a connection.
final class WebServer: @unchecked Sendable {
  /// What it answers: the status line's number and the body.
  typealias Answer = @Sendable (_ request: String) -> (Int, String)

  let port: Int
  private let listener: Int32
  private let answer: Answer

  init(_ answer: @escaping Answer) throws {
    port = try Broker.freePort()
    self.answer = answer
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isListening = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 16) == 0
      }
    }
    guard isListening else { throw TimedOut(description: "cannot listen: \(String(cString: strerror(errno)))") }
    // The thread lives until the listener is shut down, and holds nothing but these two.
    Thread.detachNewThread { [listener, answer] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Self.serve(client, answer)
        close(client)
      }
    }
  }

  /// Ends it: whoever connects later is refused.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  deinit {
    stop()
    close(listener)
  }

  private static func serve(_ client: Int32, _ answer: Answer) {
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isWhole(String(decoding: request, as: UTF8.self)) {
      let count = read(client, &buffer, buffer.count)
      if count <= 0 { return }
      request += buffer.prefix(count)
    }
    let (status, body) = answer(String(decoding: request, as: UTF8.self))
    let text = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    _ = Array(text.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  private static func isWhole(_ request: String) -> Bool {
    guard let end = request.range(of: "\r\n\r\n") else { return false }
    let length = request.firstMatch(of: /\r\nContent-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
    return request[end.upperBound...].utf8.count >= length
  }
}
