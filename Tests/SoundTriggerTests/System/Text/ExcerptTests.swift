import Foundation
import Testing

@testable import SoundTrigger

struct ExcerptTests {
  private func quote(_ bytes: [UInt8]) -> String { Excerpt.quoting(bytes.span) }

  @Test(
    arguments: [
      ([], "''"), ([0x61], "'a'"), ([0x0a, 0x0d, 0x09], "'\\n\\r\\t'"), ([0x00, 0x1b, 0x7f], "'\\u{0}\\u{1b}\\u{7f}'"),
      ([0xff, 0x61, 0xc3], "'\\xffa\\xc3'"), ([0x0f | 0x80], "'\\x8f'"), ([0xc3, 0xa9], "'é'"),
      // A right-to-left override and a line separator would act on a terminal, and so would CSI (U+009B).
      ([0xe2, 0x80, 0xae], "'\\u{202e}'"), ([0xe2, 0x80, 0xa8], "'\\u{2028}'"), ([0xc2, 0x9b], "'\\u{9b}'"),
    ] as [([UInt8], String)]) func `bytes are shown so that they cannot act`(bytes: [UInt8], expected: String)
  {
    #expect(quote(bytes) == expected)
  }

  @Test func `sixty characters are shown whole, more are truncated between characters`() {
    let sixty = String(repeating: "é", count: 60)
    #expect(Excerpt.quoting(sixty) == "'\(sixty)'")
    #expect(Excerpt.quoting(sixty + "a") == "'\(sixty)…'")
    #expect(Excerpt.quoting("abc", limit: 2) == "'ab…'")
  }

  @Test(arguments: [
    ("", ""), ("plain text = 1", "plain text = 1"), ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[31mred", #"\u{1b}[31mred"#),
    ("\u{7F}\u{9B}31m\0", #"\u{7f}\u{9b}31m\u{0}"#), ("grün 日本 👩‍👩‍👧", "grün 日本 👩‍👩‍👧"),
    ("a\u{2028}b\u{2029}c\u{FEFF}", #"a\u{2028}b\u{2029}c\u{feff}"#), (#"a\nb"#, #"a\nb"#),
  ])
  func `what would act on a terminal is shown as an escape`(text: String, shown: String) {
    #expect(Excerpt.escaping(text) == shown)
  }

  @Test(arguments: [
    ("/home/me/a-b_c.toml", "/home/me/a-b_c.toml"), ("two words", "'two words'"), ("it's", #"'it'\''s'"#),
    ("$HOME", "'$HOME'"), ("~/x", "'~/x'"), ("", "''"), ("grün", "'grün'"), ("a'\u{301}", "'a'\\''\u{301}'"),
  ])
  func `a word of a command reaches the program as it is`(text: String, word: String) throws {
    #expect(Excerpt.shellWord(text) == word)
    let (shell, output) = (Process(), Pipe())
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "printf %s \(word)"]
    shell.standardOutput = output
    try shell.run()
    #expect(output.fileHandleForReading.readDataToEndOfFile() == Data(text.utf8))
    shell.waitUntilExit()
  }

  @Test(arguments: Array(0x202A...0x202E) + Array(0x2066...0x2069) as [UInt32])
  func `what turns the direction of writing is escaped`(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let escape = "\\u{\(String(value, radix: 16))}"
    #expect(Excerpt.escaping("a\(scalar)b") == "a\(escape)b")
    #expect(Excerpt.quoting("a\(scalar)b") == "'a\(escape)b'")
  }
}

struct HexadecimalTests {
  @Test func `numbers have all their digits`() {
    #expect(Hexadecimal.text(UInt8(0x0A)) == "0a")
    #expect(Hexadecimal.text(UInt16(0x1B)) == "001b")
    #expect(Hexadecimal.text(UInt32.max) == "ffffffff")
  }

  @Test func `a digest is read again`() {
    let digest = SIMD8<UInt32>(1, 0xe3b0_c442, 0, .max, 5, 6, 7, 0x0800_0000)
    #expect(Hexadecimal.digest(Hexadecimal.text(digest)) == digest)
    let zeros = String(repeating: "0", count: 63)
    for text in ["", zeros, zeros + "00", zeros + "A", zeros + "g"] { #expect(Hexadecimal.digest(text) == nil) }
  }
}
