import Testing

@testable import soundd

@Suite struct TailPositionTests {
  private func take(_ position: inout TailPosition, _ file: String) -> String? {
    let bytes = Array(file.utf8.dropFirst(position.readOffset))
    guard let range = position.advance(over: bytes.span) else { return nil }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  @Test func `appended bytes are new, each time`() {
    var position = TailPosition()
    #expect(take(&position, "") == "")
    #expect(take(&position, "one\n") == "one\n")
    #expect(take(&position, "one\n") == "")
    #expect(take(&position, "one\ntwo\nthr") == "two\nthr")
    #expect(position.offset == 11)
    #expect(take(&position, "one\ntwo\nthree") == "ee")
  }

  @Test func `no more than a mark is read again`() {
    var position = TailPosition()
    let file = String(repeating: "0123456789", count: 100)
    #expect(take(&position, file) == file)
    #expect(position.readOffset == 1000 - TailPosition.markLength)
    #expect(take(&position, file + "!") == "!")
    #expect(position.readOffset == 1001 - TailPosition.markLength)
  }

  @Test(arguments: ["", "on", "two", "two\n", "two\nthree\n", "xne\n", "onx\n", "xxx\nand more"])
  func `a file that is shorter or another text begins anew`(file: String) {
    var position = TailPosition()
    #expect(take(&position, "one\n") == "one\n")
    #expect(take(&position, file) == nil)
    #expect(position == TailPosition())
    #expect(take(&position, file) == file)
  }

  /// A file's end, its last complete line, and what follows.
  struct End: Sendable {
    var bytes: String
    var isWhole = true
    var line: String?
    var rest = ""
  }

  @Test(arguments: [
    End(bytes: ""),
    End(bytes: "par", rest: "par"),
    End(bytes: "\n", line: "\n"),
    End(bytes: "one\n", line: "one\n"),
    End(bytes: "one\r\n", line: "one\r\n"),
    End(bytes: "one\ntwo\n", line: "two\n"),
    End(bytes: "one\n\n", line: "\n"),
    End(bytes: "one\npar", line: "one\n", rest: "par"),
    End(bytes: "one\ntwo\npar", isWhole: false, line: "two\n", rest: "par"),
    // The beginning of the line is not there.
    End(bytes: "ne\n", isWhole: false),
    End(bytes: "ne\npar", isWhole: false, rest: "par"),
    End(bytes: "par", isWhole: false, rest: "par"),
  ])
  func `the last line is the last one that has an end`(end: End) {
    let bytes = Array(end.bytes.utf8)
    let (line, rest) = TailPosition.lastLine(of: bytes.span, isWhole: end.isWhole)
    #expect(line.map { String(decoding: bytes[$0], as: UTF8.self) } == end.line)
    #expect(String(decoding: bytes[rest], as: UTF8.self) == end.rest)
  }
}
