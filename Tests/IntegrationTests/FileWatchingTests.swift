import Foundation
import Testing

/// Files as sources of values: what real programs do to files, under real inotify.
struct FileWatchingTests {
  private let home: Home
  private let daemon: Program

  /// A daemon that watches `watched/build`, which contains `content`; `nil`: its folder is missing.
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
  /// inotify keeps the order: all earlier changes have been decided by then.
  private func expectPlays(_ count: Int) throws {
    try home.replace("watched/build", "the last word")
    try eventually("the last change has arrived") {
      try home.value("build")["value"] as? String == "the last word"
    }
    #expect(try home.played("build") == count + 1)
  }

  @Test func `a long event that is only read again has not arrived again`() throws {
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

  @Test func `a file that does not exist at the start is heard when it appears`() throws {
    let home = try Home()
    let daemon = try Self.start(home, nil)
    #expect(try home.value("build")["value"] is NSNull)
    try home.write("watched/build", "passed\n")
    try eventually("the first content has been played") { try home.played("build") == 1 }
    #expect(try home.value("build")["value"] as? String == "passed")
    try home.replace("watched/build", "failed\n")
    try eventually("the change has been played") { try home.played("build") == 2 }
    #expect(!daemon.errors.contains("error"))
  }

  @Test func `the README's first example is heard at its first use`() throws {
    let home = try Home()
    _ = try home.daemon(
      """
      [value.build]
      file = "~/.cache/build/status"

      [[trigger]]
      value  = "build"
      sounds = { passed = "success", failed = "error" }
      """, "--device", "none")
    try home.write(".cache/build/status", "failed\n")
    try eventually("the first content has been played") { try home.played("build") == 1 }
  }

  @Test func `watch with a file that is missing is heard when there is one`() throws {
    let home = try Home()
    let out = home("out.raw")
    let program = try home.start(
      "watch", "success", "--file", "later", "--device", "file:\(out),raw", input: .nothing)
    try program.waitForErrors("soundd: ready: ")
    try home.write("later", "1")
    try eventually("the first content is heard") { (try? Recording(raw: out).onset()) ?? nil != nil }
    program.send(signal: SIGTERM)
    #expect(try program.wait() == .exit(0))
  }

  @Test func `a content that the type refuses is nothing, and the first that it accepts is heard`() throws {
    let home = try Home()
    let daemon = try Self.start(home, "many", type: "number")
    try daemon.waitForErrors("value 'build': 'many' is not a number")
    #expect(try home.value("build")["value"] is NSNull)
    try home.replace("watched/build", "1")
    try eventually("the first content has been played") { try home.played("build") == 1 }
  }

  @Test func `a content without a match is nothing, and the first match is heard`() throws {
    let home = try Home()
    try home.write("log", "nothing of interest")
    _ = try home.daemon(
      """
      [value.v]
      file = "~/log"
      match = 'state=(.*)'
      [[trigger]]
      value = "v"
      sound = "success"
      """, "--device", "none")
    #expect(try home.value("v")["value"] is NSNull)
    try home.replace("log", "state=up")
    try eventually("the first content has been played") { try home.played("v") == 1 }
    #expect(try home.value("v")["value"] as? String == "up")
  }

  @Test func `the first content of a file that becomes readable is silent`() throws {
    let home = try Home()
    // A link to itself, because permissions do not stop root.
    try FileManager.default.createSymbolicLink(atPath: home("f"), withDestinationPath: home("f"))
    let daemon = try home.daemon(
      "[value.f]\nfile = \"~/f\"\n[[trigger]]\nvalue = \"f\"\nsound = \"success\"\n", "--device", "none")
    try daemon.waitForErrors("Too many levels of symbolic links")
    try home.replace("f", "one")
    try eventually("it is read") { try home.value("f")["value"] as? String == "one" }
    #expect(try home.trigger("f")["changes"] as? Int == 0)
    try home.replace("f", "two")
    try eventually("the change has been played") { try home.played("f") == 1 }
  }

  @Test func `a file that appears after a restart is compared with its content from the last run`() throws {
    let home = try Home()
    let file = try home.write("watched", "passed")
    let configuration =
      "[value.v]\nfile = \"~/watched\"\n[[trigger]]\nvalue = \"v\"\nsound = \"success\"\ninitial = \"if-changed\"\n"
    for (content, plays) in [("passed", 0), ("failed", 1)] {
      let first = try home.daemon(configuration, "--device", "none")
      #expect(try home.value("v")["value"] as? String == "passed")
      first.send(signal: SIGTERM)
      #expect(try first.wait() == .exit(0))
      try FileManager.default.removeItem(atPath: file)
      let second = try home.daemon(configuration, "--device", "none")
      #expect(try home.value("v")["value"] is NSNull)
      try home.replace("watched", content)
      try eventually("it is read") { try home.value("v")["value"] as? String == content }
      try eventually("it has been played \(plays) times") { try home.played("v") == plays }
      second.send(signal: SIGTERM)
      #expect(try second.wait() == .exit(0))
    }
  }

  @Test func `a value that a reload adds begins as at the start`() throws {
    let configuration = try String(contentsOfFile: home("config/soundd/config.toml"), encoding: .utf8)
    try home.write("there", "old")
    try home.write(
      "config/soundd/config.toml",
      configuration
        + """

        [value.there]
        file = "~/there"
        [value.missing]
        file = "~/missing"
        [[trigger]]
        value = "there"
        sound = "success"
        [[trigger]]
        value = "missing"
        sound = "success"
        """)
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.value("there")["value"] as? String == "old")
    #expect(try home.value("missing")["value"] is NSNull)
    try home.replace("missing", "new")
    try eventually("the first content has been played") { try home.played("missing") == 1 }
    #expect(try home.trigger("there")["changes"] as? Int == 0)
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
