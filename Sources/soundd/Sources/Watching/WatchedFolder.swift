import Glibc

/// A folder that inotify watches, at one of its paths, and who has which interest in it.
final class WatchedFolder {
  /// A subscriber, the kind of its interest, and the events that it needs.
  private typealias Subscription = (registration: FolderRegistration, kind: FolderInterest.Kind, mask: UInt32)

  let path: ExactText
  /// The kernel has one for each inode, so two paths to one folder share it.
  let descriptor: Int32
  /// The folder above, which this one keeps; `nil` for `/`, or if that one cannot be watched.
  var parent: WatchedFolder?
  /// How many subscriptions and watched folders below keep it.
  var uses = 1
  /// By the entry's name, and the number of the registration.
  private var subscriptions: [ExactText: [Int: Subscription]] = [:]
  /// The same for interests in all entries.
  private var general: [Int: Subscription] = [:]
  /// How many interests there are for each mask.
  private var masks: [UInt32: Int] = [:]

  init(_ path: ExactText, _ descriptor: Int32, parent: WatchedFolder?) {
    self.path = path
    self.descriptor = descriptor
    self.parent = parent
  }

  /// Whether its removal and that of every folder above it is reported.
  var isRooted: Bool { path.text == "/" || parent?.isRooted ?? false }

  /// The folder's own removal.
  static let removal = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  /// What the folder above one with a thorough interest reports, because a folder that is the working folder of a process sends
  /// no IN_DELETE_SELF. Those further above cannot be removed before.
  static let removalBelow = UInt32(IN_DELETE)
  /// Whether it reports what is removed from it, because of a folder below.
  var reportsRemovals = false

  /// The events that it, the folders below and all of its subscribers need.
  var mask: UInt32 { masks.keys.reduce(reportsRemovals ? Self.removal | Self.removalBelow : Self.removal, |) }

  func add(_ registration: FolderRegistration, _ interest: FolderInterest) {
    remove(registration, interest)
    let subscription = (registration, interest.kind, interest.mask)
    masks[interest.mask, default: 0] += 1
    if interest.kind == .entries {
      general[registration.number] = subscription
    } else {
      subscriptions[interest.name, default: [:]][registration.number] = subscription
    }
  }

  func remove(_ registration: FolderRegistration, _ interest: FolderInterest) {
    let old =
      interest.kind == .entries
      ? general.removeValue(forKey: registration.number)
      : subscriptions[interest.name]?.removeValue(forKey: registration.number)
    guard let mask = old?.mask else { return }
    if subscriptions[interest.name]?.isEmpty == true { subscriptions[interest.name] = nil }
    masks[mask] = masks[mask].flatMap { $0 == 1 ? nil : $0 - 1 }
  }

  var registrations: [FolderRegistration] {
    subscriptions.values.flatMap { $0.values.map(\.registration) } + general.values.map(\.registration)
  }

  /// Notifies the subscribers of this entry, oldest first, then those of all entries.
  func notify(_ name: ExactText, _ mask: UInt32) {
    if let named = subscriptions[name] { notify(named, mask) }
    if !general.isEmpty { notify(general, mask) }
  }

  private func notify(_ subscriptions: [Int: Subscription], _ mask: UInt32) {
    // Most entries have one subscriber, and nothing to sort.
    if subscriptions.count == 1 { return subscriptions.values.forEach { notify($0, mask) } }
    for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) { notify(subscription, mask) }
  }

  private func notify(_ subscription: Subscription, _ mask: UInt32) {
    // The kernel reports the events of all subscribers of the folder.
    if mask & subscription.mask == 0 { return }
    subscription.registration.subscriber.entryChanged(subscription.kind, mask: mask)
  }
}

/// A subscriber, and what it watches.
final class FolderRegistration {
  unowned let subscriber: any FolderSubscriber
  /// Later ones have higher numbers.
  let number: Int
  var watched: [(interest: FolderInterest, folder: WatchedFolder)] = []

  init(_ subscriber: any FolderSubscriber, number: Int) {
    self.subscriber = subscriber
    self.number = number
  }
}
