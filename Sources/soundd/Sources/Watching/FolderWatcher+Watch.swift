// The folders that are watched, the interests in each, and the subscribers with these interests.
extension FolderWatcher {
  /// A subscriber and its subscriptions.
  final class Registration: Hashable {
    unowned let subscriber: any FolderSubscriber
    /// Later ones have higher numbers.
    let number: Int
    var subscriptions: Set<Subscription> = []
    /// Whether it was notified and has not acted yet.
    var isNotified = false

    init(_ subscriber: any FolderSubscriber, number: Int) {
      self.subscriber = subscriber
      self.number = number
    }

    static func == (a: Registration, b: Registration) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// An interest in one folder, and its subscribers.
  final class Subscription: Hashable {
    let interest: FolderInterest
    /// The folder's watch, which may be gone.
    let descriptor: Int32
    var subscribers: Set<Registration> = []

    init(_ interest: FolderInterest, _ descriptor: Int32) {
      self.interest = interest
      self.descriptor = descriptor
    }

    static func == (a: Subscription, b: Subscription) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A folder that inotify watches.
  final class Watch {
    /// The mask that the kernel has.
    var mask: UInt32 = 0
    /// By the hash of the entry's name, which is empty for `contents` and `entries`.
    private var subscriptions: [Int: [Subscription]] = [:]
    /// How many subscriptions there are for each mask.
    private var wanted: [UInt32: Int] = [:]

    /// A path that led to the folder; `nil` if it has no subscription.
    var folder: String? { subscriptions.first?.value.first?.interest.folder }

    var wantedMask: UInt32 { wanted.keys.reduce(0, |) }

    /// Finds or adds the subscription for an interest by which the kernel's mask was extended.
    func subscription(to interest: FolderInterest, _ descriptor: Int32) -> Subscription {
      mask |= interest.mask
      var name = interest.name
      let key = name.withUTF8 { Self.hash(UnsafeRawBufferPointer($0)) }
      if let known = subscriptions[key]?.first(where: { $0.interest == interest }) { return known }
      let subscription = Subscription(interest, descriptor)
      subscriptions[key, default: []].append(subscription)
      wanted[interest.mask, default: 0] += 1
      return subscription
    }

    func remove(_ subscription: Subscription) {
      var name = subscription.interest.name
      let key = name.withUTF8 { Self.hash(UnsafeRawBufferPointer($0)) }
      guard var others = subscriptions[key], let place = others.firstIndex(of: subscription) else { return }
      others.remove(at: place)
      subscriptions[key] = others.isEmpty ? nil : others
      let mask = subscription.interest.mask
      if let count = wanted[mask] { wanted[mask] = count == 1 ? nil : count - 1 }
    }

    func forEach(_ body: (Subscription) -> Void) {
      for group in subscriptions.values { for subscription in group { body(subscription) } }
    }

    /// Calls `body` with the subscriptions that an event about this entry concerns.
    func forEach(about name: UnsafeRawBufferPointer, _ body: (Subscription) -> Void) {
      for subscription in subscriptions[Self.hash(name)] ?? [] where name.elementsEqual(subscription.interest.name.utf8)
      {
        body(subscription)
      }
      for subscription in subscriptions[Self.hash(UnsafeRawBufferPointer(start: nil, count: 0))] ?? [] {
        body(subscription)
      }
    }

    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
      var hasher = Hasher()
      hasher.combine(bytes: name)
      return hasher.finalize()
    }
  }
}
