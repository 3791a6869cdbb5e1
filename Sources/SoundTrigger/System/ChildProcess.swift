package import CLinux
import Glibc

/// A program that this one starts, gives what it needs, and hears to its end.
package struct ChildProcess {
  /// What the program has written.
  package private(set) var output: [UInt8] = []
  /// The end of what it complained of.
  package private(set) var errors: [UInt8] = []
  /// How it ended (waitpid).
  package private(set) var status: Int32 = 0
  /// Whether it was killed, because it took or wrote too much, or was cancelled.
  package private(set) var isOver = false

  /// Starts a program (clinux_spawn). `kept` are descriptors that it gets with the same numbers, and `input` is its standard input;
  /// -1: it has none.
  package static func start(
    _ arguments: [String], environment: [String] = [], folder: String = "/",
    files: ResourceLimit = ResourceLimit(.openFiles), realTime: ResourceLimit = ResourceLimit(.realTimeRuntime),
    keeping kept: [Int32] = [], input: Int32 = -1
  ) throws(SystemError) -> clinux_process {
    var process = clinux_process()
    let code = CStrings.with(arguments) { arguments in
      CStrings.with(environment) { environment in
        kept.withUnsafeBufferPointer { kept in
          folder.withCString { folder in
            var command = clinux_command(
              arguments: arguments, environment: environment, folder: folder,
              files: clinux_limit(soft: files.soft, hard: files.hard),
              realtime: clinux_limit(soft: realTime.soft, hard: realTime.hard),
              kept: kept.baseAddress, kept_count: kept.count, input: input)
            return clinux_spawn(&command, &process) == 0 ? 0 : errno
          }
        }
      }
    }
    if code != 0 { throw SystemError("exec", arguments.first ?? "", code: code) }
    return process
  }

  /// Hears a process to its end. Kills it with all that it has started at `end`, a time of `clinux_monotonic`; or earlier, if it
  /// writes more than `limit` bytes, or nothing for `silence` nanoseconds, or is cancelled. Blocks; the thread must not end before.
  package init(
    _ process: clinux_process, limit: Int, silence: Int64 = .max, until end: Int64,
    _ isCancelled: () -> Bool = { false }
  ) {
    var heard = clinux_monotonic()
    var (isOpen, isDone) = (true, false)
    while !isDone, !isOver {
      // It may write errors and no output. It may also close its output and run on.
      _ = clinux_wait(isOpen ? process.output : process.pidfd, Int16(POLLIN), 50_000_000)
      // What it has written before its end is read after that.
      isDone = clinux_wait(process.pidfd, Int16(POLLIN), 0) > 0
      let count = output.count
      isOpen = Self.read(process.output, &output, limit: limit + 1)
      // A full pipe would stop it.
      _ = Self.read(process.errors, &errors, limit: errors.count + 65_536)
      errors = errors.suffix(4096)
      let now = clinux_monotonic()
      if output.count > count { heard = now }
      let isLate = now >= end || now - heard > silence || isCancelled()
      isOver = !isDone && isLate || output.count > limit
    }
    // What it leaves behind when it ends by itself may be a server for others.
    if isOver {
      kill(-process.pid, SIGKILL)
      // It may have left its group.
      kill(process.pid, SIGKILL)
      // One of another user (setuid), or one that waits for a dead mount, is left behind.
      _ = clinux_wait(process.pidfd, Int16(POLLIN), 1_000_000_000)
    }
    waitpid(process.pid, &status, WNOHANG)
    for descriptor in [process.output, process.errors, process.pidfd] { close(descriptor) }
  }

  /// Reads what there is. Returns false at the end.
  private static func read(_ descriptor: Int32, _ bytes: inout [UInt8], limit: Int) -> Bool {
    var block = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &block, block.count)
      if count <= 0 { return count < 0 }
      bytes += block[..<count]
    }
    return true
  }

  /// The time, for `init`.
  package static var now: Int64 { clinux_monotonic() }

  /// Memory that another process may read or fill (memfd_create); -1 if there is none.
  package static func memory() -> Int32 { clinux_memfd("soundd") }

  /// Confines this process to computing, reading and writing, see `clinux_confine`. Returns whether the kernel did it.
  static func confine(memory: Int, file: Int, seconds: Int64) -> Bool {
    clinux_confine(UInt64(memory), UInt64(file), UInt64(seconds)) == 0
  }
}
