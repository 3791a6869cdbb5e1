import Glibc
import SoundTrigger
import Testing

@testable import soundd

@Suite struct EmptinessTests {
  private var emptiness = Emptiness()

  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  /// The state of a file after so many writes.
  private func stamp(_ writes: Int) -> FileStamp {
    var status = stat()
    status.st_ctim.tv_sec = writes
    return FileStamp(status)
  }

  private mutating func found(writes: Int = 0, isBeingWritten: Bool = false, at time: Int64) -> Instant? {
    emptiness.found(stamp(writes), isBeingWritten: isBeingWritten, at: at(time))
  }

  @Test mutating func `a closed file is empty if it stays so for half a second`() {
    #expect(found(at: 0) == at(500))
    #expect(found(at: 499) == at(500))
    #expect(found(at: 500) == nil)
  }

  @Test mutating func `a file that a writer may have open is empty if it stays so for ten seconds`() {
    #expect(found(isBeingWritten: true, at: 0) == at(10_000))
    #expect(found(isBeingWritten: true, at: 9_999) == at(10_000))
    #expect(found(isBeingWritten: true, at: 10_000) == nil)
    #expect(found(isBeingWritten: false, at: 10_000) == nil)
  }

  @Test mutating func `a file that is emptied again and again is never empty`() {
    for round in 0..<20 { #expect(found(writes: round, at: 100 * Int64(round)) == at(100 * Int64(round) + 500)) }
  }

  @Test mutating func `a content in between begins the wait anew`() {
    #expect(found(at: 0) == at(500))
    emptiness.end()
    #expect(found(at: 400) == at(900))
  }
}
