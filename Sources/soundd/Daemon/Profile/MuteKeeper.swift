import SoundTrigger

/// Ends the mutes of a certain length: that of everything (`nil`) and those of single triggers.
///
/// Belongs to the event loop. The time in which the machine sleeps counts.
final class MuteKeeper {
  private let loop: EventLoop
  /// Called at the end of a mute.
  var unmute: (String?) -> Void = { _ in }
  private var ends: [String?: Instant] = [:]
  private lazy var timer = EventLoop.Timer { [unowned self] in expire() }

  init(on loop: EventLoop) { self.loop = loop }

  /// When a mute ends; `nil` if it does not end by itself.
  func end(of trigger: String?) -> Instant? { ends[trigger] }

  /// Replaces the end of a mute; `nil`: it does not end by itself, or there is none any more.
  func setEnd(_ end: Instant?, of trigger: String?) {
    ends[trigger] = end
    schedule()
  }

  /// Forgets all triggers but these.
  func keep(_ triggers: Set<String>) {
    ends = ends.filter { $0.key.map(triggers.contains) ?? true }
    schedule()
  }

  private func expire() {
    for (trigger, end) in ends where end <= loop.now {
      ends[trigger] = nil
      unmute(trigger)
    }
    schedule()
  }

  private func schedule() {
    if let next = ends.values.min() { loop.schedule(timer, at: next) } else { loop.cancel(timer) }
  }
}
