import Testing

@testable import soundd

/// What the monitor makes of the bytes that a terminal sends.
struct MonitorKeyTests {
  @Test(arguments: [
    ("q", [MonitorKey.character("q")]), ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}OA", [.up]),
    ("\u{1B}OB", [.down]), ("\u{1B}[1;5A", [.up]), ("\r", [.enter]), ("\n", [.enter]), ("\u{1B}", [.escape]),
    ("\u{1B}\u{1B}", [.escape, .escape]), (" +-", [.character(" "), .character("+"), .character("-")]),
    ("a\u{1B}[Bs", [.character("a"), .down, .character("s")]), ("", []),
  ])
  func `a key has its bytes`(text: String, keys: [MonitorKey]) {
    #expect(MonitorKey.keys(in: text.utf8) == keys)
  }

  @Test(arguments: [
    // Right, page up, F5, Alt and q, a report of the mouse, the ends of a paste.
    "\u{1B}[C", "\u{1B}[5~", "\u{1B}[15~", "\u{1B}q", "\u{1B}[<0;1;1M", "\u{1B}[200~", "\u{1B}[201~", "\u{1B}OP",
    // Unfinished, not ASCII, and other control characters.
    "\u{1B}[", "\u{1B}O", "\u{1B}[1;", "ä", "\u{0}\u{7}\u{7F}",
  ])
  func `other sequences are no keys`(text: String) { #expect(MonitorKey.keys(in: text.utf8) == []) }

  @Test func `no bytes make it fail`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(MonitorKey.keys(in: bytes + [27, 27, 113]).suffix(1) != [.up], "\(bytes)")
    }
  }
}
