import AllocationCounter
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// A line that changes nothing, from its bytes to the end of its transaction.
@Suite(.enabled(if: allocation_counter_is_active() != 0, "a sanitizer replaces malloc"))
struct UnchangedLineTests {
  @Test(arguments: [
    "n=1.5\n", "b=yes\n", "t=passed\n", "t= passed \r\n", "a-name-that-does-not-fit-into-a-string-of-sixteen=x\n",
    "t=a content that is longer than the fifteen bytes that are kept inline\n",
  ])
  func `a line that changes nothing allocates nothing`(line: String) throws {
    let pipeline = try pipeline()
    let bytes = Array(line.utf8)
    var reader = LineReader()
    var applied = 0
    // The first change makes a trigger's record, and the second one may still move a buffer.
    for content in ["0", "1", "no"] {
      _ = try? pipeline.assign(Array("n".utf8).span, Array(content.utf8).span, at: .zero)
    }
    apply(bytes, to: pipeline, with: &reader, &applied)
    let before = allocation_counter_of_this_thread()
    for _ in 0..<100 { apply(bytes, to: pipeline, with: &reader, &applied) }
    #expect(allocation_counter_of_this_thread() - before == 0)
    #expect(applied == 101)
  }

  private func apply(_ bytes: [UInt8], to pipeline: Pipeline, with reader: inout LineReader, _ applied: inout Int) {
    reader.feed(bytes.span) { line, _ in
      guard let line, let request = try? Request(line) else { return false }
      if let isApplied = try? pipeline.apply(request, of: line, at: .zero), isApplied { applied += 1 }
      return true
    }
  }

  private func pipeline() throws -> Pipeline {
    let text = """
      [value.n]
      type = "number"
      [value.b]
      type = "bool"
      [[trigger]]
      value = ["n", "b", "t"]
      sound = "success"
      """
    let configuration = try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    return try Pipeline(configuration, player: Player(OfflineOutput(writer: nil, rate: 48_000)))
  }
}

extension Instant {
  fileprivate static var zero: Instant { Instant(nanoseconds: 0) }
}
