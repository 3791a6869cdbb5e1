import Glibc

/// Something to watch for in one folder. The folder's own removal, and that of every folder above it, is always watched for.
struct FolderInterest: Equatable {
  enum Kind {
    /// The thing itself is (or will be) this entry.
    case thing
    /// This entry decides where the way leads: a link, or a folder that is missing or closed to us.
    case way
    /// Any entry of the folder.
    case entries
  }

  /// Absolute and free of symbolic links.
  var folder: ExactText
  /// The entry's name; empty for `entries`.
  var name: ExactText
  var kind: Kind
  /// Whether writes count, too, not only arrivals, removals and permissions.
  var includesWrites = false
  /// Whether the folder's removal is noticed even while it is the working folder of a process. Then every removal beside it wakes
  /// soundd up.
  var isThorough = true

  init(_ folder: String, _ name: String, _ kind: Kind, includesWrites: Bool = false) {
    (self.folder, self.name) = (ExactText(folder), ExactText(name))
    (self.kind, self.includesWrites) = (kind, includesWrites)
  }

  /// The inotify events about entries that it needs.
  var mask: UInt32 {
    let arrivals = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM
    if includesWrites { return UInt32(arrivals | IN_ATTRIB | IN_CLOSE_WRITE | IN_MODIFY) }
    return UInt32(kind == .entries ? arrivals : arrivals | IN_ATTRIB)
  }
}

/// A path or a name. It is compared by its bytes, because to the kernel two ways to encode an accented letter are two names.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ExactText, b: ExactText) -> Bool {
    var (a, b) = (a.text, b.text)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count, let first = a.baseAddress, let other = b.baseAddress else {
          return a.count == b.count
        }
        return memcmp(first, other, a.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// What a path names, and which folders on the way decide that.
struct PathPlan: Equatable {
  /// From the first step of the way to the last.
  var interests: [FolderInterest] = []
  /// The real path of what is there; `nil` if nothing is there, or if it cannot be found out.
  var target: String?
  var isFolder = false
  /// Why changes of the path may go unnoticed; `nil` if they do not.
  var problem: String?
  /// The points of the foreign mounts that the way leads over, if another file thread must follow it.
  var elsewhere: Set<String>?

  /// Where the thing is or would be; `nil` if the way does not get that far.
  var end: String? {
    interests.last.flatMap { $0.kind == .thing ? Self.join($0.folder.text, $0.name.text) : nil }
  }

  /// What is at a path; a symbolic link is not followed (lstat, readlink).
  enum Entry: Equatable {
    case folder
    case file
    /// `nil`: its target is not UTF-8.
    case link(String?)
    case missing
    /// A folder on the way may not be searched.
    case closed
    /// On a mount that this thread must not touch.
    case elsewhere
  }

  init() {}

  /// Follows an absolute path as the kernel does, and calls `entry` for each step.
  init(_ path: String, entry: (String) -> Entry = entry(at:)) {
    var folder = "/"
    // The steps that remain, the next one last.
    var steps = Self.steps(path)
    var links = 0
    while let name = steps.popLast() {
      if name == ".." {
        folder = FilePathText.folder(of: folder)
        continue
      }
      let here = Self.join(folder, name)
      let entry = entry(here)
      switch entry {
      case .folder where !steps.isEmpty:
        // If the way leaves the folder again at once, no watch in it reports its removal.
        if steps.last == ".." { interests.append(FolderInterest(folder, name, .way)) }
        folder = here
      case .link(let next):
        interests.append(FolderInterest(folder, name, .way))
        guard let next else {
          target = path
          problem = "\(here) is a link to a path that is not UTF-8"
          return
        }
        links += 1
        // The kernel's limit (ELOOP).
        if links > 40 { return }
        if next.utf8.first == UInt8(ascii: "/") { folder = "/" }
        steps += Self.steps(next)
      case .folder, .file, .missing:
        // A file where a folder should be may be replaced by one.
        interests.append(FolderInterest(folder, name, steps.isEmpty ? .thing : .way, includesWrites: steps.isEmpty))
        if entry == .missing || !steps.isEmpty { return }
        target = here
        isFolder = entry == .folder
        return
      case .closed:
        interests.append(FolderInterest(folder, name, .way))
        return
      case .elsewhere: return
      }
    }
    // The way ended in `/` or with `..`.
    target = folder
    isFolder = true
  }

  /// What is at a path (lstat, readlink).
  static func entry(at path: String) -> Entry {
    var status = stat()
    if path.withCString({ lstat($0, &status) }) < 0 { return errno == ENOENT || errno == ENOTDIR ? .missing : .closed }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK:
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return .closed }
        let count = readlink(path, start, buffer.count)
        if count < 0 { return errno == ENOENT ? .missing : .closed }
        let bytes = buffer[..<count].lazy.map { UInt8(bitPattern: $0) }
        return .link(String(validating: bytes, as: UTF8.self))
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
}
