import Testing

@testable import soundd

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("", ""), ("plain text = 1", "plain text = 1"), ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[31mred", #"\u{1b}[31mred"#),
    ("\u{7F}\u{9B}31m\0", #"\u{7f}\u{9b}31m\u{0}"#), ("grün 日本 👩‍👩‍👧", "grün 日本 👩‍👩‍👧"),
    ("safe\u{202E}gpj.exe", #"safe\u{202e}gpj.exe"#), ("a\u{2028}b\u{2066}c", #"a\u{2028}b\u{2066}c"#),
    (#"a\nb"#, #"a\nb"#),
  ])
  func `what would act on a terminal is shown as an escape`(text: String, shown: String) {
    #expect(String(decoding: TerminalText.escaped(Array(text.utf8)), as: UTF8.self) == shown)
  }

  @Test func `bytes that are no text become replacement characters`() {
    #expect(String(decoding: TerminalText.escaped([0x61, 0xFF, 0x0A]), as: UTF8.self) == "a\u{FFFD}\\n")
  }
}
