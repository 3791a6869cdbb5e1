import Glibc
import Testing

@testable import soundd

@Suite struct NamedPipeTests {
  private let one = FileIdentity(device: 1, inode: 1)
  private let two = FileIdentity(device: 1, inode: 2)

  private func action(_ found: NamedPipe.Found, current: FileIdentity? = nil) -> NamedPipe.Action {
    NamedPipe.action(found, at: "/p", current: current)
  }

  @Test func `a pipe is opened unless it is the one that is read`() {
    #expect(action(.pipe(one)) == .open)
    #expect(action(.pipe(one), current: one) == .none)
    #expect(action(.pipe(one), current: two) == .open)
  }

  @Test func `where there is nothing a pipe is made`() {
    #expect(action(.nothing) == .make)
    #expect(action(.nothing, current: one) == .make)
  }

  @Test func `anything else at the path is reported, with the remedy`() {
    #expect(action(.other("a file")) == .fail("/p is a file, not a named pipe; remove it, or choose another path"))
    #expect(
      action(.danglingLink, current: one)
        == .fail("/p is a symbolic link that leads nowhere; make the named pipe there, or remove the link"))
    #expect(NamedPipe.cannotMake("/p", ENOENT) == "cannot make the named pipe /p: make its folder first")
    #expect(NamedPipe.cannotMake("/p", EROFS) == "cannot make the named pipe /p: Read-only file system")
  }

  @Test func `if stat fails, the pipe is kept`() {
    #expect(action(.failed(EACCES), current: one) == .wait("/p: Permission denied"))
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
