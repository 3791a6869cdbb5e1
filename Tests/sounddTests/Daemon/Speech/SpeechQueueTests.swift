import SoundTrigger
import SoundWire
import Testing

@testable import soundd

struct SpeechQueueTests {
  private var queue = SpeechQueue()

  private func utterance(
    _ trigger: String, _ text: String = "x", _ importance: PlaySettings.Importance = .normal, at seconds: Int64 = 0
  ) -> SpeechQueue.Utterance {
    SpeechQueue.Utterance(
      trigger: trigger, text: text, settings: PlaySettings(importance: importance),
      at: Instant(nanoseconds: seconds * 1_000_000_000))
  }

  /// What is spoken next, after the end of the present one; `nil`: nothing.
  private mutating func next(at seconds: Int64 = 0) -> SpeechQueue.Action? {
    queue.next(at: Instant(nanoseconds: seconds * 1_000_000_000))
  }

  @Test mutating func `one utterance follows the other`() {
    queue.add(utterance("a"))
    queue.add(utterance("b"))
    #expect(next() == .make(utterance("a")))
    #expect(next() == nil)
    queue.ended()
    #expect(next() == .make(utterance("b")))
    queue.ended()
    #expect(next() == nil && queue.current == nil)
  }

  @Test mutating func `a newer one of the same trigger takes the place of the one that waits`() {
    for (trigger, text) in [("a", "1"), ("b", "1"), ("c", "1"), ("b", "2")] {
      queue.add(utterance(trigger, text))
      _ = next()
    }
    // What is spoken is spoken to its end.
    queue.add(utterance("a", "2"))
    var spoken: [String] = []
    while queue.current != nil {
      queue.ended()
      if case .make(let one) = next() { spoken.append(one.trigger + one.text) }
    }
    #expect(spoken == ["b2", "c1", "a2"])
  }

  @Test mutating func `what is removed is not spoken, and the others are`() {
    for trigger in ["a", "b", "c"] { queue.add(utterance(trigger)) }
    #expect(next() == .make(utterance("a")))
    var wasSpoken = queue.remove(.trigger("b"))
    #expect(!wasSpoken)
    wasSpoken = queue.remove(.trigger("a"))
    #expect(wasSpoken)
    #expect(next() == .make(utterance("c")))
    wasSpoken = queue.remove(.everything)
    #expect(wasSpoken)
    #expect(next() == nil && queue.current == nil)
  }

  @Test mutating func `a more important one interrupts, an equal one waits`() {
    queue.add(utterance("a", "x", .normal))
    _ = next()
    queue.add(utterance("b", "x", .normal))
    #expect(next() == nil)
    queue.add(utterance("c", "x", .critical))
    #expect(next() == .stop(utterance("a", "x", .normal)))
    #expect(next() == .make(utterance("c", "x", .critical)))
    #expect(next() == nil)
    queue.ended()
    // The interrupted one is not spoken again.
    #expect(next() == .make(utterance("b", "x", .normal)))
  }

  @Test mutating func `what has waited too long is not spoken`() {
    queue.add(utterance("a"))
    _ = next()
    queue.add(utterance("b", at: 1))
    queue.add(utterance("c", at: 5))
    queue.ended()
    #expect(next(at: 32) == .make(utterance("c", at: 5)))
  }

  @Test mutating func `of many the least important is dropped`() {
    for number in 0..<40 { queue.add(utterance("t\(number)", "x", number == 3 ? .high : .low)) }
    #expect(queue.waiting.count == SpeechQueue.mostWaiting)
    #expect(next() == .make(utterance("t3", "x", .high)))
  }
}
