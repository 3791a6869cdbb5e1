import CLinux
import Glibc
import SoundTrigger

/// The terminal as the monitor uses it: the alternate screen, keys without echo, and only changed lines are written.
///
/// Its descriptor has a file description of its own: it never blocks, and those of other programs stay as they are.
final class MonitorScreen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  /// What is drawn between these appears at once (DEC mode 2026). Other terminals ignore them.
  private static let (begin, end) = ("\u{1B}[?2026h", "\u{1B}[?2026l")
  /// How long the end waits for a terminal that takes nothing.
  private static let patience = Duration.milliseconds(100)

  private let descriptor: Descriptor
  private let inColour: Bool
  private var original = termios()
  private var isActive = false
  /// What is on the screen; `nil`: unknown, so everything is drawn.
  private var drawn: [StyledLine]?
  /// What the terminal has not taken yet.
  private var unwritten: ArraySlice<UInt8> = []

  /// Opens the terminal that standard output is.
  init(inColour: Bool) throws(SystemError) {
    self.inColour = inColour
    let name = ttyname(STDOUT_FILENO).map { String(cString: $0) } ?? "/dev/tty"
    descriptor = try Descriptor("open", name) { open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    if tcgetattr(descriptor.raw, &original) != 0 { throw SystemError("tcgetattr", name) }
  }

  var raw: Int32 { descriptor.raw }
  /// Whether the terminal has not taken all of the last picture.
  var isBusy: Bool { !unwritten.isEmpty }

  /// Its columns and rows; a serial line does not know.
  var size: (width: Int, height: Int) {
    var size = winsize()
    let isKnown = ioctl(raw, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }

  /// Takes the terminal, at the start and after a stop. The keys of signals, such as Ctrl-C, keep their meaning.
  func take() {
    var settings = original
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(raw, TCSANOW, &settings)
    (isActive, drawn, unwritten) = (true, nil, Array(Self.enter.utf8)[...])
    flush()
  }

  /// Gives the terminal back as it was.
  func restore() {
    if !isActive { return }
    isActive = false
    // After the rest of the picture, because a sequence that was cut off would swallow the next one.
    unwritten += Self.leave.utf8
    flush()
    if isBusy, clinux_wait(raw, Int16(POLLOUT), Self.patience.nanoseconds) > 0 { flush() }
    tcsetattr(raw, TCSANOW, &original)
  }

  /// The next picture is drawn as a whole.
  func redraw() { drawn = nil }

  /// Draws what differs from the last picture, which the terminal must have taken.
  func draw(_ lines: [StyledLine], width: Int) {
    let old = drawn ?? []
    var text = drawn == nil ? "\u{1B}[0m\u{1B}[2J" : ""
    for row in 0..<max(lines.count, old.count) {
      let line = row < lines.count ? lines[row] : StyledLine(text: "")
      if line == (row < old.count ? old[row] : StyledLine(text: "")) { continue }
      // At the end of a full line, erasing the rest would erase the last character.
      text += "\u{1B}[\(row + 1);1H" + (TextWidth.of(line.text) < width ? "\u{1B}[K" : "") + paint(line)
    }
    drawn = lines
    if text.isEmpty { return }
    unwritten += (Self.begin + text + Self.end).utf8
    flush()
  }

  private func paint(_ line: StyledLine) -> String {
    let codes = [line.isBold ? 1 : nil, line.isReversed ? 7 : nil, line.colour?.rawValue].compactMap(\.self)
    if !inColour || codes.isEmpty { return line.text }
    return "\u{1B}[\(codes.map(String.init).joined(separator: ";"))m\(line.text)\u{1B}[0m"
  }

  /// Writes as much as the terminal takes.
  func flush() {
    while !unwritten.isEmpty {
      let count = unwritten.withUnsafeBytes { write(raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN { return }
      // Without a terminal there is nobody to draw for: its hang-up ends the monitor.
      if count < 0, errno != EINTR { unwritten = [] }
      unwritten.removeFirst(max(0, count))
    }
  }

  /// The bytes that have come; `nil`: the terminal is gone.
  func read() -> [UInt8]? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { buffer in
      let count = Glibc.read(raw, buffer.baseAddress, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { return [] }
      return count > 0 ? Array(UnsafeBufferPointer(rebasing: buffer[..<count])) : nil
    }
  }
}
