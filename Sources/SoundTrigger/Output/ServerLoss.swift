/// Whether a device is taken that opens in place of a sound server's.
///
/// ALSA's `default` may be a sound server while that runs, and a card otherwise. A server that restarts is back within a moment. A card
/// that was taken meanwhile would be kept from it, and from all other programs. Pure.
struct ServerLoss: Equatable, Sendable {
  /// How long the server is waited for.
  private static let patience = Duration.seconds(2)

  /// Whether a server played the device that was taken last.
  private var hadServer = false
  /// When another device is taken, once one was refused.
  private(set) var end: Instant?

  /// Whether to take a device that has opened. `isServers`: whether a server plays it.
  mutating func takes(isServers: Bool, at now: Instant) -> Bool {
    if hadServer, !isServers {
      let end = end ?? now.advanced(by: Self.patience)
      self.end = end
      if now < end { return false }
    }
    hadServer = isServers
    end = nil
    return true
  }
}
