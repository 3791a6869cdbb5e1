// What the watcher knows: folders, what is wanted of each, and who wants it.
extension FolderWatcher {
  /// One who is told.
  final class Listener: Hashable {
    unowned let subscriber: any FolderSubscriber
    /// Later ones have higher numbers.
    let number: Int
    var subscriptions: Set<Subscription> = []
    /// Whether it has heard something and has not acted yet.
    var isTouched = false

    init(_ subscriber: any FolderSubscriber, number: Int) {
      self.subscriber = subscriber
      self.number = number
    }

    static func == (a: Listener, b: Listener) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// An interest in one folder, and all who have it.
  final class Subscription: Hashable {
    let interest: FolderInterest
    /// The folder's watch, which may be gone.
    let descriptor: Int32
    var listeners: Set<Listener> = []

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
    /// How many subscriptions want a mask.
    private var wanted: [UInt32: Int] = [:]

    /// A path that led to the folder; `nil`: nobody wants to hear of it any more.
    var folder: String? { subscriptions.first?.value.first?.interest.folder }

    var wantedMask: UInt32 { wanted.keys.reduce(0, |) }

    /// The subscription to an interest, which the kernel's mask has been extended by.
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

    /// Those that want to hear of an entry.
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
