import SoundTrigger
import Testing

@testable import soundd

@Suite struct LogRotationTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
  private func file(_ inode: UInt) -> FileIdentity { FileIdentity(device: 1, inode: inode) }

  /// The path names a file, which is opened if that is asked for; returns whether it was.
  private func found(_ rotation: inout LogRotation, _ inode: UInt?, _ second: Int64) throws -> Bool {
    let isNew = rotation.found(inode.map(file), at: at(second))
    if isNew, let inode { rotation.opened(Tail(try FileReading(path: "/proc/self/exe"), file(inode))) }
    return isNew
  }

  /// The files that are read afterwards, the current one last.
  private func read(_ rotation: inout LogRotation, _ second: Int64) -> [UInt] {
    rotation.readToEnd(at: at(second))
    return [rotation.previous, rotation.current].compactMap { $0 }.filter { $0.file?.stamp() != nil }
      .map(\.identity.inode)
  }

  /// One that reads the first file since the time 0.
  private func begun() throws -> LogRotation {
    var rotation = LogRotation()
    #expect(try found(&rotation, 1, 0))
    #expect(read(&rotation, 0) == [1])
    return rotation
  }

  @Test func `a file that stays is read after events alone`() throws {
    var rotation = try begun()
    #expect(try !found(&rotation, 1, 1))
    #expect(rotation.nextCheck(after: at(1)) == nil)
  }

  @Test func `a path that names nothing has nothing to do`() throws {
    var rotation = LogRotation()
    #expect(try !found(&rotation, nil, 0))
    #expect(read(&rotation, 9) == [])
    #expect(rotation.nextCheck(after: at(9)) == nil)
  }

  @Test func `a rotated file is read every second for five seconds`() throws {
    var rotation = try begun()
    #expect(try found(&rotation, 2, 10))
    for second: Int64 in 10..<15 {
      #expect(try !found(&rotation, 2, second))
      #expect(read(&rotation, second) == [1, 2])
      #expect(rotation.nextCheck(after: at(second)) == at(second + 1))
    }
    #expect(read(&rotation, 15) == [2])
    #expect(rotation.nextCheck(after: at(15)) == nil)
  }

  @Test func `a file that is gone is closed after five seconds, and remembered`() throws {
    var rotation = try begun()
    #expect(try !found(&rotation, nil, 1))
    #expect(read(&rotation, 1) == [1])
    #expect(rotation.nextCheck(after: at(1)) == at(2))
    #expect(try !found(&rotation, nil, 6))
    #expect(read(&rotation, 6) == [])
    #expect(rotation.nextCheck(after: at(6)) == nil)
    let tail = try #require(rotation.current)
    // It is back.
    #expect(try found(&rotation, 1, 60))
    #expect(rotation.current === tail && rotation.previous == nil)
    #expect(read(&rotation, 60) == [1])
    #expect(rotation.nextCheck(after: at(60)) == nil)
  }

  @Test func `a file that is back in time was never away`() throws {
    var rotation = try begun()
    #expect(try !found(&rotation, nil, 1))
    #expect(try !found(&rotation, 1, 3))
    #expect(read(&rotation, 9) == [1])
    #expect(rotation.nextCheck(after: at(9)) == nil)
  }

  @Test func `a file that was closed has had its time when another one comes`() throws {
    var rotation = try begun()
    #expect(try !found(&rotation, nil, 1))
    #expect(read(&rotation, 6) == [])
    #expect(try found(&rotation, 2, 20))
    #expect(read(&rotation, 20) == [2])
    #expect(rotation.nextCheck(after: at(20)) == nil)
  }

  @Test func `a link that is swapped to and fro continues where it was`() throws {
    var rotation = try begun()
    #expect(try found(&rotation, 2, 0))
    let first = try #require(rotation.previous)
    #expect(try !found(&rotation, 1, 2))
    #expect(rotation.current === first)
    #expect(read(&rotation, 6) == [2, 1])
    #expect(read(&rotation, 7) == [1])
    #expect(rotation.nextCheck(after: at(7)) == nil)
  }

  @Test func `a third file takes the place of the first`() throws {
    var rotation = try begun()
    #expect(try found(&rotation, 2, 0))
    #expect(try found(&rotation, 3, 1))
    #expect(read(&rotation, 1) == [2, 3])
  }
}
