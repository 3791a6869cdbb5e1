import Glibc
import SoundTrigger

/// Who is told about folders.
///
/// What it is told it only notes. The moment to act, and to call the watcher again, is `eventsEnded`.
protocol FolderSubscriber: AnyObject {
  /// Something befell the entry that `interest` names (of `contents` and `entries`, whichever it was); `mask` holds inotify's
  /// bits.
  func entryChanged(_ interest: FolderInterest, mask: UInt32)
  /// A folder it watches is gone, has moved or has other permissions.
  func folderChanged()
  /// Events were lost.
  func eventsLost()
  /// Something was mounted or unmounted, wherever: any path may lead elsewhere now.
  func mountsChanged()
  /// Everything that was known at this wake-up has been told: the moment to act.
  func eventsEnded()
}

extension FolderSubscriber {
  func mountsChanged() { eventsLost() }
}

/// inotify on folders, one watch per folder however many sources look into it.
///
/// What an event costs depends on how many want to hear of it, not on how many others watch the folder.
final class FolderWatcher {
  /// How many may act in one turn of the event loop.
  static let crowd = 32

  private let loop: EventLoop
  private let inotify: Descriptor
  private var token: EventLoop.Token?
  /// The mount table, which tells that something was mounted over a folder; inotify does not.
  ///
  /// `nil`: there is no /proc.
  private let mounts: Descriptor?
  private var mountsToken: EventLoop.Token?
  /// By watch descriptor.
  ///
  /// The kernel gives out one per inode, so two paths to one folder share it.
  private var watches: [Int32: Watch] = [:]
  private var listeners: [ObjectIdentifier: Listener] = [:]
  /// How many listeners there have been.
  private var listenerNumber = 0
  /// Those that have heard something in this turn.
  private var touched: [Listener] = []
  /// Those that have heard something and act in this turn or a later one.
  private var waiting: [Listener] = []
  private var crowdTimer: EventLoop.Timer?
  /// How often the kernel was asked to watch what it did not watch before.
  private var additions = 0
  /// How many have asked for `firstPoll`.
  private var pollers = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

  init(on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    inotify = try Descriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
    let table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    mounts = table < 0 ? nil : Descriptor(owning: table)
    token = try loop.add(inotify.raw, .readable) { [unowned self] _ in read() }
    crowdTimer = EventLoop.Timer { [unowned self] in endEvents() }
    if table >= 0 {
      // A change is reported as an error, which need not be asked for, and once.
      // Where it cannot be waited for, a file that stands for it perhaps, mounts are not noticed.
      mountsToken = try? loop.add(table, []) { [unowned self] _ in
        noteAll { $0.mountsChanged() }
        endEvents()
      }
    }
  }

  deinit {
    for token in [token, mountsToken] { if let token { loop.remove(token) } }
    if let crowdTimer { loop.cancel(crowdTimer) }
    buffer.deallocate()
  }

  /// How many folders are watched.
  var watchCount: Int { watches.count }

  // MARK: Looking on a timer

  /// How often those look who cannot watch all of a path.
  static let fallbackPoll = Duration.seconds(1)
  /// How often those look who found something wrong that may pass without an event: too many open files, say.
  private static let troublePoll = Duration.seconds(10)

  /// How often to look on a timer although a path is watched; `nil`: not at all.
  ///
  /// `watchProblem`: why not all of it can be watched. `problem`: what was found to be wrong with it.
  static func poll(watchProblem: String?, problem: String?) -> Duration? {
    watchProblem != nil ? fallbackPoll : problem != nil ? troublePoll : nil
  }

  /// When one more of those who look on a timer is to look first.
  ///
  /// So that thousands do not all look in one moment. The first of them do: they wake the machine once.
  func firstPoll(every interval: Duration) -> Instant {
    defer { pollers += 1 }
    return loop.now.advanced(by: interval - interval / 64 * (pollers / 64 % 64))
  }

  /// When to look again after a look that was due at `last`; if it came too late, some are left out.
  func nextPoll(after last: Instant, every interval: Duration) -> Instant {
    let late = max(0, last.duration(to: loop.now).nanoseconds)
    return loop.now.advanced(by: interval - .nanoseconds(late % max(1, interval.nanoseconds)))
  }

  // MARK: Watching

  /// Follows a path for `subscriber`, and watches what lies on the way (as `interests` has it) instead of what it watched.
  ///
  /// What changed before is in the plan, what changes after is reported.
  ///
  /// - Returns: the way, and why not all of it can be watched, if so.
  func follow(
    _ path: String, for subscriber: any FolderSubscriber,
    interests: (FolderInterest.Plan) -> [FolderInterest] = \.interests
  ) -> (plan: FolderInterest.Plan, problem: String?) {
    var plan = FolderInterest.plan(for: path, look: FolderInterest.look)
    var problem: SystemError?
    // Until two walks agree with the watches set in between, or none had to be set.
    for _ in 0..<8 {
      let before = additions
      problem = watch(interests(plan), for: subscriber)
      if additions == before { break }
      let again = FolderInterest.plan(for: path, look: FolderInterest.look)
      if again == plan { break }
      plan = again
    }
    return (plan, plan.problem ?? problem.map(Self.text) ?? Self.muteProblem(plan))
  }

  /// What the kernel makes up when it is read has no events; the way may lead there through links.
  private static func muteProblem(_ plan: FolderInterest.Plan) -> String? {
    guard let last = plan.interests.last else { return nil }
    let path = last.folder == "/" ? "/\(last.name)" : last.folder
    return muteTree(of: path).map { "\($0) does not tell of changes" }
  }

  /// The tree without events that an absolute path lies in, as it is written.
  static func muteTree(of path: String) -> String? {
    ["/proc", "/sys"].first { path == $0 || path.utf8.starts(with: "\($0)/".utf8) }
  }

  private static func text(_ problem: SystemError) -> String {
    if problem.code != ENOSPC { return problem.description }
    return "watch \(problem.subject): no inotify watch is left (raise fs.inotify.max_user_watches)"
  }

  /// Replaces what `subscriber` watches.
  ///
  /// Folders that are gone meanwhile are left out.
  ///
  /// - Returns: the first error that means events would be missed (no permission, no watches left), if any.
  func watch(_ interests: [FolderInterest], for subscriber: any FolderSubscriber) -> SystemError? {
    var problem: SystemError?
    let listener = listener(for: subscriber)
    let before = listener.subscriptions
    listener.subscriptions = []
    for interest in interests {
      // Added to, not replaced: the others that look into this folder must not miss anything in between.
      let mask = interest.mask | UInt32(IN_MASK_ADD)
      let descriptor = inotify_add_watch(inotify.raw, interest.folder, mask)
      if descriptor >= 0 {
        let watch = watches[descriptor] ?? Watch()
        watches[descriptor] = watch
        if watch.mask | interest.mask != watch.mask { additions += 1 }
        let subscription = watch.subscription(to: interest, descriptor)
        subscription.listeners.insert(listener)
        listener.subscriptions.insert(subscription)
      } else {
        additions += 1
        if errno != ENOENT, errno != ENOTDIR { problem = problem ?? SystemError("watch", interest.folder) }
      }
    }
    for subscription in before.subtracting(listener.subscriptions) { end(subscription, of: listener) }
    for subscription in before.union(listener.subscriptions) { trim(subscription.descriptor) }
    return problem
  }

  /// Ends everything that `subscriber` watches; it is told nothing more.
  func remove(_ subscriber: any FolderSubscriber) {
    guard let listener = listeners.removeValue(forKey: ObjectIdentifier(subscriber)) else { return }
    listener.isTouched = false
    for subscription in listener.subscriptions {
      end(subscription, of: listener)
      trim(subscription.descriptor)
    }
  }

  private func listener(for subscriber: any FolderSubscriber) -> Listener {
    if let known = listeners[ObjectIdentifier(subscriber)] { return known }
    let listener = Listener(subscriber, number: listenerNumber)
    listenerNumber += 1
    listeners[ObjectIdentifier(subscriber)] = listener
    return listener
  }

  private func end(_ subscription: Subscription, of listener: Listener) {
    subscription.listeners.remove(listener)
    if subscription.listeners.isEmpty { watches[subscription.descriptor]?.remove(subscription) }
  }

  /// Brings the kernel's mask down to what is still wanted.
  private func trim(_ descriptor: Int32) {
    guard let watch = watches[descriptor] else { return }
    guard let folder = watch.folder else {
      watches[descriptor] = nil
      inotify_rm_watch(inotify.raw, descriptor)
      return
    }
    let mask = watch.wantedMask
    if mask == watch.mask { return }
    // First as an addition, which does no harm if the path leads to another folder by now.
    var found = inotify_add_watch(inotify.raw, folder, mask | UInt32(IN_MASK_ADD))
    if found == descriptor { found = inotify_add_watch(inotify.raw, folder, mask) }
    if found == descriptor {
      watch.mask = mask
    } else if found >= 0 {
      // The event that the old folder sent sets things right.
      if let other = watches[found] {
        _ = inotify_add_watch(inotify.raw, folder, other.mask | UInt32(IN_MASK_ADD))
      } else {
        inotify_rm_watch(inotify.raw, found)
      }
    }
  }

  // MARK: Events

  private func read() {
    let count = Glibc.read(inotify.raw, buffer.baseAddress, buffer.count)
    if count <= 0 { return }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    var offset = 0
    let header = MemoryLayout<inotify_event>.size
    while offset + header <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let end = min(bytes.count, offset + header + Int(event.len))
      // The name is padded with zeros.
      let name = bytes[offset + header..<end].prefix { $0 != 0 }
      tell(event, UnsafeRawBufferPointer(rebasing: name))
      offset = end
    }
    endEvents()
  }

  private func tell(_ event: inotify_event, _ name: UnsafeRawBufferPointer) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      noteAll { $0.eventsLost() }
      return
    }
    // Unknown: a watch that was given up while the event was under way.
    guard let watch = watches[event.wd] else { return }
    if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.wd] = nil }
    if event.len == 0 {
      watch.forEach { subscription in
        // Permissions of a folder matter to those alone whom they keep out.
        if event.mask & UInt32(IN_ATTRIB) != 0, subscription.interest.kind != .permission { return }
        for listener in subscription.listeners {
          touch(listener)
          listener.subscriber.folderChanged()
        }
      }
      return
    }
    watch.forEach(about: name) { subscription in
      // The kernel tells of what anybody wants to know of the folder.
      if event.mask & subscription.interest.mask & Self.happenings == 0 { return }
      var interest = subscription.interest
      if interest.kind == .contents { interest.name = String(decoding: name, as: UTF8.self) }
      for listener in subscription.listeners {
        touch(listener)
        listener.subscriber.entryChanged(interest, mask: event.mask)
      }
    }
  }

  /// IN_ALL_EVENTS: what happens, without what is said about it.
  private static var happenings: UInt32 { 0xFFF }

  private func noteAll(_ note: (any FolderSubscriber) -> Void) {
    for listener in listeners.values {
      touch(listener)
      note(listener.subscriber)
    }
  }

  private func touch(_ listener: Listener) {
    if listener.isTouched { return }
    listener.isTouched = true
    touched.append(listener)
  }

  /// Lets those act that have heard something, in the order in which they came; of a crowd, some in each turn.
  private func endEvents() {
    waiting += touched.sorted { $0.number < $1.number }
    touched.removeAll(keepingCapacity: true)
    let turn = waiting.prefix(Self.crowd)
    waiting.removeFirst(turn.count)
    // One that acts may end another.
    for listener in turn where listener.isTouched {
      listener.isTouched = false
      listener.subscriber.eventsEnded()
    }
    if let crowdTimer, !waiting.isEmpty { loop.schedule(crowdTimer, at: loop.now) }
  }
}
