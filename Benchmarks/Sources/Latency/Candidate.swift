import Glibc

/// One way to have an event heard, and what was measured of it.
final class Candidate {
  let name: String
  let commitTime: CommitTime
  /// How many events in each round.
  let events: Int
  /// Sends the event numbered so; returns when it was sent, and the process to wait for afterwards, if there is one.
  let send: (Int) throws -> (sent: Int64, process: pid_t?)
  /// From the event to the commit of its first frames, in milliseconds.
  var commits: [Double] = []
  /// From the event to its first loud sample on the monitor, in milliseconds.
  var heard: [Double] = []
  /// Events that were not heard within two seconds, or whose commit was not seen.
  var lost = 0

  init(
    _ name: String, commitTime: CommitTime, events: Int = 1,
    send: @escaping (Int) throws -> (sent: Int64, process: pid_t?)
  ) {
    self.name = name
    self.commitTime = commitTime
    self.events = events
    self.send = send
  }

  /// A program that is started for each event, with the library `preload`: all of them, so that its loading counts for all.
  convenience init(program arguments: [String], name: String, preload: String, commitTime: CommitTime) {
    self.init(name, commitTime: commitTime) { number in
      // soundd plays only what differs from the last time.
      let arguments = arguments.map { $0 == "x=EVENT" ? "x=\(number)" : $0 }
      let start = monotonic()
      return (start, try spawn(arguments, preload: preload, stamp: commitTime.path))
    }
  }

  /// A daemon of ours, told through a connection that is open already.
  convenience init(socket path: String, name: String, events: Int, commitTime: CommitTime) throws {
    let connection = try connect(path)
    // The first content is no change.
    guard write(connection, "x=first\n", 8) == 8 else { throw Problem("\(path) does not take a value") }
    self.init(name, commitTime: commitTime, events: events) { number in
      let line = Array("x=\(number)\n".utf8)
      let start = monotonic()
      guard write(connection, line, line.count) == line.count else { throw Problem("\(path) does not take the event") }
      return (start, nil)
    }
  }
}

/// Starts a program that is found in the path, its output nowhere.
private func spawn(_ arguments: [String], preload: String, stamp: String) throws(Problem) -> pid_t {
  var environment: [String] = []
  var entry = environ
  while let text = entry.pointee {
    environment.append(String(cString: text))
    entry += 1
  }
  environment += ["LD_PRELOAD=\(preload)", "COMMIT_STAMP=\(stamp)"]
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for fd in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0)
  }
  let argv = arguments.map { strdup($0) } + [nil]
  let envp = environment.map { strdup($0) } + [nil]
  defer { for pointer in argv + envp { free(pointer) } }
  var process = pid_t()
  let error = posix_spawnp(&process, arguments[0], &actions, nil, argv, envp)
  guard error == 0 else { throw Problem("\(arguments[0]) cannot be started: \(String(cString: strerror(error)))") }
  return process
}

private func connect(_ path: String) throws(Problem) -> Int32 {
  let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  let fits = withUnsafeMutableBytes(of: &address.sun_path) { to in
    guard bytes.count < to.count else { return false }
    to.copyBytes(from: bytes)
    return true
  }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard fd >= 0, fits, result == 0 else { throw Problem("nothing answers at \(path)") }
  return fd
}
