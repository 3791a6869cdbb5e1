import Foundation
import SoundWire
import Testing
import SoundTrigger
import TestSupport

@testable import soundd

@Suite struct SetLineFilterTests {
  /// What the parser makes of a stream in pieces.
  private struct Result: Equatable {
    var passed = ""
    var refused: [String] = []
    var count = 0
    var pieces = 0
  }

  private func feed(_ pieces: [[UInt8]]) -> Result {
    var lines = SetLineFilter()
    var result = Result()
    func refuse(_ number: Int, _ reason: String) { result.refused.append("\(number): \(reason)") }
    func pass(_ bytes: [UInt8]) {
      result.passed += String(decoding: bytes, as: UTF8.self)
      if !bytes.isEmpty { result.pieces += 1 }
    }
    for piece in pieces { pass(lines.take(piece.span, refuse: refuse)) }
    pass(lines.take(nil, refuse: refuse))
    result.count = lines.count
    return result
  }

  private func feed(_ text: String) -> Result { feed([Array(text.utf8)]) }

  private static let expected = "expected NAME=VALUE or a JSON object"

  @Test func `lines that set values are passed on as they are, in one piece`() {
    let text = "a=1\n\n# remark\n  b/c.d:e-f=x=y \n{\"a\": 1}\n\t\nget=2\nx=\n"
    #expect(feed(text) == Result(passed: text, count: 8, pieces: 1))
  }

  @Test func `of the carriage returns at the end of a line one belongs to the end`() {
    var reader = LineReader()
    for (text, content) in [("a=1\r\n", "a=1"), ("a=1\r\r\n", "a=1\r")] {
      let passed = Array(feed(text).passed.utf8)
      var lines: [String] = []
      reader.feed(passed.span) { line, _ in
        if let line { lines.append(line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }) }
        return true
      }
      #expect(lines == [content])
    }
  }

  @Test func `commands are held back, and an empty line stands for each`() {
    let commands = [
      "get a", "list", "status", "explain t", "sync", "play x", "stop", "mute", "unmute", "volume 1", "profile quiet",
      "reload", "events", "events a", "nonsense", "get", "list 1", "stop ", "\u{FFFD}", "\0",
    ]
    for command in commands {
      let result = feed("a=1\n\(command)\nb=2\n")
      #expect(result.passed == "a=1\n\nb=2\n", "\(command)")
      #expect(result.refused == ["2: \(Self.expected)"], "\(command)")
    }
  }

  @Test func `what is wrong with a name is said`() {
    let long = String(repeating: "n", count: 129)
    #expect(
      feed("=1\n-a=1\n\(long)=1\na b=1\n").refused == [
        "1: \(RequestRefusal.badName(""))", "2: \(RequestRefusal.badName("-a"))", "4: \(RequestRefusal.badName("a b"))",
      ])
    // That one has a name and '=': the daemon says what it thinks of it.
    #expect(feed("\(long)=1\n").passed == "\(long)=1\n")
  }

  @Test func `the last line needs no end`() {
    #expect(feed("a=1\nb=2") == Result(passed: "a=1\nb=2\n", count: 2, pieces: 2))
    #expect(feed("a=1\nstop").refused == ["2: \(Self.expected)"])
    #expect(feed("") == Result())
    #expect(feed("\n") == Result(passed: "\n", count: 1, pieces: 1))
  }

  @Test func `a line that is too long is skipped to its end`() {
    let long = String(repeating: "x", count: 65_535)
    let result = feed("a=1\nb=\(long)\nc=3\n")
    #expect(result.passed == "a=1\n\nc=3\n")
    #expect(result.refused == ["2: \(RequestRefusal.lineTooLong)"])
    #expect(feed("a=1\nb=\(long)").refused == ["2: \(RequestRefusal.lineTooLong)"])
  }

  @Test func `it does not matter where the stream is cut`() {
    let long = String(repeating: "y", count: 70_000)
    let text = "a=1\nlist\r\n\n{\"b\":2}\nc=\(long)\n=\nd=4\r\n # x\nstop a\nlast"
    let whole = feed(text)
    #expect(whole.refused.count == 5)
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var pieces: [[UInt8]] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...(Bool.random(using: &random) ? 4 : 40_000), using: &random)
        pieces.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      let cut = feed(pieces)
      #expect(cut.passed == whole.passed)
      #expect(cut.refused == whole.refused)
      #expect(cut.count == whole.count)
    }
  }
}
