import Testing

@testable import soundd

@Suite struct LineReaderTests {
  /// Feeds the chunks and returns the lines; `nil` for one that was too long.
  private func lines(_ chunks: [[UInt8]], finish: Bool = false) -> [[UInt8]?] {
    var reader = LineReader()
    var lines: [[UInt8]?] = []
    let receive: (Span<UInt8>?, Int) -> Bool = { line, number in
      if let line {
        lines.append(line.withUnsafeBufferPointer { Array($0) })
      } else {
        lines.append(nil)
      }
      #expect(number == lines.count)
      return true
    }
    for chunk in chunks { reader.feed(chunk.span, receive) }
    if finish { reader.finish(receive) }
    return lines
  }

  private func lines(_ chunks: String..., finish: Bool = false) -> [String?] {
    lines(chunks.map { Array($0.utf8) }, finish: finish).map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  private func repeated(_ count: Int, _ byte: UInt8 = 0x61) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  @Test func `both ends of a line are understood`() {
    #expect(lines("a=1\nb=2\r\n\n\r\nc\r=3\n") == ["a=1", "b=2", "", "", "c\r=3"])
  }

  @Test func `every way of cutting the stream gives the same lines`() {
    let text = Array("a=1\r\n\nlong line with words\r\n\r\n=\u{0}x\n".utf8)
    let expected = ["a=1", "", "long line with words", "", "=\u{0}x"].map { Array($0.utf8) as [UInt8]? }
    for first in 0...text.count {
      for second in first...text.count {
        #expect(lines([Array(text[..<first]), Array(text[first..<second]), Array(text[second...])]) == expected)
      }
    }
  }

  @Test func `half a line waits for its end, and is handed out at the end of the stream`() {
    #expect(lines("a=1\nhal") == ["a=1"])
    #expect(lines("a=1\nhal", finish: true) == ["a=1", "hal"])
    #expect(lines("a=1\n", finish: true) == ["a=1"])
  }

  @Test(arguments: ["\n", "\r\n"])
  func `a line of exactly the limit passes, one more byte does not`(end: String) {
    let ending = Array(end.utf8)
    let longest = repeated(65_536)
    for cut in [0, 1, 40_000, 65_535, 65_536, 65_537] {
      let fits = longest + ending
      #expect(lines([Array(fits[..<cut]), Array(fits[cut...])]) == [longest])
      let exceeds = longest + [0x61] + ending + Array("next\n".utf8)
      #expect(lines([Array(exceeds[..<cut]), Array(exceeds[cut...])]) == [nil, Array("next".utf8)])
    }
    #expect(lines([longest], finish: true) == [longest])
    #expect(lines([longest + [0x61]], finish: true) == [nil])
  }

  @Test func `a line of a megabyte is reported once and skipped to its end`() {
    var chunks = [Array("a=1\n".utf8)]
    for _ in 0..<256 { chunks.append(repeated(4096)) }
    chunks.append(Array("tail\nb=2\n".utf8))
    #expect(lines(chunks) == [Array("a=1".utf8), nil, Array("b=2".utf8)])
  }

  @Test func `ten thousand lines come in order out of one chunk`() {
    let text = (0..<10_000).map { "v\($0)=\($0)" }
    #expect(lines([Array((text.joined(separator: "\n") + "\n").utf8)]) == text.map { Array($0.utf8) })
  }

  @Test func `a receiver that has had enough gets no further line`() {
    var reader = LineReader()
    var count = 0
    reader.feed(Array("a\nb\nc\n".utf8).span) { _, _ in
      count += 1
      return count < 2
    }
    #expect(count == 2)
  }

  @Test func `a reader knows whether it is inside a line`() {
    var reader = LineReader()
    #expect(!reader.isInsideLine)
    reader.feed([0x61].span) { _, _ in true }
    #expect(reader.isInsideLine)
    reader.feed(repeated(100_000).span) { _, _ in true }
    #expect(reader.isInsideLine)
    reader.feed([0x0A].span) { _, _ in true }
    #expect(!reader.isInsideLine)
  }
}
