import Glibc

/// Tells of every change of the files in some folders, and of some files elsewhere.
///
/// The folders may be missing, appear, vanish, be replaced, or be symbolic links. While nothing happens in them (or, as
/// long as one is missing, where it would be) it costs no wake-up.
final class FileSetWatch: FolderSubscriber {
  /// What happened in one turn of the event loop.
  struct Changes: Equatable {
    struct Entry: Equatable {
      /// The path by which the file is known here.
      var path: String
      /// inotify's bits.
      var mask: UInt32
    }

    var entries: [Entry] = []
    /// Whether any file may have changed: a folder came, went or was replaced, or events were lost.
    var isEverything = false
  }

  private let watcher: FolderWatcher
  private let report: (Changes) -> Void
  private var plan = Plan()
  private var changes = Changes()

  /// Calls `report` after each turn in which something happened; it may call `watch`.
  init(watcher: FolderWatcher, report: @escaping (Changes) -> Void) {
    self.watcher = watcher
    self.report = report
  }

  deinit { watcher.remove(self) }

  /// Watches these folders and files instead of those before; also to be called again when a folder has changed.
  ///
  /// - Returns: why not all of them can be watched, if so.
  func watch(folders: [String], files: [String]) -> SystemError? {
    var problem: SystemError?
    plan = Plan(folders: folders, files: files, look: FolderInterest.look)
    // Until two looks agree with the watches set in between: what changed before was seen by the second look, what changes
    // after is reported.
    for _ in 0..<8 {
      problem = watcher.watch(plan.interests, for: self)
      let again = Plan(folders: folders, files: files, look: FolderInterest.look)
      if again == plan { break }
      plan = again
    }
    return problem
  }

  // MARK: Events

  func entryChanged(_ interest: FolderInterest, mask: UInt32) {
    switch interest.kind {
    case .contents, .entries:
      for folder in plan.folders[interest.folder] ?? [] {
        changes.entries.append(Changes.Entry(path: Plan.join(folder, interest.name), mask: mask))
      }
    case .content:
      let file = Plan.join(interest.folder, interest.name)
      for path in plan.files[file] ?? [] { changes.entries.append(Changes.Entry(path: path, mask: mask)) }
      // A link in the place of a file: what it leads to is elsewhere.
      if mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0, case .link = FolderInterest.look(file) {
        changes.isEverything = true
      }
    case .entry, .passage, .permission, .way: changes.isEverything = true
    }
  }

  func folderChanged() { changes.isEverything = true }

  func eventsLost() { changes.isEverything = true }

  func eventsEnded() {
    let changes = changes
    self.changes = Changes()
    if changes != Changes() { report(changes) }
  }
}

extension FileSetWatch {
  /// Which folders to watch, and what their events are about.
  struct Plan: Equatable {
    private(set) var interests: [FolderInterest] = []
    /// By its real path, the names under which a watched folder is known.
    private(set) var folders: [String: [String]] = [:]
    /// By its real path, the names under which a file elsewhere is known.
    private(set) var files: [String: [String]] = [:]

    init() {}

    /// Follows the paths as the kernel would, asking `look` about every step.
    init(folders: [String], files: [String], look: (String) -> FolderInterest.Entry) {
      var seen: Set<FolderInterest> = []
      for folder in folders {
        let way = FolderInterest.plan(for: folder, look: look)
        var steps = way.interests
        if case .present(let real) = way.outcome, look(real) == .folder {
          self.folders[real, default: []].append(folder)
          steps.append(FolderInterest(folder: real, name: "", kind: .contents))
        }
        add(steps, isFolder: true, &seen)
      }
      for file in files {
        let way = FolderInterest.plan(for: file, look: look)
        if let last = way.interests.last, last.kind == .content {
          self.files[Self.join(last.folder, last.name), default: []].append(file)
        }
        add(way.interests, isFolder: false, &seen)
      }
    }

    fileprivate static func join(_ folder: String, _ name: String) -> String {
      folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    private mutating func add(_ steps: [FolderInterest], isFolder: Bool, _ seen: inout Set<FolderInterest>) {
      for var step in steps {
        if step.kind == .passage { step.kind = .way }
        // Where a folder is wanted and missing, or something else is in its place.
        if step.kind == .content, isFolder {
          step.kind = folders[Self.join(step.folder, step.name)] == nil ? .entry : .way
        }
        if seen.insert(step).inserted { interests.append(step) }
      }
    }
  }
}
