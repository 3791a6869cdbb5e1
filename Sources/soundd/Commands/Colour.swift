import Glibc

/// Colours of a terminal (ECMA-48, SGR).
enum Colour: Int {
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
