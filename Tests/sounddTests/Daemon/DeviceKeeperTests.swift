import CLinux
import Glibc
import Logging
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

struct DeviceKeeperTests {
  private let folder = TemporaryFolder()
  private let loop: EventLoop
  private let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  init() throws { loop = try EventLoop() }

  private func keeper(_ device: String) throws -> DeviceKeeper {
    try DeviceKeeper(OutputSettings(device: device), on: loop, log: log)
  }

  @Test func `the first device is opened in the background`() throws {
    let keeper = try keeper("file:\(folder("out.raw")),raw")
    var opened: OpenedDevice??
    keeper.start { opened = $0 }
    #expect(opened == nil)
    try loop.turn(until: { opened != nil })
    let device = try #require(opened ?? nil)
    #expect(device.rate == 48_000)
    #expect(device.error == nil)
    #expect(keeper.stop() == false)
  }

  @Test func `a first device that is missing is reported when the attempt has ended`() throws {
    let keeper = try keeper("hw:31")
    var opened: OpenedDevice??
    keeper.start { opened = $0 }
    try loop.turn(until: { opened != nil })
    let device = try #require(opened ?? nil)
    #expect(device.rate == nil)
    #expect("\(try #require(device.error))".hasPrefix("cannot play on 'hw:31': "))
  }

  @Test func `without a device there is nothing to open`() throws {
    var calls = 0
    try keeper("none").start {
      calls += 1
      #expect($0 == nil)
    }
    #expect(calls == 1)
  }

  @Test func `an opening that does not return holds up nobody`() throws {
    // To open a named pipe for writing takes a reader.
    let pipe = folder("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let keeper = try keeper("file:\(pipe),raw")
    var isOpened = false
    keeper.start { _ in isOpened = true }
    let deadline = EventLoop.clock().advanced(by: .milliseconds(200))
    #expect(try loop.runOnce(timeout: .milliseconds(1)) || !isOpened)
    _ = keeper.stop()
    #expect(EventLoop.clock() < deadline)
    #expect(!isOpened)
    // Lets the thread go.
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(reader >= 0)
  }
}
