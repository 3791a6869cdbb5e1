// The folders that are watched, and who has which interest in each.
extension FolderWatcher {
  /// A subscriber, and what it watches.
  final class Registration: Hashable {
    unowned let subscriber: any FolderSubscriber
    /// Later ones have higher numbers.
    let number: Int
    /// The watch descriptors of the folders, by the interests in them.
    var descriptors: [FolderInterest: Int32] = [:]

    init(_ subscriber: any FolderSubscriber, number: Int) {
      self.subscriber = subscriber
      self.number = number
    }

    static func == (a: Registration, b: Registration) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// A folder that inotify watches.
  final class Watch {
    typealias Subscription = (interest: FolderInterest, registrations: Set<Registration>)

    /// The path that led to the folder last.
    private(set) var folder = ""
    /// The mask that the kernel has.
    var mask: UInt32 = 0
    /// By the entry's name, which is empty for `contents` and `entries`.
    private var subscriptions: [String: [Subscription]] = [:]
    /// How many interests there are for each mask.
    private var wanted: [UInt32: Int] = [:]

    /// 0: there are no subscriptions.
    var wantedMask: UInt32 { wanted.keys.reduce(0, |) }

    var all: [Subscription] { subscriptions.values.flatMap { $0 } }

    /// Adds an interest by which the kernel's mask was extended.
    func add(_ registration: Registration, _ interest: FolderInterest) {
      folder = interest.folder
      mask |= interest.mask
      let key = interest.name
      if let place = subscriptions[key]?.firstIndex(where: { $0.interest == interest }) {
        subscriptions[key]?[place].registrations.insert(registration)
      } else {
        subscriptions[key, default: []].append((interest, [registration]))
        wanted[interest.mask, default: 0] += 1
      }
    }

    func remove(_ registration: Registration, _ interest: FolderInterest) {
      let key = interest.name
      guard let place = subscriptions[key]?.firstIndex(where: { $0.interest == interest }) else { return }
      subscriptions[key]?[place].registrations.remove(registration)
      if subscriptions[key]?[place].registrations.isEmpty == false { return }
      subscriptions[key]?.remove(at: place)
      if subscriptions[key]?.isEmpty == true { subscriptions[key] = nil }
      if let count = wanted[interest.mask] { wanted[interest.mask] = count == 1 ? nil : count - 1 }
    }

    /// Calls `body` with the subscriptions that an event about this entry concerns.
    func forEach(about name: String, _ body: (FolderInterest, Set<Registration>) -> Void) {
      for (interest, registrations) in subscriptions[name] ?? [] where interest.name.hasSameBytes(as: name) {
        body(interest, registrations)
      }
      for (interest, registrations) in subscriptions[""] ?? [] { body(interest, registrations) }
    }
  }
}
