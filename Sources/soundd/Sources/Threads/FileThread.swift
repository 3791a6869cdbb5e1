import CLinux
import SoundTrigger

/// A thread that touches files, so that the event loop never waits for them.
///
/// Belongs to the event loop's thread; at rest both sleep without a wake-up.
final class FileThread {
  /// The points of the foreign mounts that it touches; empty: local ones alone.
  let mounts: Set<String>
  private let loop: EventLoop
  private let exchange: FileExchange
  private var tokens: [EventLoop.Token] = []
  /// How long reports are received in one turn of the event loop.
  private static let share = Duration.milliseconds(1)
  /// What was reported and is not received yet, the next one first.
  private var reports: ArraySlice<FileExchange.Parcel> = []
  /// Receives what its files report.
  private let receive: (_ number: Int, FileReport) -> Void
  /// Called when the thread hangs, and when it has recovered.
  private let stuckChanged: (FileThread) -> Void
  private(set) var isStuck = false
  /// How many files it has.
  var fileCount = 0

  /// What the new thread takes over.
  ///
  /// Safety of `@unchecked Sendable`: the event loop makes it and never uses it again.
  private struct Handover: @unchecked Sendable { let loop: FileThreadLoop }

  /// Starts the thread. It receives no signals, and has no real-time priority.
  init(
    _ mounts: Set<String>, on loop: EventLoop, receive: @escaping (_ number: Int, FileReport) -> Void,
    stuckChanged: @escaping (FileThread) -> Void
  ) throws(SystemError) {
    self.mounts = mounts
    self.loop = loop
    self.receive = receive
    self.stuckChanged = stuckChanged
    exchange = try FileExchange()
    let handover = Handover(loop: try FileThreadLoop(exchange, scope: MountScope(mounts)))
    tokens.append(try loop.add(exchange.ready.raw, .readable) { [unowned self] _ in collect() })
    tokens.append(try loop.add(exchange.watchdog.raw, .readable) { [unowned self] _ in checkPatience() })
    try DetachedThread.start(mounts.isEmpty ? "soundd-files" : "soundd-mount") { handover.loop.run() }
  }

  deinit { stop() }

  /// The path that it has touched last.
  var path: String { exchange.path }

  /// Watches the file on this thread.
  func add(_ file: WatchedFile) { exchange.add { $0.add(file) } }

  func remove(_ number: Int) { exchange.add { $0.remove(number) } }

  /// Ends the thread without waiting for it. Returns whether it works on something, which it may never finish: then the
  /// process must end by `_exit`, see `BackgroundWorker.stop`.
  @discardableResult
  func stop() -> Bool {
    for token in tokens { loop.remove(token) }
    tokens = []
    reports = []
    return exchange.end()
  }

  /// Receives reports for a while; the rest follows in the next turn, so that a flood of lines delays nothing else.
  private func collect() {
    if reports.isEmpty { reports = exchange.takeReports()[...] }
    let end = EventLoop.clock().advanced(by: Self.share)
    while let (number, report) = reports.popFirst() {
      receive(number, report)
      if !reports.isEmpty, EventLoop.clock() > end {
        clinux_eventfd_signal(exchange.ready.raw)
        break
      }
    }
    if isStuck, !exchange.isStuck {
      isStuck = false
      stuckChanged(self)
    }
  }

  private func checkPatience() {
    guard exchange.checkPatience() else { return }
    isStuck = true
    stuckChanged(self)
  }
}
