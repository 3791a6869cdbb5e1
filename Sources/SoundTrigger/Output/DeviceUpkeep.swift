/// When to open the device, to open it again when it is gone, and to give it back while nothing needs it.
///
/// Pure: times come in, actions come out. The caller opens the device on another thread, because that may block.
package struct DeviceUpkeep: Sendable {
  package enum Action: Equatable, Sendable {
    /// Open the device (`Output.beginOpening`), and call `opened` or `failed` afterwards.
    case open
    /// Let the clock play what waits for the device (`Output.stopHolding`).
    case stopHolding
    /// The opening does not return (`Output.openingBlocks`).
    case reportBlockedOpening
    /// Give the device back (`Output.release`).
    case release
    /// Keep the device after all (`Output.takeBackRelease`).
    case takeBackRelease
    /// The audio thread is stuck in its device (`Output.abandon`).
    case abandon
    /// Give the device back although something sounds on it (`Output.abandon`).
    case leave
  }

  /// How long a sound waits for its device before the clock plays it.
  private static let longestHold = Duration.milliseconds(500)
  /// How long a reopening waits for silence if only endless loops sound.
  private static let longestEndlessSound = Duration.seconds(5)

  private let keepOpen: OutputSettings.KeepOpen
  private var backoff = DeviceBackoff()
  private var watch = BlockedDeviceWatch()
  /// Whether the device is being opened.
  package private(set) var isOpening = false
  /// Whether the device was to be given back, and no sound has come since.
  private var isReleasing = false
  /// When to try again; `nil` unless the device is missing or broke.
  private var retry: Instant?
  /// When what waits for the device plays by the clock.
  private var holdEnd: Instant?
  /// When an opening counts as blocked.
  private var answerEnd: Instant?
  /// When the device is given back, if nothing plays until then.
  private var idleEnd: Instant?
  /// Until when a reopening waits for silence, or `nil` if none is due.
  private var reopening: Instant?
  /// Until when no sound opens the device, because its server may come back.
  private var serverEnd: Instant?

  package init(_ settings: OutputSettings) { keepOpen = settings.keepOpen }

  /// When to call `update`, if nothing happens before.
  package var deadline: Instant? {
    let opening = Instant.earlier(holdEnd, answerEnd)
    let other = Instant.earlier(Instant.earlier(idleEnd, watch.nextLook), isReleasing ? nil : reopening)
    return Instant.earlier(Instant.earlier(retry, opening), other)
  }

  /// The device was opened.
  package mutating func opened(at now: Instant) {
    finishOpening()
    retry = nil
    backoff.opened(at: now)
    // Something may sound already.
    watch.begin(at: now)
  }

  /// An opening that somebody else began has not returned in time.
  package mutating func openingBlocks() { isOpening = true }

  /// A device that was open broke. A sound may have begun to open it again already. If it is tried again soon, what sounds
  /// waits for that.
  package mutating func lost(at now: Instant) {
    retryLater(at: now)
    let end = now.advanced(by: Self.longestHold)
    if let retry, retry < end { holdEnd = end }
  }

  private mutating func retryLater(at now: Instant) {
    idleEnd = nil
    reopening = nil
    isReleasing = false
    watch.end()
    let next = backoff.failed(at: now)
    if !isOpening { retry = next }
  }

  /// A sound server has begun to listen: a device that is missing is tried at once, and often.
  package mutating func serverAppeared(at now: Instant) {
    serverEnd = nil
    let next = backoff.restart(at: now)
    if retry != nil { retry = next }
  }

  /// The device could not be opened.
  package mutating func failed(at now: Instant) {
    finishOpening()
    retryLater(at: now)
  }

  /// A device that has opened was not taken, because its server may come back. The next attempt follows at `end`, or when a server has
  /// appeared; `nil` if one has.
  mutating func refused(until end: Instant?, at now: Instant) {
    failed(at: now)
    guard let end else { return }
    serverEnd = end
    retry = end
  }

  /// Opens the device again as soon as nothing sounds.
  mutating func reopen(at now: Instant) { reopening = now.advanced(by: Self.longestEndlessSound) }

  private mutating func finishOpening() {
    isOpening = false
    serverEnd = nil
    holdEnd = nil
    answerEnd = nil
  }

  /// A sound begins. It opens the device without waiting for the back-off, unless the last attempt was a moment
  /// ago.
  package mutating func soundBegins(on output: Output, at now: Instant) -> Action? {
    idleEnd = nil
    if output.device != nil {
      watch.begin(at: now)
      if !isReleasing { return nil }
      isReleasing = false
      return .takeBackRelease
    }
    if isOpening || output.isStuck || serverEnd.map({ now < $0 }) ?? false { return nil }
    return output.isReleased || (output.deviceError != nil && backoff.mayTry(at: now)) ? open(at: now) : nil
  }

  /// Whether what sounds waits for the device.
  var isHolding: Bool { holdEnd != nil }

  /// Returns the action that is due. Call it after each `collect` and at `deadline`. `isEndless`: whether only endless loops sound.
  package mutating func update(
    _ output: Output, isEndless: @autoclosure () -> Bool = false, at now: Instant
  ) -> Action? {
    if let end = holdEnd, end <= now {
      holdEnd = nil
      return .stopHolding
    }
    if isOpening { return updateOpening(at: now) }
    guard let device = output.device else {
      idleEnd = nil
      isReleasing = false
      watch.end()
      if output.isStuck {
        // Its return is reported.
        retry = nil
        return nil
      }
      // A sound was started at the very moment at which the device was given back, or the audio thread was stuck.
      let isWanted = output.isReleased && (output.control.activeCount > 0 || reopening != nil)
      if retry == nil, !isWanted, output.deviceError == nil { return nil }
      return isWanted || retry.map { $0 <= now } ?? true ? open(at: now) : nil
    }
    if let look = watch.nextLook, look <= now {
      let sign = output.sign
      // A sound that begins just now is under way before the audio thread is awake.
      let isResting = sign.isResting && output.control.activeCount == 0
      switch watch.look(turns: sign.turns, isResting: isResting, at: now) {
      case .fine: break
      case .silent: output.wake()
      case .stuck: return .abandon
      }
    }
    if let end = reopening, !isReleasing {
      if output.isSilent {
        isReleasing = true
        return .release
      }
      if end <= now {
        reopening = now.advanced(by: Self.longestEndlessSound)
        if isEndless() { return .leave }
      }
    }
    guard let time = idleTime(of: device), output.isSilent else {
      idleEnd = nil
      return nil
    }
    if isReleasing { return nil }
    let end = idleEnd ?? now.advanced(by: time)
    idleEnd = end
    if now < end { return nil }
    idleEnd = nil
    isReleasing = true
    return .release
  }

  private mutating func updateOpening(at now: Instant) -> Action? {
    if let end = answerEnd, end <= now {
      answerEnd = nil
      return .reportBlockedOpening
    }
    return nil
  }

  mutating func open(at now: Instant) -> Action {
    isOpening = true
    retry = nil
    reopening = nil
    watch.end()
    holdEnd = holdEnd ?? now.advanced(by: Self.longestHold)
    answerEnd = now.advanced(by: BoundedCall.patience)
    return .open
  }

  /// How long the device stays open while nothing plays; `nil`: always.
  private func idleTime(of device: StreamFormat) -> Duration? {
    switch keepOpen {
    case .always: nil
    case .automatic: device.kind.idleTime
    case .atMost(let time): time
    }
  }
}
