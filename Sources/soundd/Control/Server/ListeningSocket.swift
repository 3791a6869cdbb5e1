import CLinux
import Glibc
import SoundTrigger

/// A Unix stream socket that listens.
///
/// It removes its file when it is freed, if it made that file itself.
struct ListeningSocket: ~Copyable {
  /// Why the daemon cannot listen.
  enum Problem: Error, Equatable, CustomStringConvertible {
    case pathTooLong(String)
    case alreadyRunning(String)
    case notASocket(String)
    case notListening(descriptor: Int32)
    case system(SystemError)

    var description: String {
      switch self {
      case .pathTooLong(let path): SocketPath.Problem.tooLong(path).description
      case .alreadyRunning(let path): "another soundd is already running on \(path) (stop it, or use --socket)"
      case .notASocket(let path): "\(path) exists and is not a stream socket: move it away, or use --socket"
      case .notListening(let descriptor):
        "descriptor \(descriptor) from the service manager is not a listening Unix stream socket: "
          + "check ListenStream= in soundd.socket"
      case .system(let error): "cannot \(error)"
      }
    }
  }

  /// Where it listens; `nil` if the service manager passed it.
  let path: String?
  private let descriptor: Descriptor
  /// The file that soundd made; `nil` if the service manager did.
  private let identity: FileIdentity?

  var raw: Int32 { descriptor.raw }

  /// Listens on `path` with mode 0600.
  ///
  /// Makes missing folders with mode 0700, and replaces the socket of a daemon that has ended. Throws if anything else is at
  /// that path.
  init(path: String) throws(Problem) {
    try Self.checkLength(path)
    let folder = Self.folder(of: path)
    do throws(SystemError) { try makeFolder(folder, mode: 0o700) } catch { throw .system(error) }
    // Locks the folder until we listen, because two daemons that start at once would each remove the other's socket.
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if lock < 0 { throw .system(SystemError("open", folder)) }
    defer { close(lock) }
    Self.takeLock(lock)

    if try Self.isLeftBehind(path), unlink(path) < 0, errno != ENOENT {
      throw .system(SystemError("remove the stale socket", path))
    }
    let descriptor = try Self.makeSocket()
    let fd = descriptor.raw
    // The file gets the mode of the unbound socket, so no other user can connect at any moment.
    if fchmod(fd, 0o600) < 0 { throw .system(SystemError("fchmod", path)) }
    if clinux_unix_bind(fd, path) < 0 {
      let error = SystemError("bind", path)
      throw error.code == EADDRINUSE ? .alreadyRunning(path) : .system(error)
    }
    // The longest queue that the kernel grants, because it refuses clients when the queue is full.
    if listen(fd, SOMAXCONN) < 0 { throw .system(SystemError("listen", path)) }
    self.path = path
    self.descriptor = descriptor
    identity = Self.identity(of: path)
  }

  /// Takes over a socket that the service manager passed. Its file stays with the service manager.
  init(activated fd: Int32) throws(Problem) {
    var domain: Int32 = 0
    var type: Int32 = 0
    var accepts: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0, domain == AF_UNIX,
      getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0, type == Int32(SOCK_STREAM.rawValue),
      getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0, accepts == 1
    else { throw .notListening(descriptor: fd) }
    let flags = fcntl(fd, F_GETFL)
    guard flags >= 0, fcntl(fd, F_SETFL, flags | O_NONBLOCK) >= 0, fcntl(fd, F_SETFD, FD_CLOEXEC) >= 0 else {
      throw .system(SystemError("fcntl", "descriptor \(fd)"))
    }
    path = nil
    descriptor = Descriptor(owning: fd)
    identity = nil
  }

  deinit {
    // Another process may have put its own socket at this path. Leave that one alone.
    if let path, let identity, Self.identity(of: path) == identity { unlink(path) }
  }

  private static func identity(of path: String) -> FileIdentity? {
    var status = stat()
    return lstat(path, &status) == 0 ? FileIdentity(status) : nil
  }

  private static func makeSocket() throws(Problem) -> Descriptor {
    let fd = clinux_unix_socket(1)
    if fd < 0 { throw .system(SystemError("socket")) }
    return Descriptor(owning: fd)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Waits for the lock, at most for a second.
  ///
  /// Another soundd that starts holds it only for a moment. Any other program that holds it must not keep soundd from running.
  private static func takeLock(_ fd: Int32) {
    for _ in 0..<100 {
      if flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR) { return }
      _ = clinux_wait(-1, 0, 10_000_000)
    }
  }

  /// Throws if `init` would throw because another daemon, or anything else, is at this path. Changes nothing.
  static func check(_ path: String) throws(Problem) {
    try checkLength(path)
    _ = try isLeftBehind(path)
  }

  private static func checkLength(_ path: String) throws(Problem) {
    if path.utf8.count > SocketPath.limit { throw .pathTooLong(path) }
  }

  /// Whether a daemon that has ended left its socket at this path. Throws if anything else is there.
  ///
  /// One that was killed may take a moment to end, in which the kernel still accepts connections to it.
  private static func isLeftBehind(_ path: String) throws(Problem) -> Bool {
    for _ in 0..<50 {
      do throws(Problem) { return try isLeftBehindNow(path) } catch {
        guard case .alreadyRunning = error, isEnding(path) else { throw error }
        _ = clinux_wait(-1, 0, 10_000_000)
      }
    }
    return try isLeftBehindNow(path)
  }

  /// Whether the daemon at this path closes a connection instead of answering. It has a second to do either.
  private static func isEnding(_ path: String) -> Bool {
    guard let probe = try? makeSocket(), clinux_unix_connect(probe.raw, path) == 0 else { return true }
    let request = Array("sync\n".utf8)
    guard send(probe.raw, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else { return true }
    guard clinux_wait(probe.raw, Int16(POLLIN), 1_000_000_000) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(probe.raw, &byte, 1, Int32(MSG_DONTWAIT)) <= 0
  }

  private static func isLeftBehindNow(_ path: String) throws(Problem) -> Bool {
    var status = stat()
    if lstat(path, &status) < 0 {
      // `init` makes the folders, and says why if it cannot.
      if errno == ENOENT { return false }
      throw .system(SystemError("look at", path))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
    let probe = try makeSocket()
    if clinux_unix_connect(probe.raw, path) == 0 { throw .alreadyRunning(path) }
    switch errno {
    case ECONNREFUSED: return true
    case ENOENT: return false
    // The daemon's queue of connections is full, so it is alive.
    case EAGAIN: throw .alreadyRunning(path)
    case EPROTOTYPE: throw .notASocket(path)
    default: throw .system(SystemError("connect to", path))
    }
  }
}

extension ListeningSocket {
  /// The socket that a service manager opened for the process `pid` (`LISTEN_PID`, `LISTEN_FDS`; sd_listen_fds): the first that it
  /// passed. `nil` if there is none, if it is meant for another process, or if the variables are damaged.
  static func passed(to pid: Int32, environment: (String) -> String?) -> Int32? {
    guard environment("LISTEN_PID").flatMap({ Int32($0) }) == pid,
      let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...1024).contains(count)
    else { return nil }
    return 3
  }
}
