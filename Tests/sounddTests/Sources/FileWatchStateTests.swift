import Glibc
import SoundTrigger
import Testing

@testable import soundd

@Suite struct FileWatchStateTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func event(
    _ state: inout FileWatchState, _ mask: Int32, _ kind: FolderInterest.Kind = .content, at time: Int64 = 0
  ) -> FileWatchState.Action {
    state.entryChanged(UInt32(mask), kind: kind, at: at(time))
  }

  private func isEmpty(_ state: inout FileWatchState, isFirst: Bool = false, at time: Int64) -> Bool {
    state.foundEmpty(isFirst: isFirst, at: at(time))
  }

  @Test func `a closed or renamed file is read at once`() {
    var state = FileWatchState()
    #expect(event(&state, IN_CLOSE_WRITE) == .read)
    #expect(event(&state, IN_MOVED_TO) == [.lookAtEntry, .read])
    #expect(state.deadline == nil)
  }

  @Test func `an empty file is believed half a second after its writer has closed it, and not before`() {
    var state = FileWatchState()
    _ = event(&state, IN_MODIFY, at: 0)
    _ = state.deadlinePassed()
    #expect(!isEmpty(&state, isFirst: false, at: 50))
    #expect(state.deadline == nil)
    #expect(event(&state, IN_CLOSE_WRITE, at: 9000) == .read)
    #expect(!isEmpty(&state, isFirst: false, at: 9000))
    #expect(state.deadline == at(9500))
    #expect(state.deadlinePassed().contains(.read))
    #expect(isEmpty(&state, isFirst: false, at: 9500))
  }

  @Test func `a file that is emptied to be written again is never empty`() {
    var state = FileWatchState()
    for round: Int64 in 0..<5 {
      // What was closed is read only when the next writer has emptied it already.
      _ = event(&state, IN_CLOSE_WRITE, at: 20 * round)
      _ = event(&state, IN_MODIFY, at: 20 * round)
      #expect(!isEmpty(&state, isFirst: false, at: 20 * round))
    }
    _ = event(&state, IN_CLOSE_WRITE, at: 110)
    state.foundContent()
    #expect(!isEmpty(&state, isFirst: false, at: 200))
  }

  @Test func `emptiness counts from the last event, so two moments of it are not taken for one`() {
    var state = FileWatchState()
    _ = event(&state, IN_CLOSE_WRITE, at: 0)
    #expect(!isEmpty(&state, at: 0))
    _ = event(&state, IN_MODIFY, at: 1)
    _ = event(&state, IN_CLOSE_WRITE, at: 600)
    #expect(!isEmpty(&state, at: 600))
    #expect(isEmpty(&state, at: 1100))
  }

  @Test func `a file that is made and not yet filled is not empty, one that was empty at the start is`() {
    var state = FileWatchState()
    #expect(isEmpty(&state, isFirst: true, at: 0))
    _ = event(&state, IN_CREATE, at: 10)
    #expect(!isEmpty(&state, isFirst: true, at: 60))
    _ = event(&state, IN_CLOSE_WRITE, at: 70)
    #expect(isEmpty(&state, isFirst: true, at: 70))
  }

  @Test func `a write is read after 50 ms of quiet`() {
    var state = FileWatchState()
    #expect(event(&state, IN_MODIFY, at: 0) == [])
    #expect(state.deadline == at(50))
    #expect(event(&state, IN_MODIFY, at: 30) == [])
    #expect(state.deadline == at(80))
    #expect(state.deadlinePassed().contains(.read))
    #expect(state.deadline == nil)
  }

  @Test func `a writer that never rests is read after 500 ms, and again`() {
    var state = FileWatchState()
    for time in stride(from: Int64(0), through: 480, by: 40) { _ = event(&state, IN_MODIFY, at: time) }
    #expect(state.deadline == at(500))
    _ = state.deadlinePassed()
    _ = event(&state, IN_MODIFY, at: 520)
    #expect(state.deadline == at(570))
  }

  @Test func `closing cuts the wait short`() {
    var state = FileWatchState()
    _ = event(&state, IN_CREATE, at: 0)
    #expect(state.deadline == at(50))
    #expect(event(&state, IN_CLOSE_WRITE, at: 10) == .read)
    #expect(state.deadline == nil)
  }

  @Test func `a new file is looked at at once and read when it is quiet`() {
    var state = FileWatchState()
    #expect(event(&state, IN_CREATE, at: 5) == .lookAtEntry)
    #expect(state.deadline == at(55))
  }

  @Test func `a file that vanishes is not read`() {
    var state = FileWatchState()
    #expect(event(&state, IN_DELETE) == .lookAtEntry)
    #expect(event(&state, IN_MOVED_FROM) == .lookAtEntry)
  }

  @Test func `permissions matter only to a file that could not be read`() {
    var state = FileWatchState()
    #expect(event(&state, IN_ATTRIB) == [])
    state.isFailing = true
    #expect(event(&state, IN_ATTRIB) == [.follow, .read])
  }

  @Test func `what happens on the way is followed`() {
    var state = FileWatchState()
    #expect(event(&state, IN_DELETE, .passage) == .follow)
    #expect(event(&state, IN_MOVED_TO, .entry) == [.follow, .read])
    #expect(event(&state, IN_CREATE | IN_ISDIR, .entry, at: 7) == .follow)
    #expect(state.deadline == at(57))
    #expect(state.folderChanged() == [.follow, .read])
    #expect(state.deadline == nil)
    #expect(state.overflowed() == [.follow, .read])
  }

  @Test func `what is mounted somewhere leads to a reading only if the file is another one then`() {
    var state = FileWatchState()
    _ = event(&state, IN_MODIFY, at: 0)
    #expect(state.mountsChanged() == [.follow, .readIfOther])
    // What waits to be read goes on waiting.
    #expect(state.deadline == at(50))
  }
}
