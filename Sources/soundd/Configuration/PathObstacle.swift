import Glibc
import SoundTrigger

extension Configuration {
  /// What is valid and can never sound: what the file itself shows, and paths at which nothing can be seen now (access).
  ///
  /// `file` is the configuration's name. In the order of the file. `withNearNames`: also names what may be meant by a missing
  /// file or folder. `unavailable` says which paths must not be touched.
  func warnings(
    file: String, withNearNames: Bool = false, unavailable: (String) -> PathObstacle? = { _ in nil }
  ) -> [Warning] {
    var obstacles = PathObstacles()
    let paths = withNearNames ? watchedPaths : []
    return warnings(file: file) { _, path, aspect in
      if let obstacle = unavailable(path) { return ("\(obstacle)", nil) }
      if let obstacle = obstacles.obstacle(to: path, aspect) {
        let near = withNearNames ? obstacle.missingFolder.flatMap { obstacles.nearName(to: $0, notAmong: paths) } : nil
        return ("\(obstacle)", near)
      }
      guard withNearNames, aspect == .content || aspect == .lines,
        let near = obstacles.nearName(to: path, notAmong: paths)
      else { return nil }
      return ("\(path) does not exist yet", near)
    }
  }

  /// The same for obstacles that were found before. Touches no file.
  func warnings(file: String, _ obstacles: [ValueName: PathObstacle]) -> [Warning] {
    warnings(file: file) { name, _, _ in obstacles[name].map { ("\($0)", nil) } }
  }

  private func warnings(
    file: String, look: (ValueName, _ path: String, FileAspect) -> (message: String, near: String?)?
  ) -> [Warning] {
    var warnings = ownWarnings
    for value in values {
      guard case .file(let path, _, let aspect) = value.source, let place = pathPlaces[value.name],
        let (message, near) = look(value.name, path, aspect)
      else { continue }
      let key = ConfigurationPath.top.key("value").key(value.name.description).key(aspect.rawValue).description
      warnings.append(
        Warning(.path, ConfigurationMessage(file: file, place: place, key: key, message: message, suggestion: near)))
    }
    return warnings.sorted { $0.isBefore($1) }
  }

  private var watchedPaths: Set<String> {
    Set(values.compactMap { if case .file(let path, _, _) = $0.source { path } else { nil } })
  }
}

/// Why nothing can be seen at a path.
struct PathObstacle: Equatable, CustomStringConvertible {
  var problem: String
  /// What to do about it.
  var remedy: String
  /// Whether there is something that cannot be read, so that it does not help to wait.
  var isThere = false
  /// The first folder on the way that is missing.
  var missingFolder: String?

  var description: String { "\(problem): \(remedy)" }
}

/// Finds out why nothing can be seen at a path. Asks once for each folder, because many values may share one.
struct PathObstacles {
  /// How many folders are searched for names; the configuration of a program may name thousands of missing files.
  private static let mostSearches = 20
  /// Names are not compared in a folder with more of them, because that takes seconds.
  private static let mostNames = 1000

  private var folders: [String: PathObstacle?] = [:]
  private var searches = 0

  /// Why a value gets no content from an absolute path, and what to do about it.
  ///
  /// `nil` if it does, and also if a file is missing in a folder that is there: it may come.
  mutating func obstacle(to path: String, _ aspect: FileAspect) -> PathObstacle? {
    let folder = aspect == .count ? path : FilePathText.folder(of: path)
    let known = folders[folder]
    let obstacle = known ?? Self.obstacle(inFolder: folder)
    if known == nil { folders[folder] = obstacle }
    if let obstacle { return obstacle }
    switch aspect {
    case .exists: return nil
    case .count, .content, .lines, .fifo:
      if access(path, R_OK) == 0 { return Self.wrongKind(path, aspect) }
      return errno == EACCES ? Self.denied("read", path, S_IRGRP) : nil
    }
  }

  /// The name of a file or folder that may be meant by a missing one in the same folder.
  ///
  /// It is none of the `paths`, which have values of their own, no backup, such as `status~` and `log.1`, and no relative, such
  /// as `disk2` beside `disk1` and `report.csv` beside `report.txt`.
  mutating func nearName(to path: String, notAmong paths: Set<String>) -> String? {
    let (folder, name) = (FilePathText.folder(of: path), FilePathText.name(of: path))
    // Any two short names are near to each other.
    if name.count < 4 || searches == Self.mostSearches || access(path, F_OK) == 0 { return nil }
    searches += 1
    func stem(_ name: String) -> String {
      let dot = name.lastIndex(of: ".") ?? name.endIndex
      return (dot == name.startIndex ? name[...] : name[..<dot]).filter { !$0.isNumber }
    }
    func isRelative(_ other: String) -> Bool {
      other.hasPrefix(".") != name.hasPrefix(".") || stem(other) == stem(name)
        || other.hasPrefix(name) && !other.dropFirst(name.count).contains(where: \.isLetter)
    }
    guard let names = Folder.names(in: folder), names.count <= Self.mostNames else { return nil }
    let candidates = names.filter {
      !isRelative($0) && !paths.contains(FilePathText.join(folder, $0))
    }
    return Suggestion.nearest(to: name, among: candidates.sorted())
  }

  /// The first folder on the way that is missing, or may not be searched.
  private static func obstacle(inFolder folder: String) -> PathObstacle? {
    if access(folder + "/", X_OK) == 0 { return nil }
    var (above, step) = ("/", "")
    for part in folder.split(separator: "/") {
      step += "/\(part)"
      var status = stat()
      if stat(step, &status) != 0 {
        if errno != ENOENT {
          return PathObstacle(problem: "\(step): \(SystemError.text(errno))", remedy: "correct the path")
        }
        // Nobody makes folders in /sys.
        let mayBeMade = access(above, W_OK) == 0 && !["sys", "proc"].contains(folder.split(separator: "/").first)
        let remedy = mayBeMade ? "create it (mkdir -p \(Excerpt.shellWord(folder))), or correct the path" : nil
        return PathObstacle(
          problem: "the folder \(folder) does not exist", remedy: remedy ?? "correct the path, unless it comes later",
          missingFolder: step)
      }
      above = step
      if status.st_mode & S_IFMT != S_IFDIR {
        return PathObstacle(problem: "\(step) is no folder", remedy: "correct the path")
      }
      if access(step, X_OK) != 0 { return denied("search the folder", step, S_IXGRP) }
    }
    return nil
  }

  /// What is there, if it is not what the key wants, as the feeder says it (stat).
  private static func wrongKind(_ path: String, _ aspect: FileAspect) -> PathObstacle? {
    var status = stat()
    if stat(path, &status) != 0 { return nil }
    let objection: (problem: String, remedy: String)? =
      switch aspect {
      case .content, .lines: FileReading.objection(to: status, at: path)
      case .fifo: NamedPipe.objection(to: status, at: path)
      case .count, .exists: nil
      }
    return objection.map { PathObstacle(problem: $0.problem, remedy: $0.remedy, isThere: true) }
  }

  /// `bit` is the permission that the group would need.
  private static func denied(_ verb: String, _ path: String, _ bit: mode_t) -> PathObstacle {
    var obstacle = PathObstacle(
      problem: "this user may not \(verb) \(path)", remedy: "to see who may: ls -ld \(Excerpt.shellWord(path))",
      isThere: true)
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & bit != 0, let group = getgrgid(status.st_gid),
      let user = getpwuid(geteuid())
    {
      let (groupName, userName) = (String(cString: group.pointee.gr_name), String(cString: user.pointee.pw_name))
      obstacle.remedy = "the group \(groupName) may (sudo usermod -aG \(groupName) \(userName), then log in again)"
    }
    return obstacle
  }
}
