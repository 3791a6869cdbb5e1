import Glibc

/// What a source wants to hear about one folder: an entry of it, and what may befall that entry or the folder.
struct FolderInterest: Hashable {
  enum Kind: Hashable {
    /// The file is (or will be) here: its content, coming and going.
    case content
    /// A folder on the way is missing, or is a symbolic link: its coming, going and replacement.
    case entry
    /// A folder on the way exists: its going.
    case passage
    /// The folder may not be searched: its permissions.
    case permission
    /// Every entry of the folder, as `content` is about one: the events name them.
    case contents
    /// Every entry of the folder: its coming and going alone.
    case entries
    /// A folder on the way exists: what befalls the folder it lies in, and nothing else of that.
    ///
    /// Unlike `passage` it costs no wake-up when something else is removed beside it, and does not notice that the folder is
    /// removed while somebody has it for a working directory.
    case way
  }

  /// Absolute or relative, free of symbolic links.
  var folder: String
  /// The entry's name; of `contents` and `entries`, empty.
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
      // IN_DELETE too: a folder that somebody has for a working directory sends no IN_DELETE_SELF when it is removed.
      case .passage: itself | IN_DELETE
      case .permission: itself | entries | IN_ATTRIB
      case .way: itself
      }
    return UInt32(bits)
  }
}

extension FolderInterest {
  /// Byte by byte: to the kernel, two ways to write an accented letter are two names.
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
  /// What a path names, one step of the way at a time, and which folders decide it.
  struct Plan: Equatable {
    enum Outcome: Equatable {
      /// A file (or whatever else is no folder, or a folder) with this real path.
      case present(String)
      case absent
      /// It cannot be told; the text says why.
      case blocked(String)
    }

    /// In the order of the way.
    var interests: [FolderInterest]
    var outcome: Outcome
    /// Why the way cannot be followed to its end, although the kernel may.
    var problem: String?

    /// Where the file is or would be, if the way gets that far.
    var end: String? {
      interests.last.flatMap { $0.kind == .content ? FolderInterest.join($0.folder, $0.name) : nil }
    }
  }

  /// What lies at a path, not following a symbolic link (lstat, readlink).
  enum Entry: Equatable {
    case folder
    case file
    case link(String)
    /// A link whose target is not UTF-8.
    case strangeLink
    case missing
    case failed(Int32)
  }

  /// Follows `path` as the kernel would, asking `look` about every step.
  static func plan(for path: String, look: (String) -> Entry) -> Plan {
    var plan = Plan(interests: [], outcome: .absent)
    var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    // The steps still to go, the next one last.
    var steps = Self.steps(path)
    var links = 0
    while let name = steps.popLast() {
      if name == ".." {
        folder = parent(of: folder)
        if steps.isEmpty { break }
        continue
      }
      let here = join(folder, name)
      switch look(here) {
      case .folder where !steps.isEmpty:
        // From one that is left again at once, nothing is watched that would tell itself when it goes.
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

  /// Looks at a path with lstat and readlink.
  static func look(_ path: String) -> Entry {
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
    // By bytes: to a Character, an accent after a slash is a part of it.
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : folder + "/" + name
  }

  /// The folder has no links in it, so its parent is its text without the last part.
  private static func parent(of folder: String) -> String {
    if folder == "." || folder.hasSuffix("/..") { return folder + "/.." }
    guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == folder.startIndex ? "/" : String(folder[..<slash])
  }
}
