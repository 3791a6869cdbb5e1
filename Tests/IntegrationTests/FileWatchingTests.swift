import Foundation
import Testing

/// Files as sources of values: what real programs do to files, under real inotify.
struct FileWatchingTests {
  private let home: Home
  private let daemon: Program

  /// A daemon that watches `watched/build`, which holds `content` (`nil`: there is not even a folder).
  private static func start(_ home: Home, _ content: String?, type: String = "text") throws -> Program {
    if let content { try home.write("watched/build", content) }
    return try home.daemon(
      """
      [value.build]
      file = "\(home("watched/build"))"
      type = "\(type)"
      [[trigger]]
      value = "build"
      sound = "success"
      """, "--device", "none")
  }

  init() throws {
    home = try Home()
    daemon = try Self.start(home, "passed\n")
  }

  /// Waits for an update of the value; returns how many there were.
  private func updates(after count: Int) throws -> Int {
    var updates = 0
    try eventually("the file was read again") {
      updates = try home.value("build")["updates"] as? Int ?? 0
      return updates > count
    }
    return updates
  }

  /// Changes the file once more and expects that this made the play number `count`.
  ///
  /// inotify keeps the order: whatever went before has been decided by then.
  private func expectPlays(_ count: Int) throws {
    try home.replace("watched/build", "the last word")
    try eventually("the last change has arrived") {
      try home.value("build")["value"] as? String == "the last word"
    }
    #expect(try home.played("build") == count + 1)
  }

  @Test func `a long event that is only looked at again has not arrived again`() throws {
    let home = try Home()
    let long = String(repeating: "x", count: 70_000)
    let (polled, watched, clock) = (try home.write("p", long), try home.write("w", long), try home.write("c", "1"))
    _ = try home.daemon(
      """
      [value.polled]
      file = "\(polled)"
      type = "event"
      poll = "20 ms"
      [value.watched]
      file = "\(watched)"
      type = "event"
      [value.clock]
      file = "\(clock)"
      poll = "20 ms"
      """, "--device", "none")
    let updates = { name in try home.value(name)["updates"] as? Int }
    // Written once, and closed later.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: watched))
    try handle.write(contentsOf: Data(String(repeating: "y", count: 70_000).utf8))
    try eventually("the written file is read") { try updates("watched") == 2 }
    try handle.close()
    let before = try updates("clock") ?? 0
    try eventually("it is looked again and again") { try updates("clock") ?? 0 > before + 10 }
    #expect(try updates("polled") == 1)
    #expect(try updates("watched") == 2)
  }

  @Test func `an atomic replace plays exactly one`() throws {
    #expect(try home.value("build")["value"] as? String == "passed")
    try home.replace("watched/build", "failed\n")
    try eventually("the change has been played") { try home.played("build") == 1 }
    try expectPlays(1)
  }

  @Test func `a rewrite in place plays exactly one, whatever is seen in between`() throws {
    try home.write("watched/build", "failed\n")
    try eventually("the change has been played") { try home.played("build") ?? 0 > 0 }
    try expectPlays(1)
  }

  @Test func `a rewrite with the same content plays none`() throws {
    let before = try updates(after: 0)
    try home.write("watched/build", "passed\n")
    _ = try updates(after: before)
    try expectPlays(0)
  }

  @Test func `an atomic replace by the same content plays none`() throws {
    let before = try updates(after: 0)
    try home.replace("watched/build", "  passed")
    _ = try updates(after: before)
    try expectPlays(0)
  }

  @Test func `a file that is deleted and made again with the same content plays none`() throws {
    let before = try updates(after: 0)
    try FileManager.default.removeItem(atPath: home("watched/build"))
    try home.write("watched/build", "passed\n")
    _ = try updates(after: before)
    try expectPlays(0)
  }

  @Test func `a folder that is deleted and made again with other content plays one`() throws {
    try FileManager.default.removeItem(atPath: home("watched"))
    try home.write("watched/build", "failed\n")
    try eventually("the change has been played") { try home.played("build") == 1 }
    try expectPlays(1)
  }

  @Test func `a symbolic link that is turned to another file plays one`() throws {
    try home.write("other", "failed\n")
    try FileManager.default.createSymbolicLink(atPath: home("link"), withDestinationPath: home("other"))
    #expect(rename(home("link"), home("watched/build")) == 0)
    try eventually("the change has been played") { try home.played("build") == 1 }
    try expectPlays(1)
  }

  @Test func `a file that does not exist at the start appears in silence`() throws {
    let home = try Home()
    let daemon = try Self.start(home, nil)
    #expect(try home.value("build")["value"] is NSNull)
    try home.write("watched/build", "passed\n")
    try eventually("the file has appeared") { try home.value("build")["value"] as? String == "passed" }
    #expect(try home.played("build") == 0)
    try home.replace("watched/build", "failed\n")
    try eventually("the change has been played") { try home.played("build") == 1 }
    #expect(!daemon.errors.contains("error"))
  }

  @Test func `content that does not parse is refused with the reason, and the old value stays`() throws {
    let home = try Home()
    let daemon = try Self.start(home, "1.0", type: "number")
    try home.replace("watched/build", "many")
    try daemon.waitForErrors("value 'build': 'many' is not a number")
    #expect(try home.value("build")["value"] as? Double == 1)
    try home.replace("watched/build", "1.00")
    try home.replace("watched/build", "2")
    try eventually("the change has been played") { try home.played("build") == 1 }
    #expect(try home.trigger("build")["changes"] as? Int == 1)
  }

  @Test func `a long file is a change of its fingerprint`() throws {
    let long = String(repeating: "0123456789abcdef", count: 10_000)
    try home.replace("watched/build", long)
    try eventually("the change has been played") { try home.played("build") == 1 }
    let value = try home.value("build")["value"] as? [String: Any]
    #expect(value?["length"] as? Int == 160_000)
    try home.replace("watched/build", long)
    try home.replace("watched/build", long + "!")
    try eventually("the change has been played") { try home.played("build") == 2 }
    try expectPlays(2)
  }

  @Test func `setting a value that a file feeds is refused and names the file`() throws {
    let program = try home.run("set", "build=failed")
    #expect(try program.wait() == .exit(77))
    #expect(program.errors.contains(home("watched/build")))
    #expect(try home.value("build")["value"] as? String == "passed")
    // All or nothing: the other member of the transaction is not set either.
    let both = try home.run("set", "other=1", "build=failed")
    #expect(try both.wait() == .exit(77))
    #expect(try home.connect().ask("get other").hasPrefix("error: line 1: "))
  }
}
