import Foundation
import TestSupport
import Testing

@testable import soundd

/// The messages are those of sd_notify(3).
@Suite struct ServiceManagerTests {
  /// A datagram socket on which a service manager listens.
  private final class Listener {
    private let folder: TemporaryFolder
    private let fd: Int32
    var path: String { folder("notify") }

    init() throws {
      folder = TemporaryFolder()
      fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(folder("notify").utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }

    deinit { close(fd) }

    /// The assignments of the next message; `nil` if there is none.
    func next() -> [String]? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(fd, &buffer, buffer.count, 0)
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self).components(separatedBy: "\n")
    }

    var manager: ServiceManager { ServiceManager { [path] in $0 == "NOTIFY_SOCKET" ? path : nil } }
  }

  @Test func `each message is one datagram of assignments`() throws {
    let listener = try Listener()
    listener.manager.ready(status: "2 triggers")
    listener.manager.status("no device")
    listener.manager.stopping()
    #expect(listener.next() == ["READY=1", "STATUS=2 triggers"])
    #expect(listener.next() == ["STATUS=no device"])
    #expect(listener.next()?.first == "STOPPING=1")
    #expect(listener.next() == nil)
  }

  @Test func `a reload tells the time in microseconds of the monotonic clock`() throws {
    let listener = try Listener()
    let before = monotonicNanoseconds() / 1000
    listener.manager.reloading()
    let after = monotonicNanoseconds() / 1000
    let message = try #require(listener.next())
    #expect(message.first == "RELOADING=1")
    let assignment = try #require(message.last)
    #expect(assignment.hasPrefix("MONOTONIC_USEC="))
    let time = try #require(UInt64(assignment.dropFirst("MONOTONIC_USEC=".count)))
    #expect((before...after).contains(time))
  }

  @Test(arguments: ["a\nREADY=1", "a\r\nREADY=1", "a\rREADY=1"])
  func `a line break in a status begins no assignment of its own`(_ status: String) throws {
    let listener = try Listener()
    listener.manager.status(status)
    #expect(listener.next() == ["STATUS=a READY=1"])
  }

  @Test(arguments: [nil, "", "/nowhere/notify", "/" + String(repeating: "x", count: 200)])
  func `a service manager that cannot be reached disturbs nothing`(_ path: String?) {
    let manager = ServiceManager { _ in path }
    manager.ready(status: "")
    manager.reloading()
    manager.stopping()
  }

  private func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  @Test(arguments: [
    (["WATCHDOG_USEC": "3000000"], Duration.seconds(3)),
    (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "17"], .seconds(3)),
    // Somebody else's, left over in the environment.
    (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "18"], nil),
    (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_USEC": "-5"], nil), ([:], nil),
  ]) func `the watchdog is that of the service manager`(_ variables: [String: String], _ interval: Duration?) {
    let environment = variables.merging(["NOTIFY_SOCKET": "/n"]) { $1 }
    #expect(ServiceManager(environment: { environment[$0] }, process: 17).watchdog == interval)
    #expect(ServiceManager(environment: { variables[$0] }, process: 17).watchdog == nil)
  }

  @Test func `signs of life come while the loop turns and the rest agrees`() throws {
    let listener = try Listener()
    let loop = try EventLoop()
    let manager = ServiceManager { [path = listener.path] in
      $0 == "NOTIFY_SOCKET" ? path : $0 == "WATCHDOG_USEC" ? "20000" : nil
    }
    var isAlive = true
    var asked = 0
    manager.keepAlive(on: loop) {
      asked += 1
      return isAlive
    }
    while asked < 2 { try loop.runOnce() }
    #expect(listener.next() == ["WATCHDOG=1"])
    #expect(listener.next() == ["WATCHDOG=1"])
    isAlive = false
    while asked < 4 { try loop.runOnce() }
    #expect(listener.next() == nil)
    // It may come back to life: the service manager decides when it has waited for too long.
    isAlive = true
    while asked < 5 { try loop.runOnce() }
    #expect(listener.next() == ["WATCHDOG=1"])
  }
}
