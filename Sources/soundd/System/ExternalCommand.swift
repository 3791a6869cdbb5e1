import Glibc
import SoundTrigger
import SoundWire

/// A program that the configuration runs, and how it is run.
struct ExternalCommand: Hashable, Sendable {
  /// What `every` may be.
  static let intervals = Duration.seconds(1)...DurationText.longest
  /// What `timeout` may be.
  static let timeouts = Duration.milliseconds(1)...Duration.seconds(3600)
  /// The longest default of `timeout`.
  static let longestTimeout = Duration.seconds(60)

  /// The program and its arguments; a program with a slash is an absolute path.
  var arguments: [String]
  /// The folder in which it runs.
  var folder: String
  /// How often it is run; `nil`: it runs all the time, and each of its lines counts.
  var every: Duration?
  /// When a run that does not end is ended.
  var timeout = longestTimeout
  /// Whether its exit status is what counts, not its output.
  var takesStatus = false
  /// Why it may not run.
  var obstacle: String?

  /// Debian's packages of programs that soundd or its recipes run.
  private static let packages = [
    "espeak-ng": "espeak-ng", "spd-say": "speech-dispatcher", "mosquitto_sub": "mosquitto-clients",
  ]

  /// A line for the shell.
  static func shell(_ line: String) -> [String] { ["/bin/sh", "-c", line] }

  /// The command as people write it.
  var line: String {
    if arguments.count == 3, arguments.starts(with: ["/bin/sh", "-c"]) { return Excerpt.escaping(arguments[2]) }
    return arguments.map { Excerpt.shellWord(Excerpt.escaping($0)) }.joined(separator: " ")
  }

  /// Why the program cannot be started, and what to do; `nil` if it can (access). `path` is PATH. `refusal` says why a path must not
  /// be touched.
  func programProblem(path: String?, refusal: (String) -> String? = { _ in nil }) -> String? {
    let program = arguments[0]
    let isPath = program.contains("/")
    let folders = isPath ? [folder] : (path ?? "/bin:/usr/bin").split(separator: ":").map(String.init)
    var present: String?
    for file in folders.map({ FilePathText.join($0, program) }) {
      if let reason = refusal(file) { return reason }
      var status = stat()
      guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if access(file, X_OK) == 0 { return nil }
      present = present ?? file
    }
    if let present {
      return "\(present) is not executable: make it so (chmod +x \(Excerpt.shellWord(path: present))), or correct it"
    }
    let shown = Excerpt.quoting(program)
    if isPath { return "there is no program \(shown): correct its path" }
    let package = Self.packages[program].map { " (sudo apt install \($0))" } ?? ""
    return "there is no program \(shown) in PATH: install it\(package), or write its whole path"
  }

  /// Why `clinux_spawn` failed with this errno.
  func startProblem(_ code: Int32, in environment: SystemEnvironment) -> String {
    if access(folder, X_OK) < 0 { return "the folder \(folder): \(SystemError.text(errno))" }
    if let problem = programProblem(path: environment.variable("PATH")) { return problem }
    let reason = "\(Excerpt.quoting(arguments[0])): \(SystemError.text(code))"
    switch code {
    case ENOENT: return "\(reason): its first line names an interpreter that does not exist"
    // Set by systemd.
    case EPERM where environment.variable("INVOCATION_ID") != nil:
      return "\(reason): the unit forbids it (to allow more: systemctl --user edit soundd)"
    case EACCES, EPERM: return "\(reason): a mount without 'exec' or a security policy forbids it"
    default: return reason
    }
  }
}

/// How a process ended.
enum ProcessEnding: Equatable, Sendable {
  case exit(Int32)
  case signal(Int32)

  /// Reads a status of waitpid.
  init(waitStatus status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
  }
}

/// Why a command does not work.
enum CommandProblem: Error, Equatable, CustomStringConvertible {
  /// It may not run.
  case forbidden(String)
  case notStarted(String)
  case ended(ProcessEnding)
  case timedOut(Duration)
  /// It runs on, and can say nothing more.
  case closedOutput

  var description: String {
    switch self {
    case .forbidden(let reason): reason
    case .notStarted(let reason): "it cannot be started: \(reason)"
    case .ended(.exit(let code)): "it ended with exit status \(code)"
    case .ended(.signal(let number)):
      "it was ended by signal \(number)" + (number == SIGKILL ? "" : " (\(String(cString: strsignal(number))))")
    case .timedOut(let limit): "it did not end within \(DurationText.text(limit)) (timeout), and was ended"
    case .closedOutput: "it closed its standard output, and was ended"
    }
  }
}
