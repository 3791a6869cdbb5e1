import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

struct StateFileTests {
  private let folder = TemporaryFolder()

  private func environment(_ variables: [String: String]) -> SystemEnvironment {
    SystemEnvironment(variables: variables, workingDirectory: "/work")
  }

  private func names(_ path: String) throws -> [String] { try #require(Folder.names(in: path)).sorted() }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test(arguments: [
    (["HOME": "/h"], "/h/.local/state/soundd/state"),
    (["HOME": "/h", "XDG_STATE_HOME": "/s/"], "/s/soundd/state"),
    (["HOME": "/h", "XDG_STATE_HOME": "s"], "/h/.local/state/soundd/state"),
    (["HOME": "/h", "STATE_DIRECTORY": "/var/lib/soundd:/var/lib/other"], "/var/lib/soundd/state"),
    (["STATE_DIRECTORY": ""], nil), (["HOME": "h"], nil), ([:], nil),
  ])
  func `it lies where the environment says`(variables: [String: String], path: String?) {
    #expect(StateFile(environment: environment(variables))?.path == path)
  }

  @Test func `it is written into folders that are made for it, and nobody else may read it`() throws {
    let file = StateFile(path: folder("a/b/soundd/state"))
    #expect(try file.read() == nil)
    try file.write([1, 2, 3])
    #expect(try file.read() == [1, 2, 3])
    try file.write([4])
    #expect(try file.read() == [4])
    #expect(mode(folder("a")) == 0o700)
    #expect(mode(folder("a/b/soundd")) == 0o700)
    #expect(mode(file.path) == 0o600)
    #expect(try names(folder("a/b/soundd")) == ["state"])
  }

  @Test func `a folder that is there already stays as it is`() throws {
    mkdir(folder("open"), 0o755)
    try StateFile(path: folder("open/state")).write([1])
    #expect(mode(folder("open")) == 0o755)
  }

  @Test func `whether it may be written is told without making anything`() throws {
    folder.write("file", "x")
    #expect(StateFile(path: folder("a/b/soundd/state")).mayBeWritten)
    #expect(StateFile(path: folder("state")).mayBeWritten)
    #expect(!StateFile(path: folder("file/soundd/state")).mayBeWritten)
    #expect(!StateFile(path: folder("file/state")).mayBeWritten)
    #expect(try names(folder.path) == ["file"])
  }

  @Test func `what cannot be written leaves the file as it was, and nothing beside it`() throws {
    let file = StateFile(path: folder("state"))
    try file.write([1])
    // No process of this number was ever here, and a folder cannot be replaced by a file.
    mkdir(folder("state.\(getpid()).new"), 0o700)
    #expect(throws: SystemError("open", folder("state.\(getpid()).new"), code: EEXIST)) { try file.write([2]) }
    #expect(try file.read() == [1])
    #expect(throws: SystemError("make the folder", folder("state/below"), code: ENOTDIR)) {
      try StateFile(path: folder("state/below/state")).write([1])
    }
    mkdir(folder("folder"), 0o700)
    mkdir(folder("folder/state"), 0o700)
    #expect(throws: SystemError("rename", folder("folder/state"), code: EISDIR)) {
      try StateFile(path: folder("folder/state")).write([1])
    }
    #expect(try names(folder("folder")) == ["state"])
  }

  @Test func `a link in its place is replaced, and not written through`() throws {
    folder.write("elsewhere", "x")
    symlink(folder("elsewhere"), folder("state"))
    let file = StateFile(path: folder("state"))
    try file.write([1])
    #expect(try file.read() == [1])
    #expect(try StateFile(path: folder("elsewhere")).read() == Array("x".utf8))
  }

  @Test func `what is damaged is set aside in the place of the last that was`() throws {
    let file = StateFile(path: folder("state"))
    for content in [[1], [2]] as [[UInt8]] {
      try file.write(content)
      #expect(try file.setAside() == folder("state.damaged"))
      #expect(try file.read() == nil)
      #expect(try StateFile(path: folder("state.damaged")).read() == content)
    }
    #expect(throws: SystemError("rename", folder("state"), code: ENOENT)) { try file.setAside() }
  }

  @Test(arguments: ["plain", "jürgen", "ju\u{308}rgen 👩‍👩‍👧"])
  func `what killed processes left behind is removed, and nothing else, whatever the folder is called`(
    name: String
  ) throws {
    let path = folder(name)
    mkdir(path, 0o700)
    // A process that has ended.
    let gone = endedProcess()
    for name in ["state", "state.\(gone).new", "state.\(getpid()).new", "state.x.new", "other.\(gone).new"] {
      folder.write("\(path.split(separator: "/").last ?? "")/\(name)", "x")
    }
    StateFile(path: "\(path)/state").removeRemains()
    #expect(try names(path) == ["other.\(gone).new", "state", "state.\(getpid()).new", "state.x.new"])
    // A process that had our number.
    try StateFile(path: "\(path)/state").write([1])
    #expect(try names(path) == ["other.\(gone).new", "state", "state.x.new"])
  }

  /// The number of a process that has ended.
  private func endedProcess() -> pid_t {
    var pid: pid_t = 0
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    guard posix_spawn(&pid, "/bin/true", nil, nil, arguments, environ) == 0 else { return 0 }
    waitpid(pid, nil, 0)
    return pid
  }

  @Test func `a pipe in its place is no state and is not waited for`() {
    mkfifo(folder("state"), 0o600)
    #expect(throws: Failure(.badData, "\(folder("state")) is not a regular file")) {
      try StateFile(path: folder("state")).read()
    }
  }
}
