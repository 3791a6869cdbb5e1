import Foundation
import TestSupport

/// Something that was waited for did not come; the text has what the program said meanwhile.
struct TimedOut: Error, CustomStringConvertible {
  var description: String
}

/// The same moment for a whole chain of waits.
struct Deadline {
  private let end: UInt64

  /// So many seconds from now.
  init(in seconds: Double) { end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9) }

  /// Milliseconds left, as poll(2) takes them: at least 0.
  var milliseconds: Int32 {
    let now = DispatchTime.now().uptimeNanoseconds
    return now >= end ? 0 : Int32(clamping: (end - now + 999_999) / 1_000_000)
  }

  var isPast: Bool { milliseconds == 0 }
}

/// A program of its own process, with its three standard streams in our hands.
final class Program {
  /// How a program ended.
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// What standard input is.
  enum Input {
    /// A pipe that stays open until `closeInput`.
    case pipe
    /// A pipe with this content and then its end.
    case text(String)
    case nothing
    case file(String)
    /// No descriptor at all.
    case closed
  }

  let pid: pid_t
  private(set) var output: [UInt8] = []
  private var errorBytes: [UInt8] = []
  private var input: Int32 = -1
  private var outputEnd: Int32 = -1
  private var errorEnd: Int32 = -1
  private var ending: Ending?

  /// How long a wait may take before it fails. It is generous, because only a failure spends it.
  static let patience = atMost(20)
  private static let starting = NSLock()
  /// posix_spawn_file_actions_addclosefrom_np, which Swift's Glibc does not show.
  private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast(
      $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
  }

  /// Starts a program with nothing of ours but these arguments and this environment.
  ///
  /// `output` is a file to write standard output to, instead of keeping it.
  init(
    _ path: String, _ arguments: [String], environment: [String: String], folder: String, input: Input,
    output: String? = nil
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    // A pipe that is not yet marked as close-on-exec must not get into a program that starts beside this one.
    let lock = Self.starting
    lock.lock()
    defer { lock.unlock() }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }

    var childInput: Int32 = -1
    switch input {
    case .pipe, .text:
      let pipe = try Self.pipe()
      childInput = pipe.read
      self.input = pipe.write
      posix_spawn_file_actions_adddup2(&actions, pipe.read, 0)
    case .nothing: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .file(let path): posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
    case .closed: posix_spawn_file_actions_addclose(&actions, 0)
    }
    let out = try Self.pipe()
    let err = try Self.pipe()
    if let output {
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, out.write, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, err.write, 2)
    // What other tests have open at this moment is not the program's.
    _ = Self.closeFrom?(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var child: pid_t = 0
    // env(1) changes the folder, which posix_spawn cannot, and becomes the program.
    let env = "/usr/bin/env"
    let code = Self.withStrings([env, "-C", folder, path] + arguments) { argv in
      Self.withStrings(environment.map { "\($0)=\($1)" }) { envp in
        posix_spawn(&child, env, &actions, &attributes, argv, envp)
      }
    }
    if childInput >= 0 { Foundation.close(childInput) }
    Foundation.close(out.write)
    Foundation.close(err.write)
    pid = child
    outputEnd = out.read
    errorEnd = err.read
    guard code == 0 else {
      ending = .exit(127)
      throw TimedOut(description: "cannot start \(path): \(String(cString: strerror(code)))")
    }
    if case .text(let text) = input {
      write(text)
      closeInput()
    }
  }

  deinit {
    if ending == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
    for end in [input, outputEnd, errorEnd] where end >= 0 { Foundation.close(end) }
  }

  /// What it said on standard error so far.
  var errors: String { String(decoding: errorBytes, as: UTF8.self) }

  /// What it said on standard output so far.
  var text: String { String(decoding: output, as: UTF8.self) }

  // MARK: Talking to it

  /// Writes to its standard input; a program that has gone is no error here.
  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(input, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count <= 0 { return }
      done += count
    }
  }

  /// Ends its standard input.
  func closeInput() {
    if input >= 0 { close(&input) }
  }

  func send(signal: Int32) { kill(pid, signal) }

  // MARK: Waiting for it

  /// Waits until standard error contains a text.
  func waitForErrors(_ text: String) throws {
    let deadline = Deadline(in: Self.patience)
    while !errors.contains(text) {
      if outputEnd < 0, errorEnd < 0 {
        throw TimedOut(description: "it ended and never said '\(text)', but:\n\(errors)")
      }
      if deadline.isPast { throw TimedOut(description: "it never said '\(text)', but:\n\(errors)") }
      pump(deadline)
    }
  }

  /// Takes what it has said up to now.
  func look() { pump(Deadline(in: 0)) }

  /// Waits until standard output has so many whole lines.
  func waitForOutput(lines: Int) throws {
    let deadline = Deadline(in: Self.patience)
    while output.count(where: { $0 == 10 }) < lines {
      if outputEnd < 0 || deadline.isPast { throw TimedOut(description: "too few lines:\n\(text)\(errors)") }
      pump(deadline)
    }
  }

  /// Waits until standard output contains a text.
  func waitForOutput(containing wanted: String) throws {
    let deadline = Deadline(in: Self.patience)
    while !text.contains(wanted) {
      if outputEnd < 0 || deadline.isPast { throw TimedOut(description: "no '\(wanted)' in:\n\(text)\(errors)") }
      pump(deadline)
    }
  }

  /// Waits for its end.
  @discardableResult
  func wait() throws -> Ending {
    let deadline = Deadline(in: Self.patience)
    while outputEnd >= 0 || errorEnd >= 0 {
      if deadline.isPast { throw TimedOut(description: "it did not end; it said:\n\(errors)") }
      pump(deadline)
    }
    if let ending { return ending }
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    let number = status & 0x7F
    let result: Ending = number == 0 ? .exit((status >> 8) & 0xFF) : .signal(number)
    ending = result
    return result
  }

  /// Takes what it has said, or waits for it to say something.
  private func pump(_ deadline: Deadline) {
    var ends = [outputEnd, errorEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&ends, 2, deadline.milliseconds) > 0 else { return }
    var block = [UInt8](repeating: 0, count: 65_536)
    if ends[0].revents != 0 {
      let count = read(outputEnd, &block, block.count)
      if count > 0 { output += block[..<count] } else { close(&outputEnd) }
    }
    if ends[1].revents != 0 {
      let count = read(errorEnd, &block, block.count)
      if count > 0 { errorBytes += block[..<count] } else { close(&errorEnd) }
    }
  }

  private func close(_ end: inout Int32) {
    Foundation.close(end)
    end = -1
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { throw TimedOut(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A NULL-terminated array of C strings.
  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("it has one element at least") }
      return body(base)
    }
  }
}

/// Waits for a condition of which no descriptor gives notice.
func eventually(_ what: String, _ condition: () throws -> Bool) throws {
  let deadline = Deadline(in: Program.patience)
  while try !condition() {
    if deadline.isPast { throw TimedOut(description: "it never came true: \(what)") }
    poll(nil, 0, 2)
  }
}
