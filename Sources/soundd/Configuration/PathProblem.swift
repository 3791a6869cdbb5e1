import Glibc
import SoundTrigger
import SoundWire

extension Configuration {
  /// What is valid and can never sound: what the file itself shows, and paths at which nothing can be seen now (access).
  ///
  /// `file` is the configuration's name. In the order of the files. `unavailable` says which paths must not be touched,
  /// `made` which folders are about to be made.
  func warnings(
    file: String, unavailable: (String) -> PathProblem? = { _ in nil }, made: [String] = []
  ) -> [Warning] {
    var check = PathCheck(made: made)
    return warnings(file: file) { _, path, aspect in unavailable(path) ?? check.problem(of: path, aspect) }
  }

  /// The same for problems that were found before. Touches no file.
  func warnings(file: String, _ problems: [ValueName: PathProblem]) -> [Warning] {
    warnings(file: file) { name, _, _ in problems[name] }
  }

  private func warnings(
    file: String, look: (ValueName, _ path: String, FileAspect) -> PathProblem?
  ) -> [Warning] {
    var warnings = ownWarnings
    for value in values {
      guard case .file(let path, _, let aspect) = value.source, let location = pathLocations[value.name],
        let problem = look(value.name, path, aspect)
      else { continue }
      let key = ConfigurationPath.top.key("value").key(value.name.description).key(aspect.rawValue).description
      warnings.append(
        Warning(.path, ConfigurationMessage(file: file, location: location, key: key, message: "\(problem)")))
    }
    return warnings.sorted { first, second in
      guard let position = first.position, let other = second.position else { return false }
      return position.location < other.location
    }
  }
}

/// Why nothing can be seen at a path.
struct PathProblem: Equatable, CustomStringConvertible {
  /// What is wrong.
  var finding: String
  /// What to do about it.
  var remedy: String
  /// Whether there is something that cannot be read, so that it does not help to wait.
  var isThere = false

  var description: String { "\(finding): \(remedy)" }
}

/// Finds out why nothing can be seen at a path. Asks once for each folder, because many values may share one.
struct PathCheck {
  private var folders: [String: PathProblem?]

  /// `made` are folders that count as there.
  init(made: [String] = []) { folders = Dictionary(uniqueKeysWithValues: Set(made).map { ($0, nil) }) }

  /// Why a value gets no content from an absolute path, and what to do about it.
  ///
  /// `nil` if it does, and also if a file is missing in a folder that is there: it may come.
  mutating func problem(of path: String, _ aspect: FileAspect) -> PathProblem? {
    let folder = aspect == .count ? path : FilePathText.folder(of: path)
    let known = folders[folder]
    let problem = known ?? Self.problem(ofFolder: folder)
    if known == nil { folders[folder] = problem }
    if let problem { return problem }
    switch aspect {
    case .exists: return nil
    case .count, .content, .lines, .fifo:
      if access(path, R_OK) == 0 { return Self.wrongKind(path, aspect) }
      return errno == EACCES ? Self.denied("read", path, S_IRGRP) : nil
    }
  }

  /// The first folder on the way that is missing, or may not be searched.
  private static func problem(ofFolder folder: String) -> PathProblem? {
    if access(folder + "/", X_OK) == 0 { return nil }
    var (above, step) = ("/", "")
    for part in folder.split(separator: "/") {
      step += "/\(part)"
      var status = stat()
      if stat(step, &status) != 0 {
        if errno != ENOENT {
          return PathProblem(finding: "\(step): \(SystemError.text(errno))", remedy: "correct the path")
        }
        // Nobody makes folders in /sys.
        let mayBeMade = access(above, W_OK) == 0 && !["sys", "proc"].contains(folder.split(separator: "/").first)
        let remedy = mayBeMade ? "create it (mkdir -p \(Excerpt.shellWord(folder))), or correct the path" : nil
        return PathProblem(
          finding: "the folder \(folder) does not exist", remedy: remedy ?? "correct the path, unless it comes later")
      }
      above = step
      if status.st_mode & S_IFMT != S_IFDIR {
        return PathProblem(finding: "\(step) is no folder", remedy: "correct the path")
      }
      if access(step, X_OK) != 0 { return denied("search the folder", step, S_IXGRP) }
    }
    return nil
  }

  /// What is there, if it is not what the key wants, as the feeder says it (stat).
  private static func wrongKind(_ path: String, _ aspect: FileAspect) -> PathProblem? {
    var status = stat()
    if stat(path, &status) != 0 { return nil }
    let wrong: (finding: String, remedy: String)? =
      switch aspect {
      case .content, .lines: FileReading.wrongKind(status, at: path)
      case .fifo: NamedPipe.wrongKind(status, at: path)
      case .count, .exists: nil
      }
    return wrong.map { PathProblem(finding: $0.finding, remedy: $0.remedy, isThere: true) }
  }

  /// Groups whose members can read secrets, write to raw disks or become root: nobody should join one for a sound.
  private static let powerful = ["root", "shadow", "disk", "kmem", "sudo", "wheel", "docker"]

  /// `bit` is the permission that the group would need.
  private static func denied(_ verb: String, _ path: String, _ bit: mode_t) -> PathProblem {
    var problem = PathProblem(
      finding: "this user may not \(verb) \(path)", remedy: "to see who may: ls -ld \(Excerpt.shellWord(path))",
      isThere: true)
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & bit != 0, let group = getgrgid(status.st_gid),
      let user = getpwuid(geteuid())
    {
      let (groupName, userName) = (String(cString: group.pointee.gr_name), String(cString: user.pointee.pw_name))
      if powerful.contains(groupName) { return problem }
      problem.remedy = "the group \(groupName) may (sudo usermod -aG \(groupName) \(userName), then log in again)"
    }
    return problem
  }
}
