import SoundTrigger
import SoundWire

/// The monitor for screen readers: a line for each alarm, verdict and sound by hand, and for the connection.
enum MonitorLines {
  /// Prints until a signal or the end of its reader ends the process.
  static func run(path: String) throws {
    let loop = try EventLoop()
    let link = MonitorLink(path: path, on: loop)
    var failure: Failure?
    var lastLoss = ""
    func show(_ text: String) {
      do throws(Failure) { try StandardStreams.print(text) } catch {
        failure = error
        loop.stop()
      }
    }
    link.connected = {
      lastLoss = ""
      link.send(["events --state --why"])
    }
    link.received = { $0.compactMap(text).forEach(show) }
    link.lost = { reason in
      if reason != lastLoss { show(Excerpt.escaping(reason)) }
      lastLoss = reason
    }
    link.connect()
    while !loop.isStopping { try loop.runOnce() }
    if let failure { throw failure }
  }

  /// `nil` for what the live view does not show either, or shows by a verdict.
  static func text(_ line: [UInt8]) -> String? {
    if let refusal = DaemonRefusal(reply: line) { return Excerpt.escaping(refusal.text) }
    guard let event = try? Event(line) else { return nil }
    switch event.content {
    case .ready: return "connected to soundd"
    case .play(let play) where play.trigger != nil: return nil
    case .stop(let stop) where stop.trigger != nil: return nil
    case .alarm, .verdict, .settings, .play, .stop: return EventLine.text(line, inColour: false, now: .now())
    case .value, .trigger, .change, .unset, .unknown: return nil
    }
  }
}
