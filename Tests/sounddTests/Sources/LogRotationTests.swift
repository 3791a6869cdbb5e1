import SoundTrigger
import Testing

@testable import soundd

@Suite struct LogRotationTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
  private func file(_ inode: UInt) -> FileIdentity { FileIdentity(device: 1, inode: inode) }

  private func found(_ rotation: inout LogRotation, _ inode: UInt?, _ second: Int64) -> LogRotation.Action {
    rotation.found(inode.map { .file(file($0)) } ?? .nothing, at: at(second))
  }
  private func opened(_ rotation: inout LogRotation, _ inode: UInt, _ second: Int64) -> Bool {
    rotation.opened(file(inode), at: at(second))
  }
  private func read(_ rotation: inout LogRotation, _ second: Int64) -> LogRotation.Expired {
    rotation.readToEnd(at: at(second))
  }

  /// One that reads the first file since the time 0.
  private func begun() -> LogRotation {
    var rotation = LogRotation()
    #expect(found(&rotation, 1, 0) == .open)
    #expect(!opened(&rotation, 1, 0))
    #expect(read(&rotation, 0) == .init())
    return rotation
  }

  @Test func `a file that stays is read after events alone`() {
    var rotation = begun()
    #expect(found(&rotation, 1, 1) == .none)
    #expect(rotation.nextCheck(after: at(1)) == nil)
  }

  @Test func `a path that names nothing has nothing to do`() {
    var rotation = LogRotation()
    #expect(found(&rotation, nil, 0) == .none)
    #expect(read(&rotation, 9) == .init())
    #expect(rotation.nextCheck(after: at(9)) == nil)
  }

  @Test func `a rotated file is read every second for five seconds`() {
    var rotation = begun()
    #expect(found(&rotation, 2, 10) == .open)
    #expect(!opened(&rotation, 2, 10))
    for second: Int64 in 10..<15 {
      #expect(found(&rotation, 2, second) == .none)
      #expect(read(&rotation, second).leaving == 0)
      #expect(rotation.nextCheck(after: at(second)) == at(second + 1))
    }
    #expect(read(&rotation, 15).leaving == 1)
    #expect(rotation.nextCheck(after: at(15)) == nil)
  }

  @Test func `a file is not given up before it was read to its end`() {
    var rotation = begun()
    _ = opened(&rotation, 2, 0)
    #expect(found(&rotation, 3, 60) == .open)
    #expect(!opened(&rotation, 3, 60))
    #expect(read(&rotation, 60).leaving == 1)
    #expect(read(&rotation, 65).leaving == 1)
  }

  @Test func `files that are rotated faster than they are read wait to be opened until the oldest is read`() {
    var rotation = begun()
    for inode in 2...UInt(LogRotation.leavingLimit + 2) {
      #expect(found(&rotation, inode, 0) == .open)
      #expect(!opened(&rotation, inode, 0))
    }
    #expect(found(&rotation, 99, 0) == .none)
    #expect(read(&rotation, 0).leaving == 1)
    #expect(found(&rotation, 99, 0) == .open)
    #expect(read(&rotation, 5).leaving == LogRotation.leavingLimit)
  }

  @Test func `a file that is gone is closed after five seconds, and remembered`() {
    var rotation = begun()
    #expect(found(&rotation, nil, 1) == .none)
    #expect(read(&rotation, 1) == .init())
    #expect(rotation.nextCheck(after: at(1)) == at(2))
    #expect(found(&rotation, nil, 6) == .none)
    #expect(read(&rotation, 6) == .init(leaving: 0, closesCurrent: true))
    #expect(rotation.nextCheck(after: at(6)) == nil)
    #expect(read(&rotation, 7) == .init())
    // It is back.
    #expect(found(&rotation, 1, 60) == .open)
    #expect(opened(&rotation, 1, 60))
    #expect(rotation.nextCheck(after: at(60)) == nil)
  }

  @Test func `a file that is back in time was never away`() {
    var rotation = begun()
    _ = found(&rotation, nil, 1)
    #expect(found(&rotation, 1, 3) == .none)
    #expect(read(&rotation, 9) == .init())
    #expect(rotation.nextCheck(after: at(9)) == nil)
  }

  @Test func `a file that was closed has had its time when another one comes`() {
    var rotation = begun()
    _ = found(&rotation, nil, 1)
    _ = read(&rotation, 6)
    #expect(found(&rotation, 2, 20) == .open)
    #expect(!opened(&rotation, 2, 20))
    #expect(read(&rotation, 20) == .init(leaving: 1))
    #expect(rotation.nextCheck(after: at(20)) == nil)
  }

  @Test func `a link that is swapped to and fro continues where it was`() {
    var rotation = begun()
    _ = opened(&rotation, 2, 0)
    _ = opened(&rotation, 3, 1)
    #expect(found(&rotation, 1, 2) == .goBack(to: 0))
    #expect(found(&rotation, 3, 3) == .goBack(to: 1))
    #expect(read(&rotation, 6).leaving == 1)
    #expect(read(&rotation, 8).leaving == 1)
    #expect(rotation.nextCheck(after: at(8)) == nil)
  }
}
