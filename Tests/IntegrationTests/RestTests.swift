import Foundation
import Testing

/// A daemon that has nothing to do does nothing.
struct RestTests {
  @Test(.disabled(if: Program.hasTickingThread), arguments: ["none", "file"])
  func `after a sound has ended nothing wakes up`(device: String) throws {
    let home = try Home()
    // No file is watched: other tests make and remove folders beside this one's, which a watch on the way would hear of.
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\nthrottle = \"100 ms\"\n",
      "--device", device == "file" ? "file:\(home("out.raw")),raw" : "none")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    try eventually("the sound was heard and is over") {
      let status = try home.status()
      let latency = status["latency"] as? [String: Any]
      let state = (status["device"] as? [String: Any])?["state"] as? String
      return latency?["count"] as? Int == 1 && status["voices"] as? Int == 0 && (device == "none" || state == "idle")
    }
    // It may still have to hear that the last question's connection is gone, and that the last block was silent. On a busy machine that
    // takes a while. Then nothing may happen for two seconds.
    try daemon.waitForRest(seconds: 2)
    // It is at rest, not dead.
    #expect(try home.run("set", "a=3").wait() == .exit(0))
    #expect(try home.played("a") == 2)
  }
}
