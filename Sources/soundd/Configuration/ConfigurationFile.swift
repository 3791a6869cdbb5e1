import Glibc
import SoundTrigger

/// Finds and reads the configuration: a file, and the parts in `config.d` beside it.
enum ConfigurationFile {
  /// The largest configuration, in bytes.
  private static let limit = 16 << 20
  /// How many parts a configuration may have.
  static let mostParts = 100

  /// Where a configuration file may be: in the user's base directory, then in those of the system.
  ///
  /// Without relative paths, which the XDG Base Directory Specification says to ignore.
  static func candidates(_ environment: SystemEnvironment) -> [String] {
    let variable = environment.variables["XDG_CONFIG_DIRS"] ?? ""
    let system = variable.isEmpty ? ["/etc/xdg"] : variable.split(separator: ":").map(String.init)
    let folders = [environment.path(of: .config)].compactMap { $0 } + system.filter { $0.hasPrefix("/") }
    return folders.map { FilePathText.join($0, "soundd/config.toml") }
  }

  /// The first of these configurations that may exist; parts alone are one, too.
  static func first(of paths: [String]) -> String? {
    paths.first { mayExist($0) || (try? parts(of: $0).isEmpty) != true }
  }

  /// The folder of the parts, beside the configuration's file.
  static func folder(of file: String) -> String {
    String(Substring(file.utf8.dropLast(FilePathText.name(of: file).utf8.count))) + "config.d"
  }

  /// The files of the parts, in the order of their names.
  static func parts(of file: String) throws(Failure) -> [String] {
    let folder = folder(of: file)
    guard mayExist(folder) else { return [] }
    guard let names = Folder.names(in: folder) else {
      throw Failure(.noInput, "cannot read \(folder): \(SystemError.text(errno))")
    }
    let parts = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
    if parts.count > mostParts {
      throw Failure(
        .badData, "\(folder) has \(parts.count) parts, and a configuration may have \(mostParts): join some")
    }
    return parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
  }

  /// A file that was given with `--config`, which must exist.
  static func given(_ file: String) throws(Failure) -> String {
    if mayExist(file) { return file }
    throw Failure(.noInput, "cannot read \(file): \(SystemError.text(errno))")
  }

  /// Whether there is something at a path, or this user may not look: then reading it fails with the reason (access).
  static func mayExist(_ path: String) -> Bool {
    access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// The file to read: `option`, the one given with `--config`; else the first candidate that may exist.
  static func locate(_ option: String?, environment: SystemEnvironment) throws(Failure) -> String {
    if let option { return try given(option) }
    let paths = try paths(nil, environment: environment)
    if let file = first(of: paths) { return file }
    throw Failure(.noInput, "\(missing(paths)), and --config FILE names another place")
  }

  /// Where the file may be, best first: only at `option`, the one given with `--config`, or at the candidates.
  static func paths(_ option: String?, environment: SystemEnvironment) throws(Failure) -> [String] {
    if let option { return [option] }
    let candidates = candidates(environment)
    if !candidates.isEmpty { return candidates }
    throw Failure(
      .noInput, "no place for a configuration file is known: set HOME, or give one with --config FILE")
  }

  /// What to say if there is no file at any of these paths.
  static func missing(_ paths: [String]) -> String {
    "no configuration file at \(paths.joined(separator: " or ")): 'soundd init' writes one"
  }

  /// Reads what is readable; throws only if a file cannot be read.
  static func draft(_ file: String, environment: SystemEnvironment) throws(Failure) -> ConfigurationDraft {
    ConfigurationDraft(try text(file), environment: environment)
  }

  /// The configuration as it is now.
  static func text(_ file: String) throws(Failure) -> ConfigurationText {
    var writers: [String: String] = [:]
    func read(_ path: String) throws(Failure) -> [UInt8] {
      try InputFile.contents(path, limit: limit, as: "a configuration", again: true) {
        writers[path] = FileWriters.problem(of: $0, path)
      }
    }
    var bytes = mayExist(file) ? try read(file) : nil
    let parts = try parts(of: file)
    if parts.isEmpty, bytes == nil { bytes = try read(file) }
    var text = ConfigurationText(file: file, bytes: bytes ?? [])
    var size = text.bytes.count
    for part in parts {
      let bytes = try read(part)
      size += bytes.count
      if size > limit {
        throw Failure(
          .badData, "\(file) and its parts have more than \(limit >> 20) MiB, which is too much for a configuration")
      }
      text.parts.append(ConfigurationText.Part(file: part, bytes: bytes))
    }
    text.writers = writers
    return text
  }
}

/// What the files of a configuration hold.
struct ConfigurationText: Equatable, Sendable {
  /// A file in `config.d`.
  struct Part: Equatable, Sendable {
    var file: String
    var bytes: [UInt8]
  }

  /// The name of the configuration. There may be no such file if there are parts.
  var file: String
  var bytes: [UInt8]
  /// In the order of their names.
  var parts: [Part] = []
  /// The files to which others than this user and root may write, and what to do about it.
  var writers: [String: String] = [:]

  /// The files that hold nothing.
  var emptyFiles: [String] {
    (bytes.isEmpty ? [file] : []) + parts.filter(\.bytes.isEmpty).map(\.file)
  }

  /// What it says; the failure lists all errors.
  func configuration(_ environment: SystemEnvironment) throws(Failure) -> Configuration {
    try ConfigurationDraft(self, environment: environment).checked
  }
}

extension ConfigurationDraft {
  /// The configuration. Throws all errors, if there are any.
  var checked: Configuration {
    get throws(Failure) {
      if errors.isEmpty { return configuration }
      throw Failure(.configuration, errors.map(\.description).joined(separator: "\n"))
    }
  }
}

/// Reads the files that commands name.
enum InputFile {
  /// The bytes of a regular file or a pipe, at most `limit`; `purpose` is what messages call the file.
  ///
  /// Waits a second for the writer of a named pipe. `again` says that soundd will read the file again: then a pipe is refused.
  /// `look` receives the open file.
  static func contents(
    _ file: String, limit: Int, as purpose: String, again: Bool = false, look: (Int32) -> Void = { _ in }
  ) throws(Failure) -> [UInt8] {
    let fd = try open(file, again: again)
    defer { close(fd) }
    look(fd)
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
