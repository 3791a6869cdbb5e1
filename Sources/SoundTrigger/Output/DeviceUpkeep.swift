/// When to open the device, to open it again when it is gone, and to give it back while nothing needs it.
///
/// Pure: times come in, actions come out. The caller opens the device on another thread, because that may block.
package struct DeviceUpkeep: Sendable {
  package enum Action: Equatable, Sendable {
    /// Open the device (`Output.beginOpening`), and call `opened` or `failed` afterwards.
    case open
    /// Let the clock play what waits for the device (`Output.stopHolding`).
    case stopHolding
    /// Give the device back (`Output.release`).
    case release
  }

  /// How long a card stays open while nothing plays. Other programs may want it.
  private static let cardIdleTime = Duration.seconds(30)
  /// How long a sound waits for its device before the clock plays it.
  private static let longestHold = Duration.milliseconds(500)

  private let keepOpen: OutputSettings.KeepOpen
  private var backoff = DeviceBackoff()
  /// Whether the device is being opened.
  package private(set) var isOpening = false
  /// When to try again; `nil` unless the device is missing or broke.
  private var retry: Instant?
  /// When what waits for the opening plays by the clock.
  private var holdEnd: Instant?
  /// When the device is given back, if nothing plays until then.
  private var idleEnd: Instant?

  package init(_ settings: OutputSettings) { keepOpen = settings.keepOpen }

  /// When to call `update`, if nothing happens before.
  package var deadline: Instant? { Instant.earlier(retry, Instant.earlier(holdEnd, idleEnd)) }

  /// The device was opened.
  package mutating func opened(at now: Instant) {
    finishOpening()
    backoff.opened(at: now)
  }

  /// The device could not be opened, or broke.
  package mutating func failed(at now: Instant) {
    finishOpening()
    idleEnd = nil
    retry = backoff.failed(at: now)
  }

  private mutating func finishOpening() {
    isOpening = false
    holdEnd = nil
  }

  /// A sound is about to start. It opens the device without waiting for the back-off, unless the last attempt was a moment
  /// ago.
  package mutating func willPlay(on output: Output, at now: Instant) -> Action? {
    idleEnd = nil
    if isOpening || output.device != nil { return nil }
    return output.isReleased || (output.deviceError != nil && backoff.mayTry(at: now)) ? open(at: now) : nil
  }

  /// What to do now; after each `collect` and at `deadline`.
  package mutating func update(_ output: Output, at now: Instant) -> Action? {
    if isOpening {
      guard let holdEnd, holdEnd <= now else { return nil }
      self.holdEnd = nil
      return .stopHolding
    }
    if let retry, retry <= now { return open(at: now) }
    guard let device = output.device else {
      idleEnd = nil
      // A sound was started at the very moment at which the device was given back.
      return output.isReleased && output.control.activeCount > 0 ? open(at: now) : nil
    }
    guard let time = idleTime(of: device), output.isSilent else {
      idleEnd = nil
      return nil
    }
    let end = idleEnd ?? now.advanced(by: time)
    idleEnd = end
    if now < end { return nil }
    idleEnd = nil
    return .release
  }

  private mutating func open(at now: Instant) -> Action {
    isOpening = true
    retry = nil
    holdEnd = now.advanced(by: Self.longestHold)
    return .open
  }

  /// How long the device stays open while nothing plays; `nil`: always.
  private func idleTime(of device: StreamFormat) -> Duration? {
    switch keepOpen {
    case .always: nil
    case .automatic: device.kind == .card ? Self.cardIdleTime : nil
    case .atMost(let time): time
    }
  }
}
