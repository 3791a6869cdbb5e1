import CLinux
import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct ListeningSocketTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private func exists(_ path: String) -> Bool { mode(path) != nil }

  /// What is wrong with listening there; `nil`: nothing.
  private func problem(_ path: String) -> ListeningSocket.Problem? {
    do throws(ListeningSocket.Problem) {
      _ = try ListeningSocket(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the socket is for its user alone, and goes with its owner`() throws {
    let folder = TemporaryFolder()
    let path = folder("a/b/s.sock")
    do {
      let socket = try ListeningSocket(path: path)
      #expect(mode(path) == 0o600)
      #expect(mode(folder("a")) == 0o700)
      #expect(mode(folder("a/b")) == 0o700)
      #expect(socket.path == path)
    }
    #expect(!exists(path))
    #expect(exists(folder("a/b")))
  }

  @Test func `a stale socket is replaced`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    let dead = clinux_unix_socket(0)
    #expect(clinux_unix_bind(dead, path) == 0)
    close(dead)
    #expect(exists(path))
    #expect(problem(path) == nil)
  }

  @Test func `a live socket is left alone, and the message says what to do`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    let first = try ListeningSocket(path: path)
    #expect(problem(path) == .alreadyRunning(path))
    #expect(
      ListeningSocket.Problem.alreadyRunning(path).description
        == "another soundd is already running on \(path) (stop it, or use --socket)")
    #expect(exists(path))
    _ = consume first
  }

  @Test func `a live socket whose queue is full is alive`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    let server = clinux_unix_socket(0)
    #expect(clinux_unix_bind(server, path) == 0 && listen(server, 0) == 0)
    let client = clinux_unix_socket(1)
    #expect(clinux_unix_connect(client, path) == 0)
    #expect(problem(path) == .alreadyRunning(path))
    close(client)
    close(server)
  }

  @Test func `whatever is not a socket is never removed`() throws {
    let folder = TemporaryFolder()
    let file = folder("file")
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    #expect(symlink(file, folder("link")) == 0)
    for path in [file, folder("link"), folder.path] {
      #expect(problem(path) == .notASocket(path))
      #expect(exists(path))
    }
  }

  @Test func `a folder that cannot be made is named`() throws {
    let folder = TemporaryFolder()
    close(open(folder("file"), O_CREAT | O_WRONLY, 0o600))
    guard case .system(let error)? = problem(folder("file/s.sock")) else {
      Issue.record("no error")
      return
    }
    #expect(error.description.contains(folder("file")))
  }

  @Test func `a path that does not fit names the limit`() throws {
    let folder = TemporaryFolder()
    let path = folder(String(repeating: "x", count: 107 - folder.path.utf8.count - 1))
    #expect(path.utf8.count == 107)
    #expect(problem(path) == nil)
    #expect(problem(path + "x") == .pathTooLong(path + "x"))
    #expect(ListeningSocket.Problem.pathTooLong(path + "x").description.contains("107 bytes"))
  }

  @Test func `the socket of another who took our place is not removed`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    do {
      let socket = try ListeningSocket(path: path)
      #expect(socket.raw >= 0)
      // Kept under another name, so that its inode cannot be used again.
      #expect(rename(path, folder("moved")) == 0)
      close(open(path, O_CREAT | O_WRONLY, 0o600))
    }
    #expect(exists(path))
  }

  @Test func `a passed descriptor must be a listening socket, and its file stays`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.sock")
    let passed = clinux_unix_socket(0)
    #expect(clinux_unix_bind(passed, path) == 0)
    func take() -> ListeningSocket.Problem? {
      do throws(ListeningSocket.Problem) {
        _ = try ListeningSocket(activated: passed)
        return nil
      } catch {
        return error
      }
    }
    #expect(take() == .notListening(descriptor: passed))
    #expect(listen(passed, 1) == 0)
    #expect(take() == nil)
    #expect(exists(path))
  }

  @Test func `descriptors of the service manager are taken only by the process they are meant for`() {
    func passed(_ variables: [String: String]) -> Int32? { ListeningSocket.passed(to: 42) { variables[$0] } }
    #expect(passed(["LISTEN_PID": "42", "LISTEN_FDS": "2"]) == 3)
    let useless: [[String: String]] = [
      [:], ["LISTEN_PID": "41", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "42"],
      ["LISTEN_PID": "42", "LISTEN_FDS": "0"], ["LISTEN_PID": "42", "LISTEN_FDS": "-1"],
      ["LISTEN_PID": "42", "LISTEN_FDS": "x"], ["LISTEN_PID": "42", "LISTEN_FDS": "99999999999"],
    ]
    for variables in useless { #expect(passed(variables) == nil) }
  }
}
