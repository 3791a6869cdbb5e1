import Glibc
import SoundTrigger

/// Is notified of events in folders. It only notes them, and calls the watcher later.
protocol FolderSubscriber: AnyObject {
  /// An event about the entry that `interest` names; for `contents` it has the entry's name. `mask` holds inotify's bits.
  func entryChanged(_ interest: FolderInterest, mask: UInt32)
  /// A watched folder is gone, has moved or has other permissions, or events were lost.
  func anythingChanged()
  /// Something was mounted or unmounted: any path may lead elsewhere now.
  func mountsChanged()
}

/// Watches folders with inotify, each with one watch for all of its subscribers.
///
/// The cost of an event depends on how many subscribers it has, not on how many others watch the folder.
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
  /// By watch descriptor. The kernel has one per inode, so two paths to one folder share it.
  private(set) var watches: [Int32: Watch] = [:]
  private var registrations: [ObjectIdentifier: Registration] = [:]
  /// How many registrations there have been.
  private var registrationCount = 0
  /// How often a watch was added or extended.
  private var additions = 0
  /// How often `firstPoll` was called.
  private var pollers = 0
  /// Where paths may lead; `nil`: anywhere.
  let scope: MountScope?
  /// Called before a path is followed or read.
  var willTouch: (_ path: String) -> Void = { _ in }
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

  /// Why a path is polled if there is no instance.
  static let noInstance = "no inotify instance is left (raise fs.inotify.max_user_instances)"

  init(on loop: EventLoop, scope: MountScope? = nil) {
    self.loop = loop
    self.scope = scope
    let table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    mounts = table < 0 ? nil : Descriptor(owning: table)
    openInstance()
    if table >= 0 {
      // epoll reports a change as an error, once. If epoll refuses the file, mounts go unnoticed.
      mountsToken = try? loop.add(table, []) { [unowned self] _ in
        notifyAll { $0.mountsChanged() }
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

  // MARK: Polling

  /// When one more poller polls first. The first 64 poll together, so that they wake the machine once; further ones are
  /// spread over the interval.
  func firstPoll(every interval: Duration) -> Instant {
    defer { pollers += 1 }
    return loop.now.advanced(by: interval - interval / 64 * (pollers / 64 % 64))
  }

  /// When to poll next after a poll that was due at `last`. If that one was late, polls in between are skipped.
  func nextPoll(after last: Instant, every interval: Duration) -> Instant {
    let late = max(0, last.duration(to: loop.now).nanoseconds)
    return loop.now.advanced(by: interval - .nanoseconds(late % max(1, interval.nanoseconds)))
  }

  // MARK: Watching

  /// Follows a path for `subscriber`, and watches the folders on the way instead of those before.
  ///
  /// `interests` may change what is watched on the way. The plan contains all changes before this call; the subscriber is
  /// notified of later ones.
  ///
  /// - Returns: the plan of the way, and why not all of it can be watched; `nil` if it is.
  func follow(
    _ path: String, for subscriber: any FolderSubscriber,
    interests: (FolderInterest.Plan) -> [FolderInterest] = \.interests
  ) -> (plan: FolderInterest.Plan, problem: String?) {
    var plan = plan(for: path)
    if plan.elsewhere != nil { return (plan, nil) }
    if inotify < 0 { openInstance() }
    if inotify < 0 { return (plan, Self.noInstance) }
    var wanted = interests(plan)
    var problem: SystemError?
    // Until the plan is the same after the watches were added: then no change is missed.
    for _ in 0..<8 {
      let before = additions
      problem = watch(wanted, for: subscriber)
      if additions == before { break }
      plan = self.plan(for: path)
      if plan.elsewhere != nil { break }
      let again = interests(plan)
      if again == wanted { break }
      wanted = again
    }
    return (plan, plan.problem ?? problem.map(Self.text) ?? Self.muteProblem(plan))
  }

  private func plan(for path: String) -> FolderInterest.Plan {
    scope?.plan(for: path) ?? FolderInterest.plan(for: path)
  }

  /// The foreign mounts that a path leads over, if it leads out of the scope; `nil` if it does not.
  func elsewhere(_ path: String) -> Set<String>? { scope?.plan(for: path).elsewhere }

  /// How often to look at a path that is watched, because inotify is mute about what other machines do; `nil`: never.
  var poll: Duration? { scope?.mounts.isEmpty == false ? Self.foreignPoll : nil }

  private static let foreignPoll = Duration.seconds(2)

  /// Why a path has no events: a link on the way may lead to files whose content the kernel generates.
  private static func muteProblem(_ plan: FolderInterest.Plan) -> String? {
    guard let last = plan.interests.last else { return nil }
    let path = last.folder == "/" ? "/\(last.name)" : last.folder
    return muteTree(of: path).map { "\($0) does not report changes" }
  }

  /// The tree without events that an absolute path is in; links are not followed.
  static func muteTree(of path: String) -> String? {
    ["/proc", "/sys"].first { path == $0 || path.utf8.starts(with: "\($0)/".utf8) }
  }

  private static func text(_ problem: SystemError) -> String {
    if problem.code != ENOSPC { return problem.description }
    return "watch \(problem.subject): no inotify watch is left (raise fs.inotify.max_user_watches)"
  }

  /// Replaces what `subscriber` watches. Leaves out folders that are missing.
  ///
  /// - Returns: the first error because of which events are missed (no permission, no watches left); `nil` if there is none.
  func watch(_ interests: [FolderInterest], for subscriber: any FolderSubscriber) -> SystemError? {
    if inotify < 0 { return nil }
    var problem: SystemError?
    let registration = registration(for: subscriber)
    let before = registration.descriptors
    registration.descriptors = [:]
    for interest in interests {
      // Extended, not replaced: other subscribers of this folder must not miss anything in between.
      let mask = interest.mask | UInt32(IN_MASK_ADD)
      let descriptor = inotify_add_watch(inotify, interest.folder, mask)
      if descriptor >= 0 {
        let watch = watches[descriptor] ?? Watch()
        watches[descriptor] = watch
        if watch.mask | interest.mask != watch.mask { additions += 1 }
        watch.add(registration, interest)
        registration.descriptors[interest] = descriptor
      } else {
        additions += 1
        if errno != ENOENT, errno != ENOTDIR { problem = problem ?? SystemError("watch", interest.folder) }
      }
    }
    for (interest, descriptor) in before where registration.descriptors[interest] != descriptor {
      watches[descriptor]?.remove(registration, interest)
    }
    for descriptor in Set(before.values).union(registration.descriptors.values) { trim(descriptor) }
    return problem
  }

  /// Ends all that `subscriber` watches; it is not notified again.
  func remove(_ subscriber: any FolderSubscriber) {
    guard let registration = registrations.removeValue(forKey: ObjectIdentifier(subscriber)) else { return }
    for (interest, descriptor) in registration.descriptors {
      watches[descriptor]?.remove(registration, interest)
      trim(descriptor)
    }
  }

  private func registration(for subscriber: any FolderSubscriber) -> Registration {
    if let known = registrations[ObjectIdentifier(subscriber)] { return known }
    let registration = Registration(subscriber, number: registrationCount)
    registrationCount += 1
    registrations[ObjectIdentifier(subscriber)] = registration
    return registration
  }

  /// Reduces the kernel's mask to what subscribers still need.
  private func trim(_ descriptor: Int32) {
    guard let watch = watches[descriptor] else { return }
    let mask = watch.wantedMask
    if mask == 0 {
      watches[descriptor] = nil
      inotify_rm_watch(inotify, descriptor)
    }
    if mask == 0 || mask == watch.mask { return }
    // First as an extension, which does no harm if the path leads to another folder now.
    var found = inotify_add_watch(inotify, watch.folder, mask | UInt32(IN_MASK_ADD))
    if found == descriptor { found = inotify_add_watch(inotify, watch.folder, mask) }
    if found == descriptor {
      watch.mask = mask
    } else if found >= 0 {
      // The event that the old folder has sent makes its subscribers follow their paths again.
      if let other = watches[found] {
        _ = inotify_add_watch(inotify, watch.folder, other.mask | UInt32(IN_MASK_ADD))
      } else {
        inotify_rm_watch(inotify, found)
      }
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
      notify(event, String(decoding: bytes[offset + header..<end].prefix { $0 != 0 }, as: UTF8.self))
      offset = end
    }
  }

  private func notify(_ event: inotify_event, _ name: String) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      return notifyAll { $0.anythingChanged() }
    }
    // Unknown if the watch was removed after the kernel queued the event.
    guard let watch = watches[event.wd] else { return }
    if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.wd] = nil }
    if event.len == 0 {
      // A folder's permissions matter only to subscribers that they keep out.
      let isPermission = event.mask & UInt32(IN_ATTRIB) != 0
      let concerned = watch.all.filter { !isPermission || $0.interest.kind == .permission }
      for registration in Self.inOrder(Set(concerned.flatMap(\.registrations))) {
        registration.subscriber.anythingChanged()
      }
      return
    }
    watch.forEach(about: name) { interest, registrations in
      // The kernel reports the events of all subscribers of the folder.
      if event.mask & interest.mask & Self.eventBits == 0 { return }
      var interest = interest
      if interest.kind == .contents { interest.name = name }
      if registrations.count == 1 {
        // Most entries have one subscriber, and nothing to sort.
        registrations.first?.subscriber.entryChanged(interest, mask: event.mask)
      } else {
        for registration in Self.inOrder(registrations) {
          registration.subscriber.entryChanged(interest, mask: event.mask)
        }
      }
    }
  }

  /// IN_ALL_EVENTS: the events, without the flags.
  private static var eventBits: UInt32 { 0xFFF }

  private func notifyAll(_ notify: (any FolderSubscriber) -> Void) {
    for registration in Self.inOrder(registrations.values) { notify(registration.subscriber) }
  }

  /// Subscribers are notified in the order in which they were registered.
  private static func inOrder(_ registrations: some Collection<Registration>) -> [Registration] {
    registrations.sorted { $0.number < $1.number }
  }
}
