import CLinux
import Glibc

/// A process for what may be an attack: it can only compute, and read and write what it got (clinux_confine).
enum ConfinedProcess {
  /// Runs a program, which calls `confine`, and returns what it has printed and how it ended (waitpid); `nil`: it could not be started.
  ///
  /// `kept` are descriptors that it gets with the same numbers. It is killed at `end`, a time of `clinux_monotonic`; or earlier, if it
  /// prints nothing for `silence` nanoseconds, or more than 256 KiB. Blocks; the thread must not end before.
  static func run(
    _ arguments: [String], keeping kept: [Int32], silence: Int64, until end: Int64
  ) -> (text: String, status: Int32)? {
    let (files, realTime) = (ResourceLimit(.openFiles), ResourceLimit(.realTimeRuntime))
    var process = clinux_process()
    let hasStarted = CStrings.with(arguments) { arguments in
      // It gets none of the variables, which may hold secrets.
      CStrings.with([]) { environment in
        kept.withUnsafeBufferPointer { kept in
          "/".withCString { folder in
            var command = clinux_command(
              arguments: arguments, environment: environment, folder: folder,
              files: clinux_limit(soft: files.soft, hard: files.hard),
              realtime: clinux_limit(soft: realTime.soft, hard: realTime.hard),
              kept: kept.baseAddress, kept_count: kept.count, input: -1)
            return clinux_spawn(&command, &process) == 0
          }
        }
      }
    }
    guard hasStarted else { return nil }
    let text = output(process.output, silence, until: end)
    kill(process.pid, SIGKILL)
    var status: Int32 = 0
    waitpid(process.pid, &status, 0)
    for descriptor in [process.output, process.errors, process.pidfd] { close(descriptor) }
    return (text, status)
  }

  private static func output(_ descriptor: Int32, _ silence: Int64, until end: Int64) -> String {
    var heard = clinux_monotonic()
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 18 {
      let count = read(descriptor, &block, block.count)
      if count == 0 { break }
      let now = clinux_monotonic()
      if count > 0 {
        bytes += block[..<count]
        heard = now
      }
      let rest = min(end, heard + silence) - now
      if count < 0, rest <= 0 || clinux_wait(descriptor, Int16(POLLIN), rest) == 0 { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The time, for `run`.
  static var now: Int64 { clinux_monotonic() }

  /// Memory that another process may fill (memfd_create); -1 if there is none.
  static func memory() -> Int32 { clinux_memfd("frames") }

  /// Confines this process, see `clinux_confine`. Returns whether the kernel did it.
  static func confine(memory: Int, file: Int, seconds: Int64) -> Bool {
    clinux_confine(UInt64(memory), UInt64(file), UInt64(seconds)) == 0
  }
}
