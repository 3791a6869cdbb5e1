import Glibc

/// A subscription to events of one folder: about which entry, and which events.
struct FolderInterest: Hashable {
  enum Kind: Hashable {
    /// The file is (or will be) here: its writes, arrival and removal.
    case content
    /// A folder on the way is missing, or is a symbolic link: its arrival, removal and replacement.
    case entry
    /// A folder on the way exists: its removal.
    case passage
    /// The folder may not be searched: its permissions.
    case permission
    /// As `content`, for every entry of the folder; the events have their names.
    case contents
    /// The arrival and removal of any entry of the folder.
    case entries
    /// A folder on the way exists: only the removal of the folder that contains it.
    ///
    /// Unlike `passage` it causes no wake-up when something beside it is removed. It misses the removal of a folder that is
    /// the working folder of a process.
    case way
  }

  /// Absolute or relative, free of symbolic links.
  var folder: String
  /// The entry's name; empty for `contents` and `entries`.
  var name: String
  var kind: Kind

  /// The inotify mask of the interest.
  var mask: UInt32 {
    let itself = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    let entries = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM
    let bits =
      switch kind {
      case .content, .contents: itself | entries | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB
      case .entry, .entries: itself | entries
      // IN_DELETE too, because a folder that is the working folder of a process sends no IN_DELETE_SELF.
      case .passage: itself | IN_DELETE
      case .permission: itself | entries | IN_ATTRIB
      case .way: itself
      }
    return UInt32(bits)
  }
}

extension FolderInterest {
  /// Compares bytes, because to the kernel two ways to encode an accented letter are two names.
  static func == (a: FolderInterest, b: FolderInterest) -> Bool {
    a.kind == b.kind && isSame(a.name, b.name) && isSame(a.folder, b.folder)
  }

  private static func isSame(_ a: String, _ b: String) -> Bool {
    var (a, b) = (a, b)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count, let start = a.baseAddress, let other = b.baseAddress else {
          return a.count == b.count
        }
        return memcmp(start, other, a.count) == 0
      }
    }
  }
}

extension FolderInterest {
  /// What a path names, and which folders on the way decide that.
  struct Plan: Equatable {
    enum Outcome: Equatable {
      /// A file, folder or anything else with this real path.
      case present(String)
      case absent
      /// It cannot be found out; the text says why.
      case blocked(String)
    }

    /// From the first step of the way to the last.
    var interests: [FolderInterest] = []
    var outcome = Outcome.absent
    /// Why soundd cannot follow the way to its end, although the kernel can; `nil` if it can.
    var problem: String?

    /// Where the file is or would be; `nil` if the way does not get that far.
    var end: String? {
      interests.last.flatMap { $0.kind == .content ? FolderInterest.join($0.folder, $0.name) : nil }
    }

    /// What to watch if the path should name a folder: the way to it and, if it exists, its entries with this kind of interest.
    func interests(ofFolder kind: Kind, entry: (String) -> Entry = FolderInterest.entry(at:)) -> [FolderInterest] {
      var folder: String?
      if case .present(let path) = outcome, entry(path) == .folder { folder = path }
      // A watched folder reports its own removal.
      var interests = interests(lastStep: folder == nil ? .entry : .passage)
      if let folder { interests.append(FolderInterest(folder: folder, name: "", kind: kind)) }
      return interests
    }

    /// The interests, with another kind where the path ends.
    func interests(lastStep kind: Kind) -> [FolderInterest] {
      var interests = interests
      if let last = interests.indices.last, interests[last].kind == .content { interests[last].kind = kind }
      return interests
    }
  }

  /// What is at a path; a symbolic link is not followed (lstat, readlink).
  enum Entry: Equatable {
    case folder
    case file
    case link(String)
    /// A link whose target is not UTF-8.
    case strangeLink
    case missing
    case failed(Int32)
  }

  /// Follows `path` as the kernel does, and calls `entry` for each step.
  static func plan(for path: String, entry: (String) -> Entry = entry(at:)) -> Plan {
    var plan = Plan()
    var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    // The steps that remain, the next one last.
    var steps = Self.steps(path)
    var links = 0
    while let name = steps.popLast() {
      if name == ".." {
        folder = parent(of: folder)
        if steps.isEmpty { break }
        continue
      }
      let here = join(folder, name)
      switch entry(here) {
      case .folder where !steps.isEmpty:
        // If the way leaves the folder again at once, no watch in it reports its removal.
        let kind = steps.last == ".." ? Kind.entry : .passage
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: kind))
        folder = here
      case .folder, .file:
        if steps.isEmpty {
          plan.interests.append(FolderInterest(folder: folder, name: name, kind: .content))
          plan.outcome = .present(here)
        } else {
          // A file where a folder should be: it may be replaced by one.
          plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        }
        return plan
      case .link(let target):
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        links += 1
        if links > 40 {
          plan.outcome = .blocked(SystemError.text(ELOOP))
          return plan
        }
        if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
        steps += Self.steps(target)
      case .strangeLink:
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        plan.outcome = .present(path)
        plan.problem = "\(here) is a link to a path that is not UTF-8"
        return plan
      case .missing:
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: steps.isEmpty ? .content : .entry))
        return plan
      case .failed(let code):
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .permission))
        plan.outcome = .blocked(SystemError.text(code))
        return plan
      }
    }
    // The way ended in a folder: `/`, `.` or `..`.
    plan.outcome = .present(folder)
    return plan
  }

  /// What is at a path (lstat, readlink).
  static func entry(at path: String) -> Entry {
    var status = stat()
    if lstat(path, &status) < 0 {
      return errno == ENOENT || errno == ENOTDIR ? .missing : .failed(errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK:
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return .failed(ENOMEM) }
        let count = readlink(path, start, buffer.count)
        if count < 0 { return errno == ENOENT ? .missing : .failed(errno) }
        let bytes = buffer[..<count].lazy.map { UInt8(bitPattern: $0) }
        guard let target = String(validating: bytes, as: UTF8.self) else { return .strangeLink }
        return .link(target)
      }
    default: return .file
    }
  }

  /// The parts of a path, the last one first.
  private static func steps(_ path: String) -> [String] {
    // By bytes, because a slash and an accent after it make one Character.
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : folder + "/" + name
  }

  /// The folder above. The path has no links in it, so this is the path without its last part.
  private static func parent(of folder: String) -> String {
    if folder == "." || folder.hasSuffix("/..") { return folder + "/.." }
    guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == folder.startIndex ? "/" : String(folder[..<slash])
  }
}
