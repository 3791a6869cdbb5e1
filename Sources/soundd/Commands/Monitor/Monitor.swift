import Glibc
import SoundTrigger

/// The live view: the terminal, the connection and signals in one event loop. At rest nothing wakes it up.
final class Monitor {
  /// The time between two pictures.
  private static let frame = Duration.milliseconds(100)
  /// How long after an event it asks for what no event tells.
  private static let refreshing = Duration.seconds(1)
  private static let signals = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

  private let loop: EventLoop
  private let screen: MonitorScreen
  private let link: MonitorLink
  private var signalSource: SignalSource?
  private var token: EventLoop.Token?
  private var state: MonitorState
  private var hasNews = true
  private var lastPicture = Instant(nanoseconds: 0)
  /// The signal that ended it.
  private var ending: Int32?

  private lazy var drawing = EventLoop.Timer { [unowned self] in draw() }
  private lazy var refresh = EventLoop.Timer { [unowned self] in update { state in state.refresh() } }

  init(path: String, isUnicode: Bool) throws(SystemError) {
    loop = try EventLoop()
    screen = try MonitorScreen(inColour: Colour.isWanted)
    link = MonitorLink(path: path, on: loop)
    state = MonitorState(isUnicode: isUnicode)
  }

  /// Shows the view until the user quits it or the terminal goes. A signal that ends it ends the process.
  func run() throws(SystemError) {
    signalSource = try SignalSource(Self.signals, on: loop) { [unowned self] in handle(signal: $0) }
    token = try loop.add(screen.raw, .readable) { [unowned self] in screenIsReady($0) }
    link.connected = { [unowned self] in
      hasNews = true
      update { $0.connected() }
    }
    link.received = { [unowned self] lines in
      update { state in for line in lines where state.receive(line) { hasNews = true } }
    }
    link.lost = { [unowned self] reason in
      hasNews = hasNews || state.loss != reason
      update { $0.lost(reason) }
    }
    defer { screen.restore() }
    screen.take()
    link.connect()
    while !loop.isStopping { try loop.runOnce() }
    screen.restore()
    if let ending { Self.raise(ending) }
  }

  /// Changes the state, sends what it asks for, and plans the next picture.
  private func update(_ change: (inout MonitorState) -> Void = { _ in }) {
    change(&state)
    link.send(state.takeRequests())
    if state.isLeaving { loop.stop() }
    if state.isOutdated, !refresh.isScheduled { loop.schedule(refresh, at: loop.now.advanced(by: Self.refreshing)) }
    if hasNews, !drawing.isScheduled, !screen.isBusy {
      loop.schedule(drawing, at: max(loop.now, lastPicture.advanced(by: Self.frame)))
    }
  }

  // MARK: The terminal

  private func draw() {
    if screen.isBusy { return }
    (hasNews, lastPicture) = (false, EventLoop.clock())
    let size = screen.size
    screen.draw(state.picture(width: size.width, height: size.height, now: .now()), width: size.width)
    waitForScreen()
  }

  private func waitForScreen() {
    if let token { try? loop.modify(token, screen.isBusy ? [.readable, .writable] : .readable) }
  }

  private func screenIsReady(_ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) {
      screen.flush()
      waitForScreen()
    }
    guard let bytes = screen.read() else { return loop.stop() }
    let keys = MonitorKey.keys(in: bytes)
    hasNews = hasNews || !keys.isEmpty
    update { state in for key in keys where !state.isLeaving { state.press(key) } }
  }

  // MARK: Signals

  private func handle(signal number: Int32) {
    switch number {
    case SIGWINCH: screen.redraw()
    case SIGTSTP:
      screen.restore()
      Self.raise(number)
      screen.take()
    // Meanwhile the shell has used the terminal.
    case SIGCONT: screen.take()
    default:
      ending = number
      loop.stop()
    }
    hasNews = true
    waitForScreen()
    update()
  }

  /// Lets a signal act as if nobody handled it. Returns when a stopped process continues.
  private static func raise(_ number: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    signal(number, SIG_DFL)
    Glibc.raise(number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}
