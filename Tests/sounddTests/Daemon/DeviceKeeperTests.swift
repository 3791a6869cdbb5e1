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

  @Test func `a sound after a rest has the audio thread looked at, though the device is open`() throws {
    let keeper = try keeper("file:\(folder("out.raw")),raw")
    var opened: OpenedDevice??
    keeper.start { opened = $0 }
    try loop.turn(until: { opened != nil })
    let output = try Output(OutputSettings(device: "file:\(folder("out.raw")),raw"), opened: opened ?? nil)
    keeper.keep(output) {}
    // The look that follows each opening: the thread rests, so there is no other one.
    _ = try loop.runOnce(timeout: .seconds(20))
    let before = EventLoop.clock()
    keeper.willPlay()
    // A device that blocks at its first call reports nothing: only a timer ends this.
    _ = try loop.runOnce(timeout: .seconds(20))
    #expect(before.duration(to: EventLoop.clock()) < .seconds(10))
    _ = keeper.stop()
    output.stop()
  }
}
