import CLinux
import Glibc
import SoundTrigger

/// What the process was started with: read once and passed on, so that tests can replace it.
struct SystemEnvironment: Sendable {
  /// The environment variables.
  var variables: [String: String]
  /// An absolute path; relative paths of the command line start from here.
  var workingDirectory: String
  /// The absolute path of the running program; empty if it is unknown.
  var executable = ""

  func variable(_ name: String) -> String? { variables[name] }

  /// The process's own.
  static func current() -> SystemEnvironment {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return SystemEnvironment(variables: variables, workingDirectory: currentDirectory, executable: executablePath)
  }

  /// Lets the sound server know that this process is soundd and plays notifications, unless the user's environment says otherwise.
  ///
  /// Call it before the first thread starts, because libraries read the environment (setenv). The variables here stay as they were,
  /// so commands do not inherit the roles.
  func setMediaRole() {
    setenv(
      "PIPEWIRE_ALSA",
      "{ application.name=soundd node.name=soundd media.role=Notification application.icon-name=audio-speakers }", 0)
    setenv("PULSE_PROP", "media.role=event application.icon_name=audio-speakers", 0)
    // ALSA's plugin gives itself a name, which only this variable replaces.
    setenv("PULSE_PROP_OVERRIDE", "application.name=soundd", 0)
  }

  /// A base directory of the XDG Base Directory Specification.
  enum BaseDirectory: String, CaseIterable, Sendable {
    case config = "XDG_CONFIG_HOME"
    case cache = "XDG_CACHE_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"
    /// Has no default.
    case runtime = "XDG_RUNTIME_DIR"

    /// Where it is below the home directory if its variable is not set.
    fileprivate var defaultBelowHome: String? {
      switch self {
      case .config: ".config"
      case .cache: ".cache"
      case .data: ".local/share"
      case .state: ".local/state"
      case .runtime: nil
      }
    }
  }

  /// The home directory, if `HOME` is an absolute path.
  var home: String? { absolutePath("HOME") }

  /// The directory, or `nil` if neither its variable nor its default is known.
  ///
  /// The specification says to ignore relative paths.
  func path(of directory: BaseDirectory) -> String? {
    if let path = absolutePath(directory.rawValue) { return path }
    guard let home, let tail = directory.defaultBelowHome else { return nil }
    return FilePathText.join(home, tail)
  }

  /// Whether PATH has a program of this name.
  func hasProgram(_ name: String) -> Bool {
    (variable("PATH") ?? "").split(separator: ":").contains { access(FilePathText.join(String($0), name), X_OK) == 0 }
  }

  /// What a shell command writes, at most 4 KiB, for this home and user; `nil` if it does not end within a second.
  func output(of command: String) -> String? {
    let variables = [
      "HOME": home, "XDG_RUNTIME_DIR": path(of: .runtime), "LC_ALL": "C",
    ]
    .map { "\($0)=\(Excerpt.shellWord($1 ?? ""))" }.joined(separator: " ")
    return BoundedCall.result {
      guard let stream = popen("\(variables) timeout 0.8 sh -c \(Excerpt.shellWord(command)) 2>/dev/null", "r") else {
        return ""
      }
      defer { pclose(stream) }
      let text = [UInt8](unsafeUninitializedCapacity: 4096) { $1 = fread($0.baseAddress, 1, $0.count, stream) }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// The exit status of a program and what it writes, at most 4 MiB; `nil` if it does not end within ten seconds.
  ///
  /// It has these variables and no others. `withErrors` adds what it writes to standard error.
  func answer(of arguments: [String], withErrors: Bool = false) -> (status: Int32, text: String)? {
    BoundedCall.result(within: .seconds(11)) { [variables, workingDirectory] in
      let process: clinux_process
      do throws(SystemError) {
        process = try ChildProcess.start(
          arguments, environment: variables.map { "\($0)=\($1)" }, folder: workingDirectory)
      } catch {
        return (127, error.reason)
      }
      let child = ChildProcess(process, limit: 4 << 20, until: ChildProcess.now + 10_000_000_000)
      if child.isOver { return nil }
      let status = child.status & 0x7f == 0 ? child.status >> 8 & 0xff : 128 + child.status & 0x7f
      return (status, String(decoding: child.output + (withErrors ? child.errors : []), as: UTF8.self))
    } ?? nil
  }

  /// A variable that is an absolute path; any other value counts as unset.
  func absolutePath(_ variable: String) -> String? {
    variables[variable].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }

  /// A path; a relative one starts from the working folder.
  func absolute(_ path: String) -> String { FilePathText.join(workingDirectory, path) }

  /// Where the program's own files of this kind may be: installed with it, then in its checkout.
  func ownFolders(_ kind: String) -> [String] {
    guard let prefix = installationPrefix else { return [] }
    var folders = [FilePathText.join(prefix, "share/soundd/\(kind)")]
    // A program that was built and not installed has its files beside the build folder.
    let parts = executable.split(separator: "/")
    if let build = parts.lastIndex(of: ".build") {
      folders.append("/" + parts[..<build].joined(separator: "/") + "/\(kind)")
    }
    return folders
  }

  /// The folder that has `bin` with the program; `nil` if that is unknown.
  var installationPrefix: String? {
    executable.isEmpty ? nil : FilePathText.folder(of: FilePathText.folder(of: executable))
  }

  private static var currentDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  private static var executablePath: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return "" }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
