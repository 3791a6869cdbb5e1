import CLinux
import Glibc
import SoundTrigger

/// Lets a program speak: it gets a text on its standard input, and writes a WAV file, or speaks itself and writes nothing.
///
/// Its methods block, on a thread that does not end before, because the kernel kills the program then.
struct SpeechEngine: SpeechMaker {
  /// How long a text may take.
  static let patience = Duration.seconds(10)
  /// The most that the program may write, in bytes, and the longest speech, in seconds.
  private static let largestOutput = 16 << 20, longest = 60
  /// How long it is remembered that the program has failed.
  private static let memory = Duration.seconds(30)
  /// What a program speaks without a sound: whether it writes a file decides where it can be heard.
  private static let probe = "."

  let command: ExternalCommand
  let setting: CommandRunner.Setting
  var patience = Self.patience
  /// A check runs nothing, because it may look at what somebody else has written.
  var makesClips = true
  /// Whether the program writes sounds, and when it was asked; `nil`: not yet.
  private let writesSounds = Guarded<(result: Result<Bool, SoundError>, at: Int64)?>(nil)

  init(_ command: ExternalCommand, _ setting: CommandRunner.Setting) {
    (self.command, self.setting) = (command, setting)
  }

  var identity: Int { makesClips ? command.hashValue : 0 }

  func clip(saying text: String, _ loader: ClipLoader) throws(SoundError) -> Clip {
    if let problem = command.obstacle ?? command.programProblem(path: setting.environment.variable("PATH")) {
      throw .unspoken(text: text, reason: problem)
    }
    if makesClips, SpeechText.isConstant(text), try speaksInFiles(text, loader),
      let clip = try speak(SpeechText.clean(text), loader, { false })
    {
      return clip
    }
    do throws(OutOfMemory) { return try Clip([0, 0], rate: loader.rate) } catch {
      throw .noMemory(path: text, reason: "\(error)")
    }
  }

  /// Asks the program, and for a while not again if it fails: if it hangs, it would hang for each text.
  private func speaksInFiles(_ text: String, _ loader: ClipLoader) throws(SoundError) -> Bool {
    let known = writesSounds.withLock { $0 }.flatMap { known -> Result<Bool, SoundError>? in
      if case .failure = known.result, clinux_monotonic() - known.at > Self.memory.nanoseconds { return nil }
      return known.result
    }
    let result = known ?? Result { () throws(SoundError) in try speak(Self.probe, loader, { false }) != nil }
    if known == nil { writesSounds.withLock { $0 = (result, clinux_monotonic()) } }
    do throws(SoundError) { return try result.get() } catch {
      if case .unspoken(_, let reason) = error { throw .unspoken(text: text, reason: reason) }
      throw error
    }
  }

  /// Speaks a text; `nil`: the program has spoken it itself. `isCancelled` ends it.
  func speak(_ text: String, _ loader: ClipLoader, _ isCancelled: () -> Bool) throws(SoundError) -> Clip? {
    func failure(_ reason: String) -> SoundError { .unspoken(text: text, reason: reason) }
    if let obstacle = command.obstacle { throw failure(obstacle) }
    let input = Descriptor(owning: clinux_memfd("text"))
    let frames = Descriptor(owning: clinux_memfd("speech"))
    let bytes = Array("\(text)\n".utf8)
    guard input.raw >= 0, frames.raw >= 0, write(input.raw, bytes, bytes.count) == bytes.count,
      lseek(input.raw, 0, SEEK_SET) == 0
    else { throw failure(SystemError.text(errno)) }
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
    if run.output.isEmpty { return nil }
    guard write(frames.raw, run.output, run.output.count) == run.output.count else {
      throw failure(SystemError.text(errno))
    }
    var loader = loader
    loader.limitSeconds = Self.longest
    do throws(SoundError) { return try loader.load(path: "/proc/self/fd/\(frames.raw)") } catch {
      throw failure("it wrote what is no sound: \(command.line)")
    }
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
      var (errors, lines) = ([UInt8](), LineReader())
      var (isOpen, isDone) = (true, false)
      while !isDone, !isOver {
        // The program may write errors and no output. It may also close its output and run on.
        _ = clinux_wait(isOpen ? process.output : process.pidfd, Int16(POLLIN), 50_000_000)
        // What it has written before its end is read after that.
        let hasEnded = clinux_wait(process.pidfd, Int16(POLLIN), 0) != 0
        isOpen = Self.read(process.output, &output, limit: SpeechEngine.largestOutput + 1)
        _ = Self.read(process.errors, &errors, limit: 65_536)
        isDone = hasEnded
        isOver = !isDone && (clinux_monotonic() >= end || isCancelled()) || output.count > SpeechEngine.largestOutput
      }
      // What a program leaves behind when it ends by itself may be a server that speaks for others, too.
      if isOver { kill(-process.pid, SIGKILL) }
      var status: Int32 = 0
      waitpid(process.pid, &status, 0)
      for descriptor in [process.output, process.errors, process.pidfd] { close(descriptor) }
      ending = ProcessEnding(waitStatus: status)
      var last: [UInt8] = []
      lines.feed(errors.span) { line, _ in
        if let line, line.count > 0 { last = line.withUnsafeBufferPointer { Array($0.prefix(200)) } }
        return true
      }
      if !last.isEmpty { lastError = Excerpt.quoting(last.span) }
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
  /// Where the sounds of a configuration are looked up, and who speaks. `commands`: how that program runs; `nil`: it does not.
  func soundLocator(
    configurationFile file: String?, _ configuration: Configuration, _ commands: CommandRunner.Setting?
  ) -> SoundLocator {
    var locator = soundLocator(configurationFile: file, configuration.sounds)
    var engine = SpeechEngine(configuration.speech, commands ?? CommandRunner.Setting(self))
    engine.makesClips = commands != nil
    locator.speech = engine
    return locator
  }
}
