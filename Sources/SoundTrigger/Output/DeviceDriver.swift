/// Keeps an output on its device: opens it again when it is gone, and gives it back while nothing needs it.
///
/// `DeviceUpkeep` decides, this carries it out. Confined to one thread, which never waits for a device. Call `update` after each
/// `collect` of the output and at `deadline`, and `soundBegins` before the output is woken for a sound.
package final class DeviceDriver {
  /// What users want to know of the device.
  package enum News: Equatable, Sendable {
    /// There is no device any more, or it does not answer: the clock takes its place.
    case lost(OutputError)
    /// It could still not be opened.
    case missing(OutputError)
    /// It is there again.
    case back(StreamFormat)
    /// It does not answer, and the audio thread cannot be left behind with it: nothing moves. Said once, until it answers.
    case stuck(OutputError)
  }

  package let output: Output
  /// Since when there has been a device, or none.
  package private(set) var since: Instant
  private let opener: DeviceOpener
  private var upkeep: DeviceUpkeep
  private var serverLoss = ServerLoss()
  /// Whether there is no device although one is wanted.
  package private(set) var isMissing = false
  /// Whether only endless loops sound, such as alarms. Then the device may change while they do, see `reopen`.
  package var isEndless: () -> Bool = { false }
  /// The turn of the audio thread for which the news had `stuck`.
  private var stuckTurn: Int?
  private var news: [News] = []

  /// Makes an output on the device that the opener has opened. If it has not yet, that is the output's `deviceError`.
  package convenience init(_ opener: DeviceOpener, voiceLimit: Int = 256, at now: Instant) throws(OutputError) {
    let output = try Output(
      opener.settings, opened: opener.takeFirst(), voiceLimit: voiceLimit, report: opener.report)
    self.init(opener, output, at: now)
  }

  init(_ opener: DeviceOpener, _ output: Output, at now: Instant) {
    self.opener = opener
    self.output = output
    upkeep = DeviceUpkeep(opener.settings)
    since = now
    if let error = output.deviceError {
      isMissing = true
      if error.isSilence { upkeep.openingBlocks() } else { upkeep.failed(at: now) }
    } else if let device = output.device {
      upkeep.opened(at: now)
      _ = serverLoss.takes(isServers: device.needsServer, at: now)
    }
  }

  /// When to call `update`, if nothing happens before; `nil`: at no certain time.
  package var deadline: Instant? { upkeep.deadline }

  /// A sound begins: opens the device without waiting for the back-off, unless the last attempt was a moment ago.
  package func soundBegins(at now: Instant) {
    if let action = upkeep.soundBegins(on: output, at: now) { act(action) }
  }

  /// A sound server has begun to listen. Call `update` then.
  package func serverAppeared(at now: Instant) { upkeep.serverAppeared(at: now) }

  /// Opens the device again as soon as nothing sounds on it, because its name may lead elsewhere by now. A sound that
  /// ends by itself is not cut. Call `update` then.
  package func reopen(at now: Instant) { if output.device != nil { upkeep.reopen(at: now) } }

  /// Does what is due. `lost`: what `Output.collect` returned. Returns what there is to say, in order.
  package func update(_ lost: OutputError? = nil, at now: Instant) -> [News] {
    if let lost {
      upkeep.lost(at: now)
      news.append(.lost(lost))
    }
    if let opened = opener.take() { finish(opened, at: now) }
    if let action = upkeep.update(output, isEndless: isEndless(), at: now) { act(action) }
    if lost != nil, !upkeep.isHolding { output.stopHolding() }
    note(isMissing: output.deviceError != nil && output.device == nil, at: now)
    defer { news = [] }
    return news
  }

  deinit { stop() }

  /// Ends: a device that opens from now on is closed again.
  package func stop() { if let opened = opener.stop() { output.discard(opened) } }

  private func act(_ action: DeviceUpkeep.Action) {
    switch action {
    case .open: opener.begin(output.beginOpening())
    case .stopHolding: output.stopHolding()
    case .reportBlockedOpening: if let error = output.openingBlocks() { news.append(.lost(error)) }
    case .release: output.release()
    case .takeBackRelease: output.takeBackRelease()
    case .abandon: abandon()
    // If it fails, the next look tries again.
    case .leave: try? output.abandon(because: .reopening(output.settings.device))
    }
  }

  /// Leaves a stuck audio thread behind. If that cannot be done, the next look tries again.
  private func abandon() {
    do throws(OutputError) {
      // The next `collect` returns why.
      try output.abandon()
    } catch {
      let turn = output.sign.turns
      if turn == stuckTurn { return }
      stuckTurn = turn
      var error = error
      error.reason = "it does not answer, and nothing can take its place: \(error.reason)"
      news.append(.stuck(error))
    }
  }

  private func finish(_ opened: OpenedDevice, at now: Instant) {
    if output.isAtAnotherRate(opened) {
      output.discard(opened)
      return act(upkeep.open(at: now))
    }
    let wasReleased = output.isReleased
    if let device = opened.stream {
      let isFirst = serverLoss.end == nil
      if !serverLoss.takes(isServers: device.needsServer, at: now) {
        output.discard(opened)
        let error = OutputError.serverEnded(output.settings.device)
        _ = output.finishOpening(OpenedDevice(result: .failure(error), wanted: opened.wanted))
        upkeep.refused(until: isFirst ? serverLoss.end : nil, at: now)
        news.append(wasReleased ? .lost(error) : .missing(error))
        return
      }
    }
    if let error = output.finishOpening(opened) {
      upkeep.failed(at: now)
      news.append(wasReleased ? .lost(error) : .missing(error))
    } else {
      upkeep.opened(at: now)
      if !wasReleased, let device = output.device { news.append(.back(device)) }
    }
  }

  private func note(isMissing: Bool, at now: Instant) {
    if isMissing != self.isMissing { since = now }
    self.isMissing = isMissing
  }
}
