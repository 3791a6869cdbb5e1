import SoundWire
import Testing

@testable import soundd

/// How commands read the daemon's replies.
struct DaemonRequestsTests {
  @Test(arguments: [
    (#"[{"name":"a"}]"#, "the daemon is older, its answer has no 'state': systemctl --user restart soundd"),
    (#"[{"name":1}]"#, "the daemon's answer is not understood: 'name' has a content of another kind than expected"),
    (
      "ok",
      "the daemon's answer is not understood: not the JSON that was expected: byte 0: expected a value, found 'o'"
    ),
  ])
  func `a list that cannot be read is bad data, like a single message`(reply: String, text: String) {
    #expect(throws: Failure(.badData, text)) { try Failure.reading(Array(reply.utf8), as: [AlarmMessage].self) }
    let element = reply == "ok" ? reply : String(reply.dropFirst().dropLast())
    #expect(throws: Failure(.badData, text)) { try Failure.reading(Array(element.utf8), as: AlarmMessage.self) }
  }
}
