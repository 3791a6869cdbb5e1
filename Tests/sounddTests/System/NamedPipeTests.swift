import Glibc
import TestSupport
import Testing

@testable import soundd

@Suite struct NamedPipeTests {
  private let folder = TemporaryFolder()

  private func problem(_ name: String) -> NamedPipe.Problem? {
    do throws(NamedPipe.Problem) {
      _ = try NamedPipe.identity(at: folder(name))
      return nil
    } catch {
      return error
    }
  }

  @Test func `each pipe has its identity, and where there is nothing there is none`() throws {
    #expect(mkfifo(folder("one"), 0o600) == 0)
    #expect(mkfifo(folder("two"), 0o600) == 0)
    symlink("one", folder("link"))
    let one = try #require(try NamedPipe.identity(at: folder("one")))
    #expect(try NamedPipe.identity(at: folder("link")) == one)
    #expect(try NamedPipe.identity(at: folder("two")) != one)
    #expect(try NamedPipe.identity(at: folder("nothing")) == nil)
  }

  @Test func `anything else at the path is reported, with the remedy`() {
    folder.write("file", "x")
    symlink("nowhere", folder("link"))
    #expect(
      problem("file") == .init(text: "\(folder("file")) is a file, not a named pipe: remove it, or choose another path")
    )
    let remedy = "make the named pipe there, or remove the link"
    #expect(
      problem("link") == .init(text: "\(folder("link")) is a symbolic link that leads nowhere; \(remedy)"))
    #expect(NamedPipe.cannotMake("/p", ENOENT) == "cannot make the named pipe /p: make its folder first")
    #expect(NamedPipe.cannotMake("/p", EROFS) == "cannot make the named pipe /p: Read-only file system")
  }

  @Test func `if stat fails, the pipe is kept`() {
    symlink("circle", folder("circle"))
    #expect(
      problem("circle") == .init(text: "\(folder("circle")): Too many levels of symbolic links", endsReading: false))
  }

  @Test func `permissions for others to write are remarked`() {
    var status = stat()
    status.st_uid = 1000
    status.st_mode = S_IFIFO | 0o644
    #expect(NamedPipe.remark(status, at: "/p", user: 1000) == nil)
    #expect(NamedPipe.remark(status, at: "/p", user: 0) == "/p belongs to another user, who may write to it")
    for mode: mode_t in [0o620, 0o602, 0o666] {
      status.st_mode = S_IFIFO | mode
      #expect(
        NamedPipe.remark(status, at: "/p", user: 1000)
          == "others may write to /p, by its permissions (chmod 600 keeps them out)")
    }
  }
}
