import SoundTrigger

/// When to open a device again that is open and that no sound server plays, although its name may lead to one. Pure.
///
/// ALSA's `default` may be a card until a server runs. So each start of a server is a reason to look, and so is a device that was opened
/// when a server had just begun to listen.
struct ServerSearch: Equatable, Sendable {
  /// A server listens a moment after its socket has appeared, and answers another moment later.
  private static let step = Duration.milliseconds(200)
  private static let mostLooks = 50
  /// How long after its opening a device is looked at again, at first; after each reopening twice as long. A server may listen before
  /// it can play.
  private static let pause = Duration.seconds(2)
  private static let mostReopenings = 4

  /// When to look whether a server listens; `nil`: not before a socket changes.
  private(set) var next: Instant?
  private var looks = 0
  /// How often the device was opened again since a socket changed.
  private var reopenings = 0

  /// A device was opened. `mayMove`: whether no server plays it, and one might.
  mutating func opened(mayMove: Bool, at now: Instant) {
    next = mayMove && reopenings < Self.mostReopenings ? now.advanced(by: Self.pause * (1 << reopenings)) : nil
    looks = 1
  }

  /// The device is missing, or was given back.
  mutating func closed() { next = nil }

  /// The socket of a server has appeared or gone.
  mutating func socketChanged(at now: Instant) {
    reopenings = 0
    looks = Self.mostLooks
    next = now.advanced(by: Self.step)
  }

  /// The time `next` has come. Returns whether to open the device again.
  mutating func look(listens: Bool, at now: Instant) -> Bool {
    looks -= 1
    if listens {
      next = nil
      reopenings += 1
      return true
    }
    next = looks > 0 ? now.advanced(by: Self.step) : nil
    return false
  }
}
