import CLinux
import Glibc
import SoundTrigger

/// Lets a program speak: it gets a text on its standard input, and writes a WAV file, or speaks itself and writes nothing.
///
/// Its methods block, on a thread that does not end before, because the kernel kills the program then.
struct SpeechEngine: Sendable {
  /// How long a text may take.
  static let patience = Duration.seconds(10)
  /// The most that the program may write, in bytes, and the longest speech, in seconds.
  private static let largestOutput = 16 << 20, longest = 60

  let command: ExternalCommand
  let setting: CommandRunner.Setting
  var patience = Self.patience

  init(_ command: ExternalCommand, _ setting: CommandRunner.Setting) {
    (self.command, self.setting) = (command, setting)
  }

  /// Speaks a text; `nil`: the program has spoken it itself. `isCancelled` ends it.
  func speak(_ text: String, _ loader: ClipLoader, _ isCancelled: () -> Bool) throws(SoundError) -> Clip? {
    let output = try write(text, isCancelled)
    if output.isEmpty { return nil }
    let file = try Self.file(output, of: text)
    var loader = loader
    loader.limitSeconds = Self.longest
    do throws(SoundError) { return try loader.load(path: "/proc/self/fd/\(file.raw)") } catch {
      let reason = if case .tooLong = error { "it speaks for more than \(Self.longest) s" } else { "it wrote no sound" }
      throw .unspoken(text: text, reason: "\(reason): \(command.line)")
    }
  }

  /// What the program writes for a text.
  func write(_ text: String, _ isCancelled: () -> Bool) throws(SoundError) -> [UInt8] {
    func failure(_ reason: String) -> SoundError { .unspoken(text: text, reason: reason) }
    if let obstacle = command.obstacle { throw failure(obstacle) }
    let input = try Self.file(Array("\(text)\n".utf8), of: text)
    let run: Run
    switch CommandRunner.spawn(command, setting, input: input.raw) {
    case .success(let process): run = Run(process, patience: patience, isCancelled)
    case .failure(let problem): throw failure("\(problem)")
    }
    if run.isOver {
      throw failure(
        "it did not end within \(DurationText.text(patience)), or wrote more than \(Self.largestOutput >> 20) MiB")
    }
    if run.ending != .exit(0) {
      throw failure("\(CommandProblem.ended(run.ending))" + (run.lastError.map { ": \($0)" } ?? ""))
    }
    return run.output
  }

  /// A file in memory, at its beginning.
  private static func file(_ bytes: [UInt8], of text: String) throws(SoundError) -> Descriptor {
    let file = Descriptor(owning: clinux_memfd("speech"))
    guard file.raw >= 0, Glibc.write(file.raw, bytes, bytes.count) == bytes.count, lseek(file.raw, 0, SEEK_SET) == 0
    else { throw .unspoken(text: text, reason: SystemError.text(errno)) }
    return file
  }

  /// A run of the program, from its start to its end.
  private struct Run {
    private(set) var output: [UInt8] = []
    private(set) var lastError: String?
    private(set) var ending = ProcessEnding.exit(0)
    /// Whether it took or wrote too much, or was cancelled.
    private(set) var isOver = false

    init(_ process: clinux_process, patience: Duration, _ isCancelled: () -> Bool) {
      let end = clinux_monotonic() + patience.nanoseconds
      var errors: [UInt8] = []
      var (isOpen, isDone) = (true, false)
      while !isDone, !isOver {
        // The program may write errors and no output. It may also close its output and run on.
        _ = clinux_wait(isOpen ? process.output : process.pidfd, Int16(POLLIN), 50_000_000)
        // What it has written before its end is read after that.
        let hasEnded = clinux_wait(process.pidfd, Int16(POLLIN), 0) != 0
        isOpen = Self.read(process.output, &output, limit: SpeechEngine.largestOutput + 1)
        // The last of them count, and what nobody reads stops the program.
        _ = Self.read(process.errors, &errors, limit: errors.count + 65_536)
        errors = errors.suffix(4096)
        isDone = hasEnded
        isOver = !isDone && (clinux_monotonic() >= end || isCancelled()) || output.count > SpeechEngine.largestOutput
      }
      // What a program leaves behind when it ends by itself may be a server that speaks for others, too.
      if isOver { kill(-process.pid, SIGKILL) }
      var status: Int32 = 0
      waitpid(process.pid, &status, 0)
      for descriptor in [process.output, process.errors, process.pidfd] { close(descriptor) }
      ending = ProcessEnding(waitStatus: status)
      let last = errors.split(separator: UInt8(ascii: "\n")).last.map { Array($0.prefix(200)) }
      lastError = last.map { Excerpt.quoting($0.span) }
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
  }
}

extension SystemEnvironment {
  /// Where the sounds of a configuration are looked up, and whether its texts can be spoken.
  func soundLocator(configurationFile file: String?, _ configuration: Configuration) -> SoundLocator {
    var locator = soundLocator(configurationFile: file, configuration.sounds)
    locator.speechProblem = { [command = configuration.speech, path = variable("PATH")] refusal in
      command.obstacle ?? command.programProblem(path: path, refusal: refusal)
    }
    return locator
  }
}
