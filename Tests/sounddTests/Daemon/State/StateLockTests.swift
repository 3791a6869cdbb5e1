import Dispatch
import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// One daemon saves the state, whoever else runs.
struct StateLockTests {
  private final class Rig {
    let folder = TemporaryFolder()
    let loop: EventLoop
    let worker: BackgroundWorker
    let file: StateFile
    var freed = 0

    init() throws {
      loop = try EventLoop()
      worker = try BackgroundWorker(name: "lock-test", on: loop)
      file = StateFile(path: folder("soundd/state"))
    }

    func lock(patience: Duration = .milliseconds(60), interval: Duration = .milliseconds(20)) -> StateLock {
      let lock = StateLock(file, worker: worker, on: loop, patience: patience, interval: interval)
      lock.freed = { [unowned self] in freed += 1 }
      return lock
    }

    /// Holds the lock as another process would: locks belong to an open file, not to a process.
    func other() throws -> LockedFile {
      guard case .locked(let file) = LockedFile.lock(file.lockPath) else { throw NotLocked() }
      return file
    }
  }

  private struct NotLocked: Error {}

  @Test func `a free lock is held at once, by a file for this user alone that children do not inherit`() throws {
    let rig = try Rig()
    let lock = rig.lock()
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.condition == .held)
    #expect((lock.refusal, lock.weakness) == (nil, nil))
    var status = stat()
    #expect(stat(rig.file.lockPath, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let open = (Int32(3)..<256).filter { fd in
      var other = stat()
      return fstat(fd, &other) == 0 && other.st_ino == status.st_ino && other.st_dev == status.st_dev
    }
    #expect(open.count == 1)
    #expect(open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    #expect(rig.freed == 0)
  }

  @Test func `a daemon that ends within the patience is waited for`() throws {
    let rig = try Rig()
    var other: LockedFile? = try rig.other()
    let lock = rig.lock(patience: .seconds(20))
    let end = EventLoop.Timer { other = nil }
    rig.loop.schedule(end, at: rig.loop.now.advanced(by: .milliseconds(60)))
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.condition == .held)
    #expect(other == nil)
    #expect(rig.freed == 0)
  }

  @Test func `one that stays is named, and the lock is held when it has gone`() throws {
    let rig = try Rig()
    var other: LockedFile? = try rig.other()
    let lock = rig.lock()
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.refusal == "another soundd (process \(getpid())) saves its state in \(rig.folder("soundd"))")
    _ = other
    other = nil
    try rig.loop.turn { lock.condition == .held }
    #expect(rig.freed == 1)
  }

  @Test func `where nothing can be made the lock is no reason not to try to save, because saving says it`() throws {
    let rig = try Rig()
    try StateFile(path: rig.folder("soundd")).write([])
    let lock = rig.lock()
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.condition == .impossible(nil))
    #expect((lock.refusal, lock.weakness) == (nil, nil))
  }

  @Test func `a lock that cannot be had although the state can be saved is a weakness`() throws {
    let rig = try Rig()
    mkdir(rig.folder("soundd"), 0o700)
    mkdir(rig.file.lockPath, 0o700)
    let lock = rig.lock()
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.refusal == nil)
    #expect(lock.weakness == "open \(rig.file.lockPath): Is a directory")
  }

  @Test func `a file system that hangs leaves the state alone until it answers`() throws {
    let rig = try Rig()
    let gate = DispatchSemaphore(value: 0)
    rig.worker.perform({ _ = gate.wait(timeout: .now() + 20) }) {}
    let lock = rig.lock()
    try rig.loop.turn { !lock.isAsked }
    #expect(lock.refusal == "\(rig.file.lockPath) does not answer")
    gate.signal()
    try rig.loop.turn { lock.condition == .held }
    #expect(rig.freed == 1)
  }
}
