import Glibc
import SoundTrigger

/// Is notified of events in folders. It only notes them, and calls the watcher later.
protocol FolderSubscriber: AnyObject {
  /// An event about what an interest of this kind names. `mask` holds inotify's bits.
  func entryChanged(_ kind: FolderInterest.Kind, mask: UInt32)
  /// A folder on the way is gone, has moved or has other permissions, or events were lost.
  func anythingChanged()
  /// Something was mounted or unmounted: any path may lead elsewhere now.
  func mountsChanged()
}

/// Watches folders with inotify, each with one watch for all of its subscribers.
///
/// A folder is watched together with all folders above it, so its subscribers learn when its path leads elsewhere. The cost of an event
/// depends on how many subscribers it has, not on how many others watch the folder.
final class FolderWatcher {
  private let loop: EventLoop
  /// `nil` while the system has no instance left for this user; then paths are polled.
  private var instance: Descriptor?
  /// Its descriptor; below 0 if there is none.
  private var inotify: Int32 = -1
  private var token: EventLoop.Token?
  /// The mount table, which reports that something was mounted over a folder; inotify does not. `nil` without /proc.
  private let mounts: Descriptor?
  private var mountsToken: EventLoop.Token?
  /// By path, until an event says that the path may lead elsewhere.
  private var folders: [ExactText: WatchedFolder] = [:]
  /// By watch descriptor: what the kernel reports, and the folders. Several folders share a watch if their paths lead to one
  /// folder, or until subscribers follow an outdated path again.
  private(set) var watches: [Int32: (mask: UInt32, folders: [WatchedFolder])] = [:]
  private var registrations: [ObjectIdentifier: FolderRegistration] = [:]
  private var lastNumber = 0
  /// How often a watch was added or extended, or its folder was missing. `follow` compares it.
  private var additions = 0
  /// Where paths may lead.
  let scope: MountScope
  /// Called before a path is followed or read.
  var willTouch: (_ path: String) -> Void = { _ in }
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

  /// Why a path is polled if there is no instance.
  static let noInstance = "no inotify instance is left (raise fs.inotify.max_user_instances)"

  init(on loop: EventLoop, scope: MountScope = MountScope([], table: MountTable())) {
    self.loop = loop
    self.scope = scope
    let table = Glibc.open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    mounts = table < 0 ? nil : Descriptor(owning: table)
    openInstance()
    if table >= 0 {
      // epoll reports a change as an error, once. If epoll refuses the file, mounts go unnoticed.
      mountsToken = try? loop.add(table, []) { [unowned self] _ in
        folders = [:]
        notify(registrations.values) { $0.mountsChanged() }
      }
    }
  }

  /// Opens an instance (inotify_init). It fails if the user, or the process, has none left.
  private func openInstance() {
    let fd = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if fd < 0 { return }
    let instance = Descriptor(owning: fd)
    token = try? loop.add(fd, .readable) { [unowned self] _ in read() }
    if token == nil { return }
    inotify = fd
    self.instance = consume instance
  }

  deinit {
    for token in [token, mountsToken] { if let token { loop.remove(token) } }
    buffer.deallocate()
  }

  /// The tree without events (/proc or /sys) that contains an absolute path; `nil` if neither does. Follows no links.
  static func muteTree(of path: String) -> String? {
    ["/proc", "/sys"].first { path == $0 || path.utf8.starts(with: "\($0)/".utf8) }
  }

  // MARK: Watching

  /// Follows a path for `subscriber`. Watches the folders that decide where it leads; these replace the earlier ones.
  ///
  /// `interests` chooses what is watched. The plan contains all changes before this call; the subscriber is notified of later ones,
  /// unless the plan has a problem or leads elsewhere.
  func follow(
    _ path: String, for subscriber: any FolderSubscriber,
    interests: (PathPlan) -> [FolderInterest] = \.interests
  ) -> PathPlan {
    var plan = scope.plan(for: path)
    if plan.elsewhere != nil { return plan }
    if let last = plan.target ?? plan.interests.last?.folder.text, let tree = Self.muteTree(of: last) {
      plan.problem = "\(tree) does not report changes"
      return plan
    }
    if inotify < 0 { openInstance() }
    if inotify < 0 {
      plan.problem = Self.noInstance
      return plan
    }
    // Repeats until the plan is newer than the last watch. Then no change is missed.
    var problem: String?
    for _ in 0..<8 {
      let before = additions
      problem = watch(interests(plan), for: subscriber)
      if additions == before {
        plan.problem = plan.problem ?? problem
        return plan
      }
      plan = scope.plan(for: path)
      if plan.elsewhere != nil { return plan }
    }
    // A folder that may not be watched is asked for again and again.
    plan.problem = problem ?? "the folders on its way change all the time"
    return plan
  }

  /// Replaces what `subscriber` watches. Leaves out folders that are missing.
  ///
  /// - Returns: why events are missed (no permission, no watches left); `nil` if none are.
  func watch(_ interests: [FolderInterest], for subscriber: any FolderSubscriber) -> String? {
    let registration = self.registration(for: subscriber)
    let before = registration.watched
    registration.watched = []
    var problem: SystemError?
    for (interest, folder) in before { folder.remove(registration, interest) }
    for interest in interests {
      guard let folder = open(interest.folder, interest.mask, interest.isThorough, &problem) else { continue }
      folder.add(registration, interest)
      registration.watched.append((interest, folder))
    }
    // Last, so that a folder that is still needed misses nothing.
    for (_, folder) in before { release(folder) }
    return problem.map { problem in
      problem.code == ENOSPC
        ? "watch \(problem.subject): no inotify watch is left (raise fs.inotify.max_user_watches)" : problem.description
    }
  }

  /// Ends all that `subscriber` watches; it is not notified again.
  func remove(_ subscriber: any FolderSubscriber) {
    guard let registration = registrations.removeValue(forKey: ObjectIdentifier(subscriber)) else { return }
    for (interest, folder) in registration.watched {
      folder.remove(registration, interest)
      release(folder)
    }
  }

  private func registration(for subscriber: any FolderSubscriber) -> FolderRegistration {
    if let known = registrations[ObjectIdentifier(subscriber)] { return known }
    lastNumber += 1
    let registration = FolderRegistration(subscriber, number: lastNumber)
    registrations[ObjectIdentifier(subscriber)] = registration
    return registration
  }

  /// Watches the folder at a real path for these events and its own removal, and counts a use of it. `nil` if the folder is
  /// missing or cannot be watched.
  ///
  /// `problem` is set to the first error because of which events are missed, there or in a folder above.
  private func open(
    _ path: ExactText, _ events: UInt32, _ isThorough: Bool, _ problem: inout SystemError?
  ) -> WatchedFolder? {
    let known = folders[path]
    let mask = WatchedFolder.removal | events
    if let known, known.isRooted, !isThorough || known.parent?.reportsRemovals != false,
      let watch = watches[known.descriptor], watch.mask & mask == mask
    {
      known.uses += 1
      return known
    }
    let above = path.text == "/" ? nil : ExactText(FilePathText.folder(of: path.text))
    let parent = above.flatMap { open($0, isThorough ? WatchedFolder.removalBelow : 0, false, &problem) }
    if isThorough { parent?.reportsRemovals = true }
    // Extended, not replaced: other subscribers of this folder must not miss anything in between.
    let descriptor = inotify_add_watch(inotify, path.text, mask | UInt32(IN_MASK_ADD))
    if descriptor < 0 {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      if isMissing { additions += 1 } else { problem = problem ?? SystemError("watch", path.text) }
      if let parent { release(parent) }
      return nil
    }
    let before = watches[descriptor]?.mask ?? 0
    if before | mask != before { additions += 1 }
    watches[descriptor, default: (0, [])].mask = before | mask
    if let known, known.descriptor == descriptor, known.parent === parent {
      parent?.uses -= 1
      known.uses += 1
      return known
    }
    // The path leads to another folder than before.
    if let known { forget(known) }
    let folder = WatchedFolder(path, descriptor, parent: parent)
    folders[path] = folder
    watches[descriptor]?.folders.append(folder)
    return folder
  }

  /// Ends a use of the folder. Removes the watch with its last use; otherwise the kernel reports only what is still needed.
  private func release(_ folder: WatchedFolder) {
    folder.uses -= 1
    if folder.uses == 0 {
      if folders[folder.path] === folder { folders[folder.path] = nil }
      watches[folder.descriptor]?.folders.removeAll { $0 === folder }
    }
    trim(folder.descriptor)
    if folder.uses == 0, let parent = folder.parent { release(parent) }
  }

  private func trim(_ descriptor: Int32) {
    guard let watch = watches[descriptor] else { return }
    guard let path = watch.folders.first?.path.text else {
      watches[descriptor] = nil
      inotify_rm_watch(inotify, descriptor)
      return
    }
    let mask = watch.folders.reduce(0) { $0 | $1.mask }
    if mask == watch.mask { return }
    // Extends first: if the path leads to another folder now, replacing would overwrite the mask of that one.
    let found = inotify_add_watch(inotify, path, mask | UInt32(IN_MASK_ADD))
    if found == descriptor {
      inotify_add_watch(inotify, path, mask)
      watches[descriptor]?.mask = mask
    } else if found >= 0, watches[found] == nil {
      inotify_rm_watch(inotify, found)
    }
  }

  // MARK: Events

  private func read() {
    let count = Glibc.read(inotify, buffer.baseAddress, buffer.count)
    if count <= 0 { return }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    var offset = 0
    let header = MemoryLayout<inotify_event>.size
    while offset + header <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let end = min(bytes.count, offset + header + Int(event.len))
      // The name is padded with zeros.
      handle(event, String(decoding: bytes[offset + header..<end].prefix { $0 != 0 }, as: UTF8.self))
      offset = end
    }
  }

  private func handle(_ event: inotify_event, _ name: String) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      folders = [:]
      return notify(registrations.values) { $0.anythingChanged() }
    }
    // Unknown if the watch was removed after the kernel queued the event.
    guard let watch = watches[event.wd] else { return }
    if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.wd] = nil }
    if event.len > 0 { return entryChanged(event.mask, ExactText(name), in: watch.folders) }
    if event.mask & UInt32(IN_ATTRIB) != 0 {
      // A folder's permissions matter only to those who watch something in it.
      return notify(watch.folders.flatMap(\.registrations)) { $0.anythingChanged() }
    }
    for folder in watch.folders { forget(folder) }
  }

  private func entryChanged(_ mask: UInt32, _ name: ExactText, in folders: [WatchedFolder]) {
    for folder in folders {
      folder.notify(name, mask)
      if mask & UInt32(IN_ISDIR) != 0, mask & UInt32(IN_DELETE) != 0,
        let removed = self.folders[ExactText(FilePathText.join(folder.path.text, name.text))]
      {
        forget(removed)
      }
    }
  }

  /// Forgets a folder and those below it, because their paths may lead elsewhere now. Notifies their subscribers.
  private func forget(_ folder: WatchedFolder) {
    let path = folder.path.text
    let below = path == "/" ? path : path + "/"
    var left = folder.registrations
    for (key, other) in folders where other === folder || key.text.hasPrefix(below) {
      left += other.registrations
      folders[key] = nil
    }
    notify(left) { $0.anythingChanged() }
  }

  /// Subscribers are notified in the order in which they were registered, each once.
  private func notify(_ registrations: some Sequence<FolderRegistration>, _ body: (any FolderSubscriber) -> Void) {
    var last = 0
    for registration in registrations.sorted(by: { $0.number < $1.number }) where registration.number != last {
      last = registration.number
      body(registration.subscriber)
    }
  }
}
