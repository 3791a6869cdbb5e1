import Glibc

/// Who is told about folders.
protocol FolderSubscriber: AnyObject {
  /// Something befell the entry that `interest` names (of `contents`, whichever it was); `mask` holds inotify's bits.
  func entryChanged(_ interest: FolderInterest, mask: UInt32)
  /// A folder it watches is gone, has moved or has other permissions.
  func folderChanged()
  /// Events were lost.
  func eventsLost()
  /// Everything that was known at this wake-up has been told: the moment to act.
  func eventsEnded()
}

/// inotify on folders, one watch per folder however many sources look into it.
final class FolderWatcher {
  private struct Subscription {
    unowned let subscriber: any FolderSubscriber
    /// Which one it is, for one that is going and may not be referred to any more.
    let identity: ObjectIdentifier
    var interest: FolderInterest
  }

  private struct Watch {
    /// The mask that the kernel has.
    var mask: UInt32
    var subscriptions: [Subscription]
  }

  private let loop: EventLoop
  private let inotify: Descriptor
  private var token: EventLoop.Token?
  /// By watch descriptor.
  ///
  /// The kernel gives out one per inode, so two paths to one folder share it.
  private var watches: [Int32: Watch] = [:]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

  init(on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    inotify = try Descriptor("inotify_init") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
    token = try loop.add(inotify.raw, .readable) { [unowned self] _ in read() }
  }

  deinit {
    if let token { loop.remove(token) }
    buffer.deallocate()
  }

  /// How many folders are watched.
  var watchCount: Int { watches.count }

  /// Replaces what `subscriber` watches.
  ///
  /// Folders that are gone meanwhile are left out.
  ///
  /// - Returns: the first error that means events would be missed (no permission, no watches left), if any.
  func watch(_ interests: [FolderInterest], for subscriber: any FolderSubscriber) -> SystemError? {
    var problem: SystemError?
    var wanted: [Int32: [Subscription]] = [:]
    for interest in interests {
      // Added to, not replaced: the others that look into this folder must not miss anything in between.
      let mask = interest.mask | UInt32(IN_MASK_ADD)
      let descriptor = inotify_add_watch(inotify.raw, interest.folder, mask)
      if descriptor >= 0 {
        wanted[descriptor, default: []].append(
          Subscription(subscriber: subscriber, identity: ObjectIdentifier(subscriber), interest: interest))
        watches[descriptor, default: Watch(mask: 0, subscriptions: [])].mask |= interest.mask
      } else if errno != ENOENT, errno != ENOTDIR {
        problem = problem ?? SystemError("watch", interest.folder)
      }
    }
    for descriptor in Set(watches.keys) {
      guard var watch = watches[descriptor] else { continue }
      watch.subscriptions.removeAll { $0.identity == ObjectIdentifier(subscriber) }
      watch.subscriptions += wanted[descriptor] ?? []
      watches[descriptor] = watch
      trim(descriptor)
    }
    return problem
  }

  /// Ends everything that `subscriber` watches.
  func remove(_ subscriber: any FolderSubscriber) { _ = watch([], for: subscriber) }

  /// Brings the kernel's mask down to what is still wanted.
  private func trim(_ descriptor: Int32) {
    guard let watch = watches[descriptor] else { return }
    if watch.subscriptions.isEmpty {
      watches[descriptor] = nil
      inotify_rm_watch(inotify.raw, descriptor)
      return
    }
    let mask = watch.subscriptions.reduce(0) { $0 | $1.interest.mask }
    guard mask != watch.mask, let folder = watch.subscriptions.first?.interest.folder else { return }
    // If the path leads elsewhere by now, a watch of the new folder results that nobody knows: it is removed again, and
    // the event that the old folder sent sets things right.
    let result = inotify_add_watch(inotify.raw, folder, mask)
    if result == descriptor {
      watches[descriptor]?.mask = mask
    } else if result >= 0, watches[result] == nil {
      inotify_rm_watch(inotify.raw, result)
    }
  }

  // MARK: Events

  private func read() {
    let count = Glibc.read(inotify.raw, buffer.baseAddress, buffer.count)
    if count <= 0 { return }
    var touched: [any FolderSubscriber] = []
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    var offset = 0
    let header = MemoryLayout<inotify_event>.size
    while offset + header <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let end = min(bytes.count, offset + header + Int(event.len))
      // The name is padded with zeros.
      let name = bytes[offset + header..<end].prefix { $0 != 0 }
      tell(event, UnsafeRawBufferPointer(rebasing: name), &touched)
      offset = end
    }
    for subscriber in touched { subscriber.eventsEnded() }
  }

  private func tell(_ event: inotify_event, _ name: UnsafeRawBufferPointer, _ touched: inout [any FolderSubscriber]) {
    func touch(_ subscriber: any FolderSubscriber) {
      if !touched.contains(where: { $0 === subscriber }) { touched.append(subscriber) }
    }
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      for watch in watches.values {
        for subscription in watch.subscriptions {
          subscription.subscriber.eventsLost()
          touch(subscription.subscriber)
        }
      }
      return
    }
    // Unknown: a watch that was given up while the event was under way.
    guard let watch = watches[event.wd] else { return }
    if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.wd] = nil }
    let aboutItself = event.len == 0
    for subscription in watch.subscriptions {
      if aboutItself {
        // Permissions of a folder matter to those alone whom they keep out.
        if event.mask & UInt32(IN_ATTRIB) != 0, subscription.interest.kind != .permission { continue }
        subscription.subscriber.folderChanged()
      } else if subscription.interest.kind == .contents {
        var interest = subscription.interest
        interest.name = String(decoding: name, as: UTF8.self)
        subscription.subscriber.entryChanged(interest, mask: event.mask)
      } else if name.elementsEqual(subscription.interest.name.utf8) {
        subscription.subscriber.entryChanged(subscription.interest, mask: event.mask)
      } else {
        continue
      }
      touch(subscription.subscriber)
    }
  }
}
