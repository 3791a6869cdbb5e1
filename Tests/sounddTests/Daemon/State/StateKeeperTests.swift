import CLinux
import Glibc
import Logging
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

struct StateKeeperTests {
  /// A keeper that waits for nothing, on a loop of its own.
  private final class Rig {
    let folder = TemporaryFolder()
    let loop: EventLoop
    let worker: BackgroundWorker
    let file: StateFile
    var state = SavedState()
    var gathered = 0
    private(set) var log: [String] = []
    private(set) var keeper: StateKeeper?

    init(_ content: [UInt8]? = nil, link: String? = nil, interval: Duration = .zero) throws {
      loop = try EventLoop()
      worker = try BackgroundWorker(name: "state-test", on: loop)
      file = StateFile(path: folder("soundd/state"))
      if let content { try file.write(content) }
      if let link {
        mkdir(folder("soundd"), 0o700)
        symlink(link, file.path)
      }
      let logger = Logger(label: "test") { [unowned self] _ in LogSink { self.log.append($0) } }
      keeper = StateKeeper(file, worker: worker, on: loop, log: logger, patience: .zero, interval: interval)
      keeper?.gather = { [unowned self] in
        gathered += 1
        return state
      }
    }

    /// Says that something may have changed, and turns the loop until that was looked at and is written.
    func change(_ change: (inout SavedState) -> Void) throws {
      change(&state)
      let before = gathered
      keeper?.mayHaveChanged()
      try loop.turn { gathered > before && !worker.isBusy }
    }

    /// What the file holds; `nil` if there is none.
    var saved: SavedState? {
      get throws { try file.read().map { try SavedState($0) } }
    }

    /// Has it written at once, and waits for that.
    func save() {
      keeper?.saveNow()
      worker.waitUntilIdle()
    }
  }

  /// Takes the messages of a logger.
  private struct LogSink: LogHandler, @unchecked Sendable {
    // Used on the test's thread alone.
    let take: (String) -> Void
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    init(_ take: @escaping (String) -> Void) { self.take = take }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take("\(event.message)") }
  }

  private func inode(_ path: String) -> UInt64 {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  @Test func `an alarm is written within 100 ms, also soon after another write`() throws {
    let rig = try Rig(interval: .seconds(600))
    try rig.change { $0.volume = 0.5 }
    let start = rig.loop.now
    var record = AlarmRecord()
    record.life = .active
    rig.state.alarms["a"] = SavedAlarm(record)
    rig.keeper?.alarmChanged()
    try rig.loop.turn { rig.gathered > 1 && !rig.worker.isBusy }
    #expect(start.duration(to: rig.loop.now) < atMost(.milliseconds(100)))
    #expect(try SavedState(rig.file.read() ?? []).alarms.keys.sorted() == ["a"])
  }

  @Test func `who waits for the disk gets an answer when it is written, at once if it is`() throws {
    let rig = try Rig(interval: .seconds(600))
    rig.state.volume = 0.25
    var answers: [Bool] = []
    rig.keeper?.saveNow { answers.append($0) }
    // While the first write runs, the second change waits for the next.
    rig.state.volume = 0.125
    rig.keeper?.saveNow { answers.append($0) }
    #expect(answers.isEmpty)
    try rig.loop.turn { answers.count == 2 }
    #expect(answers == [true, true])
    #expect(try SavedState(rig.file.read() ?? []).volume == 0.125)
    rig.keeper?.saveNow { answers.append($0) }
    #expect(answers == [true, true, true])
  }

  @Test func `as long as there is nothing to keep no file is made`() throws {
    let rig = try Rig()
    #expect(rig.keeper?.restored == SavedState())
    rig.save()
    try rig.change { _ in }
    #expect(try rig.file.read() == nil)
    #expect(rig.log == [])
  }

  @Test func `what has changed is written in the background, and what has not is not written again`() throws {
    let rig = try Rig()
    try rig.change { $0.volume = 0.5 }
    #expect(try rig.saved == SavedState(volume: 0.5))
    let written = inode(rig.file.path)
    try rig.change { _ in }
    rig.save()
    #expect(inode(rig.file.path) == written)
    rig.state.volume = 0.25
    rig.save()
    #expect(try rig.saved == SavedState(volume: 0.25))
    // Also back to how it began.
    try rig.change { $0 = SavedState() }
    #expect(try rig.saved == SavedState())
  }

  @Test func `what the file says is not written again`() throws {
    let rig = try Rig(SavedState(volume: 0.5).bytes)
    #expect(rig.keeper?.restored == SavedState(volume: 0.5))
    rig.state.volume = 0.5
    let written = inode(rig.file.path)
    rig.save()
    #expect(inode(rig.file.path) == written)
  }

  @Test func `a change during a write is written after it, also one back to what was there before`() throws {
    let rig = try Rig(SavedState(volume: 0.25).bytes)
    rig.state.volume = 0.5
    rig.keeper?.saveNow()
    #expect(rig.worker.isBusy)
    rig.state.volume = 0.25
    rig.save()
    #expect(try rig.saved == SavedState(volume: 0.25))
  }

  @Test func `a disk that hangs holds up neither the loop nor the end`() throws {
    let rig = try Rig()
    let begun = try Descriptor("eventfd") { clinux_eventfd() }
    let disk = try Descriptor("eventfd") { clinux_eventfd() }
    let (rawBegun, rawDisk) = (begun.raw, disk.raw)
    // As if an earlier write had been interrupted.
    rig.worker.perform {
      clinux_eventfd_signal(rawBegun)
      _ = clinux_wait(rawDisk, Int16(POLLIN), -1)
    } then: {
    }
    _ = clinux_wait(rawBegun, Int16(POLLIN), -1)
    rig.state.volume = 0.5
    rig.keeper?.saveNow()
    #expect(rig.keeper?.end(patience: .zero) == true, "the process is to leave without it")
    #expect(
      rig.log == [
        "the state was not written in time; after a restart volume, profile, alarms, throttles and the values' last contents "
          + "may be older"
      ])
    clinux_eventfd_signal(rawDisk)
    #expect(try rig.file.read() == nil)
  }

  @Test func `decisions count only where something of them is kept`() throws {
    let rig = try Rig()
    rig.state.volume = 0.5
    rig.keeper?.decided()
    try rig.loop.turnWhileBusy()
    #expect(rig.gathered == 0)
    rig.keeper?.followsDecisions = true
    rig.keeper?.decided()
    try rig.loop.turn { rig.gathered == 1 && !rig.worker.isBusy }
    #expect(try rig.saved == SavedState(volume: 0.5))
  }

  @Test func `that it cannot be written is said once, and that it can again`() throws {
    let rig = try Rig()
    rig.folder.write("soundd", "a file in the place of the folder")
    try rig.change { $0.volume = 0.5 }
    try rig.change { $0.volume = 0.4 }
    #expect(rig.log.count == 1)
    #expect(
      rig.log.first
        == "the state cannot be saved: open \(rig.file.path).\(getpid()).new: Not a directory; after a restart volume, "
        + "profile, alarms, throttles and the values' last contents are as they were before")
    unlink(rig.folder("soundd"))
    // It writes although the file held the same at the beginning, because the file may hold anything now.
    try rig.change { $0.volume = 1 }
    #expect(try rig.saved == SavedState())
    #expect(rig.log.last == "the state is saved again, in \(rig.file.path)")
  }

  @Test func `a flood of changes is written once in an interval`() throws {
    let rig = try Rig(interval: .seconds(3600))
    try rig.change { $0.volume = 0.5 }
    #expect(try rig.saved == SavedState(volume: 0.5))
    for step in 1...100 {
      rig.state.volume = Double(step) / 1000
      rig.keeper?.mayHaveChanged()
      try rig.loop.turnWhileBusy()
    }
    #expect(rig.gathered == 1)
    #expect(try rig.saved == SavedState(volume: 0.5))
    // The end of the daemon does not wait.
    rig.save()
    #expect(try rig.saved == SavedState(volume: 0.1))
  }

  @Test func `what a newer soundd wrote stays as it is, and that is said`() throws {
    let newer = Array("{\"soundd_state\":5,\"sha256\":\"another kind\"}\n{\"volume\":0.5}\n".utf8)
    let rig = try Rig(newer)
    #expect(rig.keeper?.restored == SavedState())
    let problem =
      "\(rig.file.path) is of a newer soundd (version 5, and this one knows 4); it stays as it is, and this daemon saves nothing"
    #expect(rig.keeper?.problem == problem)
    #expect(rig.log == ["\(problem): volume, profile, alarms, throttles and the values' last contents start over"])
    rig.state.volume = 0.25
    rig.keeper?.mayHaveChanged()
    try rig.loop.turnWhileBusy()
    rig.save()
    #expect(rig.gathered == 0)
    #expect(try rig.file.read() == newer)
    #expect(Folder.names(in: rig.folder("soundd")) == ["state"])
  }

  @Test func `a file that cannot be read now is not lost`() throws {
    // A regular file, whose first byte no process can read.
    let rig = try Rig(link: "/proc/self/mem")
    #expect(rig.keeper?.restored == SavedState())
    let problem = try #require(rig.keeper?.problem)
    #expect(
      problem
        == "cannot read \(rig.file.path): Input/output error; it stays as it is, and this daemon saves nothing")
    #expect(rig.log == ["\(problem): volume, profile, alarms, throttles and the values' last contents start over"])
    rig.state.volume = 0.25
    rig.save()
    #expect(Folder.names(in: rig.folder("soundd")) == ["state"])
    var status = stat()
    #expect(lstat(rig.file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(rig.log.count == 1, "it is looked at again, and said once")

    unlink(rig.file.path)
    rig.keeper?.mayHaveChanged()
    try rig.loop.turn { (try? rig.saved)??.volume == 0.25 }
    #expect(rig.keeper?.problem == nil)
  }

  private struct NotLocked: Error {}

  private func lock(_ file: StateFile) throws -> LockedFile {
    guard case .locked(let locked) = LockedFile.lock(file.lockPath) else { throw NotLocked() }
    return locked
  }

  @Test func `while another daemon has the lock nothing is saved or set aside; then its records are taken over`() throws
  {
    let folder = TemporaryFolder()
    let file = StateFile(path: folder("soundd/state"))
    var other: LockedFile? = try lock(file)
    try file.write(Array("damaged, or not yet whole".utf8))
    let loop = try EventLoop()
    let worker = try BackgroundWorker(name: "state-test", on: loop)
    let lock = StateLock(file, worker: worker, on: loop, patience: .zero, interval: .milliseconds(10))
    try loop.turn { !lock.isAsked }
    let logger = Logger(label: "test") { _ in LogSink { _ in } }
    let keeper = StateKeeper(file, worker: worker, lock: lock, on: loop, log: logger, patience: .zero, interval: .zero)
    var state = SavedState(volume: 0.5)
    keeper.gather = { state }
    keeper.inherit = { other, isFirst in
      state.volumes = other.volumes
      #expect(!isFirst)
    }
    lock.freed = { keeper.lookAgain() }
    keeper.mayHaveChanged()
    keeper.alarmChanged()
    keeper.saveNow()
    var answers: [Bool] = []
    keeper.saveNow { answers.append($0) }
    worker.waitUntilIdle()
    #expect(answers == [false])
    #expect(keeper.unsaved?.hasPrefix("another soundd (process \(getpid())) saves its state in ") == true)
    #expect(try file.read() == Array("damaged, or not yet whole".utf8))
    #expect(Folder.names(in: folder("soundd"))?.sorted() == ["state", "state.lock"])

    try file.write(SavedState(volume: 1, volumes: ["theirs": 0.25]).bytes)
    _ = other
    other = nil
    try loop.turn { (try? file.read()).flatMap { try? SavedState($0) }?.volume == 0.5 }
    try loop.turn { !worker.isBusy }
    let saved = try SavedState(try file.read() ?? [])
    #expect((saved.volume, saved.volumes) == (0.5, ["theirs": 0.25]))
    #expect(keeper.unsaved == nil)
  }
}
