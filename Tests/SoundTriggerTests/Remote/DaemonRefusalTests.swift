import Testing

@testable import SoundTrigger

@Suite struct DaemonRefusalTests {
  @Test(arguments: [
    ("error: line 3: 'a' is fed by a file [owned]", DaemonRefusal(line: 3, .owned, "'a' is fed by a file")),
    ("error: line 12: no device took 'x' [no_device]", DaemonRefusal(line: 12, .noDevice, "no device took 'x'")),
    (
      "error: this soundd belongs to another user (uid 0) [not_permitted]",
      DaemonRefusal(.notPermitted, "this soundd belongs to another user (uid 0)")
    ),
    // Only the last brackets are the code.
    (
      "error: line 1: there is no trigger 'a [unknown]' [unknown]",
      DaemonRefusal(line: 1, .unknown, "there is no trigger 'a [unknown]'")
    ),
    ("error: line 1: a: b: c [limit]", DaemonRefusal(line: 1, .limit, "a: b: c")),
  ])
  func `an error has a line, a code and a sentence`(reply: String, refusal: DaemonRefusal) {
    #expect(DaemonRefusal(reply: Array(reply.utf8)) == refusal)
  }

  @Test(arguments: [
    // An older daemon has no codes.
    ("error: line 2: there is no value 'x'", DaemonRefusal(line: 2, .refused, "there is no value 'x'")),
    ("error: line 2: 'x [1]' is not a number", DaemonRefusal(line: 2, .refused, "'x [1]' is not a number")),
    ("error: [output] needs a restart [1]", DaemonRefusal(.refused, "[output] needs a restart [1]")),
    // A later one may have others.
    ("error: line 2: it rains [weather]", DaemonRefusal(line: 2, .refused, "it rains")),
    ("error: ", DaemonRefusal(.refused, "")), ("error: ]", DaemonRefusal(.refused, "]")),
    ("error: []", DaemonRefusal(.refused, "[]")), ("error: line x: y", DaemonRefusal(.refused, "line x: y")),
  ])
  func `an error without a code that this version knows counts as refused`(reply: String, refusal: DaemonRefusal) {
    #expect(DaemonRefusal(reply: Array(reply.utf8)) == refusal)
  }

  @Test(arguments: ["ok", "{}", "", "error", "Error: x"])
  func `any other line is no error`(reply: String) {
    #expect(DaemonRefusal(reply: Array(reply.utf8)) == nil)
  }
}
