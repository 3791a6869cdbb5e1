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
}
