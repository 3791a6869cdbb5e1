import Glibc

/// The terminal that standard output may be.
enum Terminal {
  /// How many columns it has; `nil`: standard output is no terminal (isatty, TIOCGWINSZ).
  static var width: Int? {
    if isatty(STDOUT_FILENO) != 1 { return nil }
    var size = winsize()
    // A serial line does not know.
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

/// Colours of a terminal (ECMA-48, SGR).
enum Colour: Int {
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33

  /// Whether standard output is a terminal that shows colours, and its user wants them (https://no-color.org).
  static var isWanted: Bool {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    return refusal.isEmpty && terminal != "dumb" && isatty(STDOUT_FILENO) == 1
  }

  func paint(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}

extension Colour? {
  /// The text in this colour, if there is one and `isWanted`.
  func paint(_ text: String, if isWanted: Bool) -> String { isWanted ? self?.paint(text) ?? text : text }
}
