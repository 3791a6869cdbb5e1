import CLinux
import Glibc
import SoundTrigger
import SoundWire

/// Lets a program speak: it gets a text on its standard input, and writes a WAV file, or speaks itself and writes nothing.
///
/// Its methods block. The thread must outlive the program, because the kernel kills the program when its thread ends.
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
    let process: clinux_process
    switch CommandRunner.spawn(command, setting, input: input.raw) {
    case .success(let started): process = started
    case .failure(let problem): throw failure("\(problem)")
    }
    let end = ChildProcess.now + patience.nanoseconds
    let child = ChildProcess(process, limit: Self.largestOutput, until: end, isCancelled)
    if child.isOver {
      throw failure(
        "it did not end within \(DurationText.text(patience)), or wrote more than \(Self.largestOutput >> 20) MiB")
    }
    let ending = ProcessEnding(waitStatus: child.status)
    if ending != .exit(0) {
      let last = child.errors.split(separator: UInt8(ascii: "\n")).last.map { Array($0.prefix(200)) }
      throw failure("\(CommandProblem.ended(ending))" + (last.map { ": \(Excerpt.quoting($0.span))" } ?? ""))
    }
    return child.output
  }

  /// A file in memory, at its beginning.
  private static func file(_ bytes: [UInt8], of text: String) throws(SoundError) -> Descriptor {
    let file = Descriptor(owning: ChildProcess.memory())
    guard file.raw >= 0, Glibc.write(file.raw, bytes, bytes.count) == bytes.count, lseek(file.raw, 0, SEEK_SET) == 0
    else { throw .unspoken(text: text, reason: SystemError.text(errno)) }
    return file
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

extension Configuration {
  /// A warning for each text that nothing speaks: the program is missing or may not run. The rest of the trigger works, and so does the
  /// text as soon as the program is installed.
  func speechWarnings(file: String, _ locator: SoundLocator, refusal: (String) -> String? = { _ in nil }) -> [Warning] {
    let texts = triggers.flatMap { trigger in
      trigger.sounds.filter { $0.hasPrefix(Speech.prefix) }.map { (trigger, $0) }
    }
    guard !texts.isEmpty, let reason = locator.speechProblem(refusal) else { return [] }
    return texts.map { trigger, sound in
      let problem = SoundError.unspoken(text: String(sound.dropFirst(Speech.prefix.count)), reason: reason)
      let location = trigger.soundLocations[sound] ?? trigger.location
      return Warning(
        .command,
        ConfigurationMessage(
          file: file, location: location, message: "trigger '\(trigger.definition.name)': \(problem)"))
    }
  }
}
