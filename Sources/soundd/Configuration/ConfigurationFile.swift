import Glibc
import SoundTrigger

/// Finds and reads the configuration file.
enum ConfigurationFile {
  /// The largest configuration, in bytes.
  private static let limit = 16 << 20

  /// Where a configuration file may be: in the user's base directory, then in those of the system.
  ///
  /// Without relative paths, which the XDG Base Directory Specification says to ignore.
  static func candidates(_ environment: SystemEnvironment) -> [String] {
    let variable = environment.variables["XDG_CONFIG_DIRS"] ?? ""
    let system = variable.isEmpty ? ["/etc/xdg"] : variable.split(separator: ":").map(String.init)
    let folders = [environment.path(of: .config)].compactMap { $0 } + system.filter { $0.hasPrefix("/") }
    return folders.map { FilePathText.join($0, "soundd/config.toml") }
  }

  /// The first of these files that may exist.
  static func first(of locations: [String]) -> String? { locations.first(where: mayExist) }

  /// Whether there is something at a path, or this user may not look: then reading it fails with the reason (access).
  static func mayExist(_ path: String) -> Bool {
    access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// The file to read: `option`, the one given with `--config`, whether it exists or not; else the first candidate that
  /// may exist.
  static func locate(_ option: String?, environment: SystemEnvironment) throws(Failure) -> String {
    if let option { return option }
    let places = try places(nil, environment: environment)
    if let file = first(of: places) { return file }
    throw Failure(.noInput, "\(missing(places)), and --config FILE names another place")
  }

  /// Where the file may be, best first: only at `option`, the one given with `--config`, or at the candidates.
  static func places(_ option: String?, environment: SystemEnvironment) throws(Failure) -> [String] {
    if let option { return [option] }
    let candidates = candidates(environment)
    if !candidates.isEmpty { return candidates }
    throw Failure(
      .noInput, "no place for a configuration file is known: set HOME, or give one with --config FILE")
  }

  /// What to say if there is no file at any of these places.
  static func missing(_ locations: [String]) -> String {
    "no configuration file at \(locations.joined(separator: " or ")): 'soundd init' writes one"
  }

  /// Reads what is readable; throws only if the file itself cannot be read.
  static func draft(_ file: String, environment: SystemEnvironment) throws(Failure) -> ConfigurationDraft {
    ConfigurationDraft(try text(file).bytes, file: file, environment: environment)
  }

  /// The file as it is now.
  static func text(_ file: String) throws(Failure) -> ConfigurationText {
    ConfigurationText(file: file, bytes: try InputFile.contents(file, limit: limit, as: "a configuration", again: true))
  }
}

/// What a configuration file holds.
struct ConfigurationText: Equatable, Sendable {
  var file: String
  var bytes: [UInt8]

  /// What it says; the failure lists all errors.
  func configuration(_ environment: SystemEnvironment) throws(Failure) -> Configuration {
    let draft = ConfigurationDraft(bytes, file: file, environment: environment)
    if draft.errors.isEmpty { return draft.configuration }
    throw Failure(.configuration, draft.errors.map(\.description).joined(separator: "\n"))
  }
}

/// Reads the files that commands name.
enum InputFile {
  /// The bytes of a regular file or a pipe, at most `limit`; `purpose` is what messages call the file.
  ///
  /// Waits a second for the writer of a named pipe. `again` says that soundd will read the file again: then a pipe is refused.
  static func contents(
    _ file: String, limit: Int, as purpose: String, again: Bool = false
  ) throws(Failure) -> [UInt8] {
    let fd = try open(file, again: again)
    defer { close(fd) }
    var status = stat()
    if again, fstat(fd, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        throw Failure(.noInput, "cannot read \(file): it is a folder, not a file")
      }
      if let kind = unlasting(status) {
        throw Failure(
          .noInput,
          "cannot read \(file): it is \(kind), but \(purpose) must be a regular file, because a reload reads it again; "
            + "no pipe will do, be it /dev/stdin or <(…)")
      }
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(fd, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(.noInput, "cannot read \(file): \(SystemError.text(errno))") }
      if count == 0 { return bytes }
      bytes += block[..<count]
      if bytes.count > limit {
        throw Failure(.badData, "\(file) has more than \(limit >> 20) MiB, which is too much for \(purpose)")
      }
    }
  }

  /// Opens a file: one that is read again at once, any other within a second, because a named pipe may have no writer.
  private static func open(_ file: String, again: Bool) throws(Failure) -> Int32 {
    let call: @Sendable () -> Result<Int32, SystemError> = {
      Result { () throws(SystemError) in
        try retrying("open", file) { Glibc.open(file, O_RDONLY | O_CLOEXEC | (again ? O_NONBLOCK : 0)) }
      }
    }
    switch again ? call() : BoundedCall.result(of: call) {
    case .success(let fd): return fd
    case .failure(let error): throw Failure(.noInput, "cannot read \(file): \(error.reason)")
    case nil:
      throw Failure(.noInput, "cannot read \(file): it does not answer; a named pipe needs a program that writes to it")
    }
  }

  /// What kind of file cannot be read twice; `nil` for a regular file and /dev/null.
  private static func unlasting(_ status: stat) -> String? {
    var null = stat()
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFIFO: return "a pipe"
    case S_IFCHR where stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev: return nil
    default: return "a device"
    }
  }
}
