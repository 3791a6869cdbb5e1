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
    a.kind == b.kind && a.name.hasSameBytes(as: b.name) && a.folder.hasSameBytes(as: b.folder)
  }
}

extension String {
  /// Two texts that look the same are equal, but may have different bytes.
  func hasSameBytes(as other: String) -> Bool {
    var (text, other) = (self, other)
    return text.withUTF8 { bytes in other.withUTF8 { bytes.elementsEqual($0) } }
  }
}

extension FolderInterest {
  /// What a path names, and which folders on the way decide that.
  struct Plan: Equatable {
    /// From the first step of the way to the last.
    var interests: [FolderInterest] = []
    /// The real path of what is there; `nil` if nothing is there, or if it cannot be found out.
    var target: String?
    /// Why soundd cannot follow the way to its end, although the kernel can; `nil` if it can.
    var problem: String?
    /// The points of the foreign mounts that the way leads over, if another file thread must follow it.
    var elsewhere: Set<String>?

    /// Where the file is or would be; `nil` if the way does not get that far.
    var end: String? {
      interests.last.flatMap { $0.kind == .content ? FolderInterest.join($0.folder, $0.name) : nil }
    }

    /// The interests with other kinds: `last` where the path ends and `way` for the folders that lead there.
    ///
    /// With `inFolder`, if the path names a folder, the entries of that folder are watched. It reports its own removal.
    func interests(last: Kind, inFolder: Kind? = nil, way: Kind = .passage) -> [FolderInterest] {
      let folder = inFolder == nil || target.map(FolderInterest.entry(at:)) != .folder ? nil : target
      var interests = interests.map { interest in
        var interest = interest
        switch interest.kind {
        case .content: interest.kind = folder == nil ? last : way
        case .passage: interest.kind = way
        default: break
        }
        return interest
      }
      if let folder, let inFolder { interests.append(FolderInterest(folder: folder, name: "", kind: inFolder)) }
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
    /// On a mount that this thread must not touch.
    case elsewhere
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
          plan.target = here
        } else {
          // A file where a folder should be: it may be replaced by one.
          plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        }
        return plan
      case .link(let target):
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        links += 1
        // The kernel's limit (ELOOP).
        if links > 40 { return plan }
        if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
        steps += Self.steps(target)
      case .strangeLink:
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .entry))
        plan.target = path
        plan.problem = "\(here) is a link to a path that is not UTF-8"
        return plan
      case .missing:
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: steps.isEmpty ? .content : .entry))
        return plan
      case .failed:
        plan.interests.append(FolderInterest(folder: folder, name: name, kind: .permission))
        return plan
      case .elsewhere: return plan
      }
    }
    // The way ended in a folder: `/`, `.` or `..`.
    plan.target = folder
    return plan
  }

  /// What is at a path (lstat, readlink).
  static func entry(at path: String) -> Entry {
    var status = stat()
    if path.withCString({ lstat($0, &status) }) < 0 {
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
