import Glibc
import SoundTrigger

/// The file that holds the daemon's state; a write replaces all of it or nothing.
struct StateFile: Sendable {
  /// Absolute.
  let path: String

  var folder: String { FilePathText.folder(of: path) }
  /// Where a damaged file goes.
  private var damagedPath: String { path + ".damaged" }
  /// Every process has its own: without locks, two daemons still never write into one file.
  private var temporaryPath: String { "\(path).\(getpid()).new" }

  /// The largest file that is read as a state, in bytes: far more than the names and digests of all values need.
  private static let limit = 64 << 20

  init(path: String) { self.path = path }

  /// Where the state lies: below `$STATE_DIRECTORY` (systemd's StateDirectory=), else in `$XDG_STATE_HOME/soundd`.
  ///
  /// `nil` if the environment names none.
  init?(environment: SystemEnvironment) {
    let given = environment.variables["STATE_DIRECTORY"]?.split(separator: ":").first { $0.hasPrefix("/") }
    let usual = environment.path(of: .state).map { FilePathText.join($0, "soundd") }
    guard let folder = given.map(String.init) ?? usual else { return nil }
    path = FilePathText.join(folder, "state")
  }

  /// The file that the daemon locks which saves the state.
  var lockPath: String { FilePathText.join(folder, "state.lock") }

  /// The copies of good configurations, or `nil` if their file system does not answer.
  func copies(_ mounts: AnsweringMounts) -> GoodConfigurations? {
    mounts.problem(of: folder) == nil ? GoodConfigurations(in: folder) : nil
  }

  /// What `soundd report` counts, beside the state.
  var report: StateFile { StateFile(path: FilePathText.join(folder, "report")) }

  /// Whether its folder may be written in or, where it is missing, be made; makes nothing.
  var mayBeWritten: Bool {
    let existing = missingFolders.last.map { FilePathText.folder(of: $0) } ?? folder
    var status = stat()
    return stat(existing, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(existing, W_OK | X_OK) == 0
  }

  /// What was written last; `nil` if there is no file.
  ///
  /// Throws `badData` if something else has its path, and `noInput` if it cannot be read now.
  func read() throws(Failure) -> [UInt8]? {
    var status = stat()
    if stat(path, &status) < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
    } else if status.st_mode & S_IFMT != S_IFREG {
      throw Failure(.badData, "\(path) is not a regular file")
    }
    return try InputFile.contents(path, limit: Self.limit, as: "a state", again: true)
  }

  /// Renames a damaged file, over the last one that was damaged; returns its new path.
  func setAside() throws(SystemError) -> String {
    _ = try retrying("rename", path) { rename(path, damagedPath) }
    return damagedPath
  }

  /// Replaces the content; returns when it has reached the disk.
  ///
  /// Makes the folder if it is missing (0700).
  func write(_ bytes: [UInt8], mode: UInt32 = 0o600) throws(SystemError) {
    try makeFolder()
    let temporary = temporaryPath
    // An earlier process with the same number may have left one.
    unlink(temporary)
    do throws(SystemError) {
      try write(bytes, to: temporary, mode: mode)
      _ = try retrying("rename", path) { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try synchronize(folder)
  }

  /// Makes the folder if it is missing (0700), so that a power cut does not lose it.
  func makeFolder() throws(SystemError) {
    let new = missingFolders
    // The mode that the XDG Base Directory Specification demands.
    try SoundTrigger.makeFolder(folder, mode: 0o700)
    // A folder that was made is lost in a power cut as long as the one around it has not reached the disk. Now, because a later
    // attempt finds the folder made.
    for folder in new { try synchronize(FilePathText.folder(of: folder)) }
  }

  /// The folders that a write has to make, the innermost first.
  private var missingFolders: [String] {
    var missing: [String] = []
    var step = folder
    while access(step, F_OK) < 0, errno == ENOENT, step != "/" {
      missing.append(step)
      step = FilePathText.folder(of: step)
    }
    return missing
  }

  /// Removes the temporary files of processes that were killed while they wrote.
  func removeRemains() {
    let prefix = FilePathText.name(of: path) + "."
    for name in Folder.names(in: folder) ?? [] {
      guard name.hasPrefix(prefix), name.hasSuffix(".new"),
        let pid = pid_t(name.dropFirst(prefix.count).dropLast(4)), pid > 0, kill(pid, 0) < 0, errno == ESRCH
      else { continue }
      unlink(FilePathText.join(folder, name))
    }
  }

  private func write(_ bytes: [UInt8], to file: String, mode: UInt32) throws(SystemError) {
    let fd = try retrying("open", file) { open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    let descriptor = Descriptor(owning: fd)
    var done = 0
    while done < bytes.count {
      done += try retrying("write", file) {
        bytes.withUnsafeBytes { Glibc.write(descriptor.raw, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      }
    }
    if mode != 0o600 { _ = try retrying("fchmod", file) { fchmod(descriptor.raw, mode) } }
    _ = try retrying("fsync", file) { fsync(descriptor.raw) }
  }

  /// Makes the names in a folder reach the disk, too.
  private func synchronize(_ folder: String) throws(SystemError) {
    let descriptor = try Descriptor("open", folder) { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    // Some file systems cannot do that (EINVAL); they write the name together with the file.
    if fsync(descriptor.raw) < 0, errno != EINVAL { throw SystemError("fsync", folder) }
  }
}
