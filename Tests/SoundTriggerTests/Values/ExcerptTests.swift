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

  @Test func `forty bytes are shown whole, more are cut between characters`() {
    let forty = [UInt8](repeating: 0x61, count: 40)
    #expect(quote(forty) == "'" + String(repeating: "a", count: 40) + "'")
    #expect(quote(forty + [0x61]) == "'" + String(repeating: "a", count: 40) + "…'")
    let split = Array((String(repeating: "a", count: 39) + "é").utf8)
    #expect(quote(split) == "'" + String(repeating: "a", count: 39) + "…'")
  }
}
