import Glibc
import SoundTrigger
import Testing

@testable import soundd

@Suite struct PathWatchStateTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func event(
    _ state: inout PathWatchState, _ mask: Int32, _ kind: FolderInterest.Kind = .thing, at time: Int64 = 0
  ) -> PathWatchState.Action {
    state.entryChanged(UInt32(mask), kind: kind, at: at(time))
  }

  @Test func `a closed or renamed file is read at once`() {
    var state = PathWatchState(.content)
    #expect(event(&state, IN_CLOSE_WRITE) == .read)
    #expect(event(&state, IN_MOVED_TO) == [.followIfLink, .read])
    #expect(state.deadline == nil)
  }

  @Test func `a write is read after 50 ms of quiet`() {
    var state = PathWatchState(.content)
    #expect(event(&state, IN_MODIFY, at: 0) == [])
    #expect(state.deadline == at(50))
    #expect(event(&state, IN_MODIFY, at: 30) == [])
    #expect(state.deadline == at(80))
    #expect(state.timePassed(at(80)).contains(.read))
    #expect(state.deadline == nil)
  }

  @Test func `a writer that never rests is read after 500 ms, and again`() {
    var state = PathWatchState(.content)
    for time in stride(from: Int64(0), through: 480, by: 40) { _ = event(&state, IN_MODIFY, at: time) }
    #expect(state.deadline == at(500))
    _ = state.timePassed(at(500))
    _ = event(&state, IN_MODIFY, at: 520)
    #expect(state.deadline == at(570))
  }

  @Test func `closing cuts the wait short`() {
    var state = PathWatchState(.content)
    _ = event(&state, IN_CREATE, at: 0)
    #expect(state.deadline == at(50))
    #expect(event(&state, IN_CLOSE_WRITE, at: 10) == .read)
    #expect(state.deadline == nil)
  }

  @Test func `a new file is followed at once if it is a link, and read when it is quiet`() {
    var state = PathWatchState(.content)
    #expect(event(&state, IN_CREATE, at: 5) == .followIfLink)
    #expect(state.deadline == at(55))
  }

  @Test func `a file that vanishes is read when it is quiet, because another one may take its place`() {
    for mask in [IN_DELETE, IN_MOVED_FROM] {
      var state = PathWatchState(.content)
      #expect(event(&state, mask, at: 3) == .followIfLink)
      #expect(state.deadline == at(53))
    }
  }

  @Test func `a file is being written from its first write until it is closed, replaced or removed`() {
    for end in [IN_CLOSE_WRITE, IN_MOVED_TO, IN_DELETE] {
      var state = PathWatchState(.content)
      #expect(!state.isBeingWritten)
      _ = event(&state, IN_MODIFY)
      #expect(state.isBeingWritten)
      _ = event(&state, end)
      #expect(!state.isBeingWritten)
    }
  }

  @Test func `where files are awaited, one is being written from its first bytes, because a link has none`() {
    var state = PathWatchState(.files)
    _ = event(&state, IN_CREATE)
    #expect(!state.isBeingWritten)
    _ = event(&state, IN_MODIFY)
    #expect(state.isBeingWritten)
    _ = event(&state, IN_CLOSE_WRITE)
    #expect(!state.isBeingWritten)
  }

  @Test func `permissions matter only to a file that could not be read`() {
    var state = PathWatchState(.content)
    #expect(event(&state, IN_ATTRIB) == [])
    state.mode = .unreadable(every: .seconds(10))
    #expect(event(&state, IN_ATTRIB) == [.follow, .read])
  }

  @Test func `after events on the way it is followed, and a folder that is made there may still be filled`() {
    var state = PathWatchState(.content)
    #expect(event(&state, IN_MOVED_TO, .way) == [.follow, .read])
    #expect(event(&state, IN_DELETE, .way, at: 7) == .follow)
    #expect(state.deadline == at(57))
    #expect(event(&state, IN_CREATE | IN_ISDIR, .way, at: 9) == .follow)
    #expect(state.deadline == at(59))
    #expect(state.anythingChanged() == [.follow, .read])
    #expect(state.deadline == nil)
  }

  @Test(arguments: [.lines, .presence] as [PathWatchState.Subject])
  func `lines and presence wait for nothing`(subject: PathWatchState.Subject) {
    var state = PathWatchState(subject)
    #expect(event(&state, IN_CREATE, .way) == [.follow, .read])
    #expect(event(&state, IN_DELETE, .way) == [.follow, .read])
    #expect(event(&state, IN_MODIFY) == .read)
    #expect(event(&state, IN_MOVED_TO) == [.followIfLink, .read])
    #expect(state.deadline == nil)
  }

  @Test func `entries of a folder are counted when none has come or gone for 50 ms`() {
    var state = PathWatchState(.entries)
    #expect(event(&state, IN_CREATE, .entries, at: 0) == [])
    #expect(event(&state, IN_MOVED_FROM, .entries, at: 40) == [])
    #expect(event(&state, IN_ATTRIB, .entries, at: 60) == [])
    #expect(state.deadline == at(90))
  }

  @Test func `files are read at every event, and the way to them is followed if a folder may have come`() {
    var state = PathWatchState(.files)
    #expect(event(&state, IN_MODIFY, .entries) == .read)
    #expect(event(&state, IN_MODIFY) == .read)
    #expect(event(&state, IN_CREATE | IN_ISDIR) == [.follow, .read])
    #expect(event(&state, IN_CREATE, .way) == [.follow, .read])
    #expect(state.deadline == nil)
  }

  @Test func `an event replaces the time of another reading`() {
    var state = PathWatchState(.content)
    state.readAgain(at: at(500))
    #expect(state.deadline == at(500))
    _ = event(&state, IN_MODIFY, at: 10)
    #expect(state.deadline == at(60))
    state.readAgain(at: at(500))
    #expect(event(&state, IN_CLOSE_WRITE, at: 20) == .read)
    #expect(state.deadline == nil)
  }

  @Test func `a mount leads to a reading only if the file is another one then`() {
    var state = PathWatchState(.content)
    _ = event(&state, IN_MODIFY, at: 0)
    #expect(state.mountsChanged() == [.follow, .readIfOther])
    // A file that waits to be read still waits.
    #expect(state.deadline == at(50))
  }

  @Test func `on a foreign mount a look is no update, and elsewhere it reads`() {
    var state = PathWatchState(.content)
    state.mode = .foreign
    #expect(state.lookIsDue() == [.follow, .readIfOther])
    for mode in [.unreadable(every: .seconds(2)), .polling(every: .seconds(1))] as [PathWatchState.Mode] {
      state.mode = mode
      #expect(state.lookIsDue() == [.follow, .read])
    }
  }

  @Test(
    arguments: [
      (.content, false, .thing, true), (.lines, false, .thing, true), (.presence, false, .way, false),
      (.entries, false, .way, false), (.entries, true, .entries, false), (.files, false, .thing, true),
      (.files, true, .entries, true),
    ] as [(PathWatchState.Subject, Bool, FolderInterest.Kind, Bool)])
  func `each subject watches its end of the way`(
    subject: PathWatchState.Subject, isFolder: Bool, kind: FolderInterest.Kind, includesWrites: Bool
  ) {
    let plan = PathPlan("/l/f") {
      ["/l": .link("a"), "/a": .folder, "/a/f": isFolder ? .folder : .file][$0] ?? .missing
    }
    let interests = PathWatchState(subject).interests(plan)
    let end = isFolder && kind == .entries ? ("/a/f", "") : ("/a", "f")
    var expected = [
      FolderInterest("/", "l", .way), FolderInterest(end.0, end.1, kind, includesWrites: includesWrites),
    ]
    for index in expected.indices { expected[index].isThorough = subject != .files }
    #expect(interests == expected)
  }

  @Test(arguments: ["/l", "/a/b/.."], [PathWatchState.Subject.files, .entries])
  func `what is in a folder is watched though its path ends in dots`(path: String, subject: PathWatchState.Subject) {
    let plan = PathPlan(path) { ["/l": .link("a/."), "/a": .folder, "/a/b": .folder][$0] ?? .missing }
    var entries = FolderInterest("/a", "", .entries, includesWrites: subject == .files)
    entries.isThorough = subject == .entries
    #expect(PathWatchState(subject).interests(plan).last == entries)
  }
}
